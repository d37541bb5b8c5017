import type { Random } from "@milo-quota/kubernetes/client/backoff.ts";
import type { QueueObservers } from "@milo-quota/kubernetes/client/queue/queue-observer.ts";
import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";

/** Opens and closes control planes. Both are idempotent. */
export interface PlaneLifecycle {
  /** Resolves when the plane can be used. */
  open(plane: string): Promise<void>;
  /** Resolves when nothing is left of the plane. */
  close(plane: string): Promise<void>;
}

/** The dependencies of tenancy. */
export interface TenancyRuntime {
  /** Client of the root plane with all rights. */
  readonly client: KubeClient;
  readonly planes: PlaneLifecycle;
  readonly clock: Clock;
  readonly random: Random;
  /** `where` names the component or object of the error. */
  readonly report: (where: string, error: unknown) => void;
  readonly queueObservers?: QueueObservers;
}
