import type { Clock, Timer } from "../../protocol/clock.ts";
import { ChildAbort } from "../child-abort.ts";
import type { LineSink, StreamEvent } from "../transport/transport.ts";
import { untilAborted } from "../until-aborted.ts";
import { StreamSilent } from "./follow-failure.ts";
import { parseWatchLine, type WatchLine } from "./watch-line.ts";

/** Reads one stream: ends it when it falls silent, or when somebody cannot take a line; hears nothing after its end. */
export class StreamReading {
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

  /** Opens the stream and reads it to its end. Rejects with whatever ends it out of order. */
  async read(open: (sink: LineSink, signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    const life = new ChildAbort(signal);
    const silence = this.#watchSilence(life);
    const sink: LineSink = { opened: () => this.#heard(), line: (line) => this.#line(line, life) };
    try {
      await untilAborted(open(sink, life.signal), life.signal);
    } finally {
      silence.stop();
      life.release();
      life.abort(new Error("the stream is over"));
    }
  }

  #line(line: string | StreamEvent, life: ChildAbort): void {
    if (life.signal.aborted) return;
    this.#heard();
    this.lines += 1;
    try {
      this.#take(parseWatchLine(line));
    } catch (error) {
      life.abort(error);
    }
  }

  #heard(): void {
    this.#lastLineMs = this.#clock.now();
  }

  /** One timer for any number of lines: when it is due, it looks how long the silence has been. */
  #watchSilence(life: ChildAbort): Timer {
    let timer: Timer;
    const look = (): void => {
      const leftMs = this.#silentMsMax - (this.#clock.now() - this.#lastLineMs);
      if (leftMs > 0) timer = this.#clock.after(leftMs, look);
      else life.abort(new StreamSilent(this.#silentMsMax));
    };
    timer = this.#clock.after(this.#silentMsMax, look);
    return { stop: () => timer.stop() };
  }
}
