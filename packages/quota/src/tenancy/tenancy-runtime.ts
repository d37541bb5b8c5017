import type { Random } from "@milo-quota/kubernetes/client/backoff.ts";
import type { QueueListeners } from "@milo-quota/kubernetes/client/queue/queue-listener.ts";
import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";

/** Makes and removes control planes. Both may be asked for again, and then change nothing. */
export interface ControlPlaneMaker {
  /** Resolves when the plane can be used. */
  open(plane: string): Promise<void>;
  /** Resolves when nothing is left of the plane. */
  close(plane: string): Promise<void>;
}

/** What tenancy runs on. All of it is a parameter, so that tests own it. */
export interface TenancyRuntime {
  /** Of the root, and trusted with everything. */
  readonly client: KubeClient;
  readonly planes: ControlPlaneMaker;
  readonly clock: Clock;
  readonly random: Random;
  /** Hears of what went wrong; `where` names what it was about. */
  readonly report: (where: string, error: unknown) => void;
  /** Those who count what queues do. */
  readonly toldQueues?: QueueListeners;
}
