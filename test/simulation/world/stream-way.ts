import { type Call, ConnectionFailed, type LineSink } from "@milo-quota/kubernetes/client/transport/transport.ts";
import type { VirtualTime } from "./virtual-time.ts";

export interface WayPorts {
  readonly time: VirtualTime;
  readonly call: Call;
  /** Where lines arrive. */
  readonly sink: LineSink;
  readonly latencyMs: () => number;
  /** Nothing arrives before then. */
  readonly notBeforeMs: () => number;
  /** Hands over to the machine. */
  readonly soon: (arrived: () => void) => void;
}

type Opening = (sink: LineSink, signal: AbortSignal) => Promise<void>;

/** The lines of one stream on their way, always in order. */
export class StreamWay {
  readonly #ports: WayPorts;
  readonly #serverSide = new AbortController();
  #lastDueMs = 0;
  #isOver = false;
  #settle: (error?: unknown) => void = () => undefined;
  readonly ended: Promise<void>;

  constructor(ports: WayPorts) {
    this.#ports = ports;
    this.ended = new Promise((resolve, reject) => {
      this.#settle = (error) => (error === undefined ? resolve() : reject(error));
    });
  }

  open(afterMs: number, opening: Opening): void {
    this.#ports.time.later(afterMs, () => {
      if (this.#serverSide.signal.aborted) return;
      const { sink } = this.#ports;
      const sent: LineSink = {
        opened: () => this.#send(() => sink.opened()),
        line: (text) => this.#send(() => sink.line(text)),
      };
      opening(sent, this.#serverSide.signal).then(
        () => this.#send(() => this.#end(undefined)),
        (error: unknown) => this.#send(() => this.#end(error)),
      );
    });
  }

  /** Neither side hears more of the other. */
  cut(cause: Error): void {
    this.#ports.soon(() => this.#end(new ConnectionFailed(this.#ports.call, cause)));
    this.#isOver = true;
    this.#hangUp();
  }

  /** Its reader has had enough. */
  leave(reason: unknown): void {
    this.#isOver = true;
    this.#hangUp();
    this.#settle(reason);
  }

  /** Its reader is no more. */
  abandon(): void {
    this.#isOver = true;
    this.#hangUp();
  }

  /** The server finds out a little later. */
  #hangUp(): void {
    const { time, latencyMs } = this.#ports;
    time.later(latencyMs(), () => this.#serverSide.abort(new Error("the reader is gone")));
  }

  #send(arrive: () => void): void {
    const { time, latencyMs, notBeforeMs, soon } = this.#ports;
    if (this.#isOver) return;
    this.#lastDueMs = Math.max(this.#lastDueMs, time.nowMs + latencyMs(), notBeforeMs());
    time.at(this.#lastDueMs, () => soon(() => this.#isOver || arrive()));
  }

  #end(error: unknown): void {
    this.#isOver = true;
    this.#settle(error);
  }
}
