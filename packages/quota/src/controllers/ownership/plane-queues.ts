import { WorkQueue, type WorkQueueOptions } from "@milo-quota/kubernetes/client/queue/work-queue.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import type { Running } from "../../views/runtime.ts";
import { inTime } from "../in-time.ts";

export interface PlaneQueuesOptions<Key>
  extends Pick<WorkQueueOptions<Key>, "work" | "idOf" | "random" | "report" | "told"> {
  readonly clock: Clock;
  /** The planes that the work on a key depends on. */
  readonly planesOf: (key: Key) => string;
}

/** Of each plane. */
const concurrency = 64;
/** From so many on it is looked whether some of them have nothing to do. */
const queuesMin = 64;

/** A queue for the work on each plane: one that does not answer keeps no other waiting. */
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
    this.#queues.get(this.#options.planesOf(key))?.dropLater(key);
  }

  /** How many queues there are: planes come and go, and most of those that stay are at rest. */
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

  /** A queue in which nothing waits, runs or is due later remembers nothing. */
  #prune(): void {
    for (const [planes, queue] of this.#queues) if (queue.size === 0) this.#queues.delete(planes);
    this.#pruneAt = Math.max(queuesMin, 2 * this.#queues.size);
  }

  #newQueue(): WorkQueue<Key> {
    const { planesOf, work, ...options } = this.#options;
    return new WorkQueue<Key>({
      ...options,
      work: (key, signal) => inTime(options.clock, signal, (life) => work(key, life)),
      limits: { concurrency },
    });
  }
}
