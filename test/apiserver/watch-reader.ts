import type { StreamSink } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import type { Body } from "./test-server.ts";

export interface WatchedEvent {
  readonly type: string;
  readonly object: Body;
  readonly plane?: string;
}

/** A watch client that records events and reads as fast as a test wants. */
export class WatchReader implements StreamSink {
  readonly events: WatchedEvent[] = [];
  /** How the stream ended; undefined while it is open. */
  ended: "ended" | "cut" | "closed" | undefined;
  /** Bytes that were written and not read. */
  waitingBytes = 0;
  /** Maximum of buffered bytes. */
  waitingBytesMost = 0;
  #isReading = true;
  #onClose: () => void = () => undefined;
  #onDrain: (() => void) | undefined;

  write(line: string | Uint8Array): void {
    if (this.ended !== undefined) throw new Error("written to after its end");
    const text = typeof line === "string" ? line : Buffer.from(line).toString();
    if (!text.endsWith("\n")) throw new Error(`not a whole line: ${text}`);
    for (const each of text.split("\n").slice(0, -1)) this.events.push(JSON.parse(each));
    if (!this.#isReading) this.waitingBytes += Buffer.byteLength(text);
    this.waitingBytesMost = Math.max(this.waitingBytes, this.waitingBytesMost);
  }

  end(): void {
    this.#end("ended");
  }

  cut(): void {
    this.#end("cut");
  }

  onClose(call: () => void): void {
    this.#onClose = call;
  }

  onDrain(call: () => void): void {
    this.#onDrain = call;
  }

  /** Stops reading. */
  pause(): void {
    this.#isReading = false;
  }

  /** Reads all buffered bytes and stops again. */
  drain(): void {
    this.waitingBytes = 0;
    const call = this.#onDrain;
    this.#onDrain = undefined;
    call?.();
  }

  /** Reads until it has this many events. */
  drainUntil(count: number): void {
    for (let turn = 0; this.events.length < count; turn += 1) {
      if (turn > count) throw new Error(`received only ${this.events.length} events`);
      this.drain();
    }
  }

  /** Disconnects the client. */
  close(): void {
    this.#end("closed");
  }

  /** `ADDED a`, `MODIFIED a`, `BOOKMARK 17`. */
  get lines(): readonly string[] {
    return this.events.map(({ type, object }) =>
      type === "BOOKMARK"
        ? `BOOKMARK ${object.metadata.resourceVersion}`
        : `${type} ${object.metadata?.name ?? object.code}`,
    );
  }

  /** The revision to resume from. */
  get lastRevision(): string {
    return this.events.at(-1)?.object.metadata.resourceVersion ?? "";
  }

  #end(how: "ended" | "cut" | "closed"): void {
    if (this.ended !== undefined) return;
    this.ended = how;
    this.#onClose();
  }
}
