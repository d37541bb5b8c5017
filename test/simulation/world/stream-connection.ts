import { type Call, ConnectionFailed, type LineSink } from "@milo-quota/kubernetes/client/transport/transport.ts";
import type { VirtualTime } from "./virtual-time.ts";

export interface StreamConnectionDeps {
  readonly time: VirtualTime;
  readonly call: Call;
  /** Receives the lines on the client side. */
  readonly sink: LineSink;
  readonly latencyMs: () => number;
  /** Lines arrive no earlier than this. */
  readonly notBeforeMs: () => number;
  /** Delivers to the machine. */
  readonly deliver: (arrived: () => void) => void;
}

type Opening = (sink: LineSink, signal: AbortSignal) => Promise<void>;

/** One stream between server and machine. Lines are delayed but arrive in order. */
export class StreamConnection {
  readonly #deps: StreamConnectionDeps;
  readonly #serverSide = new AbortController();
  #lastDueMs = 0;
  #isOver = false;
  #settle: (error?: unknown) => void = () => undefined;
  readonly ended: Promise<void>;

  constructor(deps: StreamConnectionDeps) {
    this.#deps = deps;
    this.ended = new Promise((resolve, reject) => {
      this.#settle = (error) => (error === undefined ? resolve() : reject(error));
    });
  }

  open(afterMs: number, opening: Opening): void {
    this.#deps.time.later(afterMs, () => {
      if (this.#serverSide.signal.aborted) return;
      const { sink } = this.#deps;
      const sent: LineSink = {
        onOpened: () => this.#send(() => sink.onOpened()),
        onLine: (text) => this.#send(() => sink.onLine(text)),
      };
      opening(sent, this.#serverSide.signal).then(
        () => this.#send(() => this.#end(undefined)),
        (error: unknown) => this.#send(() => this.#end(error)),
      );
    });
  }

  /** Breaks the connection. */
  cut(cause: Error): void {
    this.#deps.deliver(() => this.#end(new ConnectionFailed(this.#deps.call, cause)));
    this.#isOver = true;
    this.#hangUp();
  }

  /** Closed by the reader. */
  leave(reason: unknown): void {
    this.#isOver = true;
    this.#hangUp();
    this.#settle(reason);
  }

  /** The reader has crashed. */
  abandon(): void {
    this.#isOver = true;
    this.#hangUp();
  }

  /** The server notices after some latency. */
  #hangUp(): void {
    const { time, latencyMs } = this.#deps;
    time.later(latencyMs(), () => this.#serverSide.abort(new Error("the reader closed the stream")));
  }

  #send(arrive: () => void): void {
    const { time, latencyMs, notBeforeMs, deliver } = this.#deps;
    if (this.#isOver) return;
    this.#lastDueMs = Math.max(this.#lastDueMs, time.nowMs + latencyMs(), notBeforeMs());
    time.at(this.#lastDueMs, () => deliver(() => this.#isOver || arrive()));
  }

  #end(error: unknown): void {
    this.#isOver = true;
    this.#settle(error);
  }
}
