import type { Clock } from "../../protocol/clock.ts";
import { ChildAbort } from "../child-abort.ts";
import { untilAborted } from "../until-aborted.ts";
import type { ObjectSource } from "./object-source.ts";
import { isOlder, isRevision } from "./revision.ts";

/** What is kept up to date, as freshness sees it. */
export interface Catching {
  /** Up to where everything was told; undefined while everything is read anew. */
  readonly revision: string | undefined;
  /** Whether a stream is being read that everything could be read anew instead of. */
  readonly canRefresh: boolean;
  atLeast(revision: string, signal: AbortSignal): Promise<void>;
  refresh(): void;
}

interface Ports {
  readonly source: Pick<ObjectSource, "page" | "progress">;
  readonly clock: Clock;
  readonly stopped: AbortSignal;
}

/** How long a stream may take to tell what has happened before it is helped along. */
const patienceMs = 250;
const refreshEveryMs = 1_000;
const askMsMax = 10_000;

/** The server is at a revision before one that it told of: its store was put back, or its answer is no revision. */
class HistoryRewritten extends Error {
  override readonly name = "HistoryRewritten";

  constructor(now: string, before: string | undefined) {
    super(`the server says it is at revision "${now}", and it told of "${before ?? ""}" before`);
  }
}

/** Those who asked at the same time. */
interface Round {
  readonly done: Promise<void>;
  /** Ends with the last of them who waits. */
  readonly life: ChildAbort;
  waiting: number;
}

/** Tells when everything that happened before a question is known. Those who ask at the same time share the answer. */
export class Freshness {
  readonly #catching: Catching;
  readonly #ports: Ports;
  /** Of those who ask now: the server has not been asked for them yet. */
  #next: Round | undefined;
  #asking: Promise<unknown> = Promise.resolve();
  #refreshedMs = Number.NEGATIVE_INFINITY;

  constructor(catching: Catching, ports: Ports) {
    this.#catching = catching;
    this.#ports = ports;
  }

  async fresh(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#ports.stopped.throwIfAborted();
    this.#next ??= this.#begin();
    const round = this.#next;
    round.waiting += 1;
    try {
      await untilAborted(round.done, signal);
    } finally {
      round.waiting -= 1;
      if (round.waiting === 0) this.#end(round);
    }
  }

  #begin(): Round {
    const life = new ChildAbort(this.#ports.stopped);
    return { done: this.#asking.then(() => this.#run(life.signal)), life, waiting: 0 };
  }

  #end(round: Round): void {
    if (this.#next === round) this.#next = undefined;
    round.life.release();
    round.life.abort(new Error("nobody waits for this any more"));
  }

  #run(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#next = undefined;
    const before = this.#catching.revision;
    const asked = this.#ask(signal);
    this.#asking = asked.catch(() => undefined);
    return asked.then((revision) => this.#reach(revision, before, signal));
  }

  /** The newest revision of the server, at some moment after this call. */
  async #ask(signal: AbortSignal): Promise<string> {
    const life = new ChildAbort(signal);
    const late = new Error(`no answer within ${askMsMax} ms to how far the server is`);
    const deadline = this.#ports.clock.after(askMsMax, () => life.abort(late));
    try {
      return await untilAborted(this.#newest(life.signal), life.signal);
    } finally {
      deadline.stop();
      life.release();
    }
  }

  async #newest(signal: AbortSignal): Promise<string> {
    const { source } = this.#ports;
    if (source.progress !== undefined) return source.progress(signal);
    // The shortest list there is, as of now, says how far the server is.
    return (await source.page({ limit: 1 }, signal)).resourceVersion;
  }

  async #reach(revision: string, before: string | undefined, signal: AbortSignal): Promise<void> {
    if (!isRevision(revision) || (before !== undefined && isOlder(revision, before))) {
      this.#refresh();
      throw new HistoryRewritten(revision, before);
    }
    const { clock } = this.#ports;
    const sinceMs = clock.now();
    const help = (): void => {
      this.#help(sinceMs, signal);
      timer = clock.after(patienceMs, help);
    };
    let timer = clock.after(patienceMs, help);
    try {
      await this.#catching.atLeast(revision, signal);
    } finally {
      timer.stop();
    }
  }

  /** A stream that opened since the server was asked was not told to hurry; one that may be dead is not waited for. */
  #help(sinceMs: number, signal: AbortSignal): void {
    const { source, clock } = this.#ports;
    const isPatient = source.progress !== undefined && clock.now() - sinceMs < refreshEveryMs;
    if (isPatient)
      source.progress?.(signal).catch(() => undefined); // only a hint: who needs the answer asks again
    else if (this.#catching.canRefresh) this.#refresh();
  }

  /** Not often: there may be much to read. */
  #refresh(): void {
    const nowMs = this.#ports.clock.now();
    if (nowMs - this.#refreshedMs < refreshEveryMs) return;
    this.#refreshedMs = nowMs;
    this.#catching.refresh();
  }
}
