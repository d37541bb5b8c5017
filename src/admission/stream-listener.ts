/** Hears of what a stream of claims goes through. */
export interface StreamListener {
  connected?(): void;
  restarted?(error: unknown): void;
  received?(what: "present" | "gone" | "reached"): void;
}

/** And of what becomes of streams. */
export interface StreamsListener extends StreamListener {
  opened?(): void;
  /** Nobody uses a stream by now: its time begins to run out. */
  idle?(): void;
  ended?(): void;
}
