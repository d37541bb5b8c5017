export interface QueueObserver {
  /** The number of queued keys changed by this much. */
  onDepthChanged?(by: number): void;
  /** A key was added that was not queued already. */
  onAdded?(): void;
  /** Work on a key started after it was queued for this long. */
  onStarted?(waitedMs: number): void;
  /** Work on a key ended, successfully or not. */
  onFinished?(ms: number): void;
  /** A key is retried after a failure. */
  onRetried?(): void;
}

/** The observer of a queue, by the queue's name. */
export type QueueObservers = (queue: string) => QueueObserver;
