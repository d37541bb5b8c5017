/** The type of a watch event. */
export type StreamEvent = "Added" | "Modified" | "Deleted" | "Bookmark" | "Error";

/** What an event meant to the waiters for its claim. Ignored: no waiter; error: the claim could not be parsed. */
export type EventResult = "granted" | "denied" | "pending" | "ignored" | "error";

/** How the wait for a claim ended. Unregistered: the waiter left before the claim was decided. */
export type WaiterResult = "granted" | "denied" | "timeout" | "deleted" | "unregistered";

/** Observes one claim stream. */
export interface StreamObserver {
  onConnected?(): void;
  onDisconnected?(reason: "error" | "shutdown", connectedMs: number): void;
  /** The stream failed. `statusCode` is that of the response, or "unknown". */
  onFailed?(statusCode: string): void;
  /** The stream is connected again, this long after it failed. */
  onRestarted?(afterMs: number): void;
  onReceived?(event: StreamEvent): void;
  onProcessed?(result: EventResult): void;
  onWaiterJoined?(): void;
  onWaiterLeft?(result: WaiterResult, waitedMs: number): void;
}

/** Observes all claim streams of a process, and their lifecycle. */
export interface StreamsObserver extends StreamObserver {
  onOpened?(): void;
  /** The last user left the stream: its idle timeout starts. */
  onIdle?(): void;
  onClosed?(reason: "idle" | "shutdown"): void;
}
