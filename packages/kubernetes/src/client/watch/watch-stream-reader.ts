import type { Clock, Timer } from "../../protocol/clock.ts";
import { abortable } from "../abortable.ts";
import { ChildAbortController } from "../child-abort-controller.ts";
import type { LineSink, StreamEvent } from "../transport/transport.ts";
import { StreamSilent } from "./watch-errors.ts";
import { parseWatchLine, type WatchLine } from "./watch-line.ts";

/** Reads one watch stream. Ends it when it is silent for too long, or when a line cannot be processed. */
export class WatchStreamReader {
  readonly #clock: Clock;
  readonly #silentMsMax: number;
  readonly #take: (line: WatchLine) => void;
  readonly #startMs: number;
  #lastLineMs: number;
  lines = 0;

  constructor(clock: Clock, silentMsMax: number, take: (line: WatchLine) => void) {
    this.#clock = clock;
    this.#silentMsMax = silentMsMax;
    this.#take = take;
    this.#startMs = clock.now();
    this.#lastLineMs = this.#startMs;
  }

  get lastedMs(): number {
    return this.#clock.now() - this.#startMs;
  }

  /** Opens the stream and reads it to its end. Rejects if it does not end normally. */
  async read(open: (sink: LineSink, signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    const controller = new ChildAbortController(signal);
    const silence = this.#watchSilence(controller);
    const sink: LineSink = { onOpened: () => this.#noteActivity(), onLine: (line) => this.#line(line, controller) };
    try {
      await abortable(open(sink, controller.signal), controller.signal);
    } finally {
      silence.stop();
      controller.release();
      controller.abort(new Error("the stream has ended"));
    }
  }

  #line(line: string | StreamEvent, controller: ChildAbortController): void {
    if (controller.signal.aborted) return;
    this.#noteActivity();
    this.lines += 1;
    try {
      this.#take(parseWatchLine(line));
    } catch (error) {
      controller.abort(error);
    }
  }

  #noteActivity(): void {
    this.#lastLineMs = this.#clock.now();
  }

  /** One timer for any number of lines: when it fires, it checks the time since the last line. */
  #watchSilence(controller: ChildAbortController): Timer {
    let timer: Timer;
    const look = (): void => {
      const leftMs = this.#silentMsMax - (this.#clock.now() - this.#lastLineMs);
      if (leftMs > 0) timer = this.#clock.after(leftMs, look);
      else controller.abort(new StreamSilent(this.#silentMsMax));
    };
    timer = this.#clock.after(this.#silentMsMax, look);
    return { stop: () => timer.stop() };
  }
}
