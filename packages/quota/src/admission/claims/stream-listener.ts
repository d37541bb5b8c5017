/** What a line of a watch is about. */
export type StreamEvent = "Added" | "Modified" | "Deleted" | "Bookmark" | "Error";

/** What became of a line: an answer to somebody, nothing yet, nothing to anybody, or it could not be read. */
export type EventResult = "granted" | "denied" | "pending" | "ignored" | "error";

/** How waiting for a claim ended; unregistered is who left before anything was known. */
export type WaiterResult = "granted" | "denied" | "timeout" | "deleted" | "unregistered";

/** Hears of what a stream of claims goes through. */
export interface StreamListener {
  connected?(): void;
  disconnected?(reason: "error" | "shutdown", livedMs: number): void;
  /** A stream ended by a failure; `statusCode` is that of the answer, or unknown. */
  failed?(statusCode: string): void;
  /** A stream is there again, so long after one failed. */
  restarted?(afterMs: number): void;
  received?(event: StreamEvent): void;
  processed?(result: EventResult): void;
  /** Somebody waits for a claim. */
  waiting?(): void;
  waited?(result: WaiterResult, ms: number): void;
}

/** And of what becomes of streams. */
export interface StreamsListener extends StreamListener {
  opened?(): void;
  /** Nobody uses a stream by now: its time begins to run out. */
  idle?(): void;
  ended?(reason: "idle" | "shutdown"): void;
}
