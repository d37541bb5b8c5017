import { WorkQueue, type WorkQueueOptions } from "@milo-quota/kubernetes/client/queue/work-queue.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import type { Running } from "../../views/runtime.ts";
import { withTimeout } from "../with-timeout.ts";

export interface PlaneQueuesOptions<Key>
  extends Pick<WorkQueueOptions<Key>, "reconcile" | "idOf" | "random" | "report" | "observer"> {
  readonly clock: Clock;
  /** The control planes that reconciling a key depends on, as one string. */
  readonly planesOf: (key: Key) => string;
}

/** Per control plane. */
const concurrency = 64;
/** Idle queues are removed once there are more than this. */
const queuesMin = 64;

/** A work queue for each control plane, so that an unresponsive one does not delay the others. */
export class PlaneQueues<Key> implements Running {
  readonly #options: PlaneQueuesOptions<Key>;
  readonly #queues = new Map<string, WorkQueue<Key>>();
  #pruneAt = queuesMin;

  constructor(options: PlaneQueuesOptions<Key>) {
    this.#options = options;
  }

  add(key: Key): void {
    this.#queue(key).add(key);
  }

  addAfter(key: Key, delayMs: number): void {
    this.#queue(key).addAfter(key, delayMs);
  }

  dropLater(key: Key): void {
    this.#queues.get(this.#options.planesOf(key))?.cancelDelayed(key);
  }

  /** The number of queues. */
  get size(): number {
    return this.#queues.size;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#queues.values()].map((queue) => queue.stop()));
  }

  #queue(key: Key): WorkQueue<Key> {
    const planes = this.#options.planesOf(key);
    const known = this.#queues.get(planes);
    if (known !== undefined) return known;
    if (this.#queues.size >= this.#pruneAt) this.#prune();
    const queue = this.#newQueue();
    this.#queues.set(planes, queue);
    return queue;
  }

  /** Removes queues without waiting, running or delayed keys: they hold no state. */
  #prune(): void {
    for (const [planes, queue] of this.#queues) if (queue.size === 0) this.#queues.delete(planes);
    this.#pruneAt = Math.max(queuesMin, 2 * this.#queues.size);
  }

  #newQueue(): WorkQueue<Key> {
    const { planesOf, reconcile, ...options } = this.#options;
    return new WorkQueue<Key>({
      ...options,
      reconcile: (key, signal) => withTimeout(options.clock, signal, (limit) => reconcile(key, limit)),
      limits: { concurrency },
    });
  }
}
