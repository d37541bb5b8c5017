import type { Random } from "@milo-quota/kubernetes/client/backoff.ts";
import type { QueueListeners } from "@milo-quota/kubernetes/client/queue/queue-listener.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import type { ControlPlanes } from "./control-planes.ts";

/** What every controller runs on. All of it is a parameter, so that a simulator can own it. */
export interface Runtime {
  readonly planes: ControlPlanes;
  readonly clock: Clock;
  /** A clock that nobody sets, in milliseconds since whenever. */
  readonly elapsedMs: () => number;
  readonly random: Random & { uuid(): string };
  /** Of this very process, and of no other before or after it. */
  readonly incarnation: string;
  /** Hears of what went wrong; `where` names the controller, and what it was about. */
  readonly report: (where: string, error: unknown) => void;
  /** Those who count what queues do. */
  readonly toldQueues?: QueueListeners;
}

/** Something that runs from when it is made until it is stopped. */
export interface Running {
  stop(): Promise<void>;
}
