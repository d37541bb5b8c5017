import type { Random } from "@milo-quota/kubernetes/client/backoff.ts";
import type { QueueObservers } from "@milo-quota/kubernetes/client/queue/queue-observer.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import type { ControlPlanes } from "./control-planes.ts";

/** The environment of all controllers. It is passed in, so that the simulator can control time, randomness and network. */
export interface Runtime {
  readonly planes: ControlPlanes;
  readonly clock: Clock;
  /** A monotonic clock in milliseconds. */
  readonly elapsedMs: () => number;
  readonly random: Random & { uuid(): string };
  /** A unique ID of this process. */
  readonly incarnation: string;
  /** Reports an error; `where` names the controller and the object. */
  readonly report: (where: string, error: unknown) => void;
  readonly queueObservers?: QueueObservers;
}

/** Runs from its construction until it is stopped. */
export interface Running {
  stop(): Promise<void>;
}
