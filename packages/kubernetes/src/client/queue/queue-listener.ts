/** Hears of what a queue goes through. */
export interface QueueListener {
  /** So many more keys wait than before; or fewer. */
  waiting?(by: number): void;
  /** A key was asked for that did not wait yet. */
  added?(): void;
  /** Work began on a key that had waited for so long. */
  started?(waitedMs: number): void;
  /** Work on a key ended, well or not. */
  worked?(ms: number): void;
  /** A key is tried again because work on it failed. */
  retried?(): void;
}

/** Whoever wants to hear of queues, by their name. */
export type QueueListeners = (queue: string) => QueueListener;
