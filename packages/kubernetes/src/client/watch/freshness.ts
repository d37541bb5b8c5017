import type { Clock } from "../../protocol/clock.ts";
import { abortable } from "../abortable.ts";
import { ChildAbortController } from "../child-abort-controller.ts";
import type { ListerWatcher } from "./lister-watcher.ts";
import { isOlder, isRevision } from "./revision.ts";

/** The informer, as seen by Freshness. */
export interface RefreshableInformer {
  /** The revision that it is current to; undefined while it lists everything. */
  readonly revision: string | undefined;
  /** Whether a watch is open that a new list could replace. */
  readonly canRefresh: boolean;
  waitForRevision(revision: string, signal: AbortSignal): Promise<void>;
  refresh(): void;
}

interface Deps {
  readonly source: Pick<ListerWatcher, "list" | "progress">;
  readonly clock: Clock;
  readonly stopped: AbortSignal;
}

/** How long the watch may take to deliver known changes before it is helped along. */
const nudgeAfterMs = 250;
const refreshEveryMs = 1_000;
const askMsMax = 10_000;

/**
 * The server's revision is older than one it reported before: its store was restored, or the response is not a
 * revision.
 */
class HistoryRewritten extends Error {
  override readonly name = "HistoryRewritten";

  constructor(now: string, before: string | undefined) {
    super(`the server is at revision "${now}", but reported "${before ?? ""}" before`);
  }
}

/** Callers that asked at the same time. */
interface Round {
  readonly done: Promise<void>;
  /** Aborted when the last of them stops waiting. */
  readonly controller: ChildAbortController;
  waiting: number;
}

/** Waits until everything that happened before a call is known. Concurrent callers share one request. */
export class Freshness {
  readonly #informer: RefreshableInformer;
  readonly #deps: Deps;
  /** Callers for which the server has not been asked yet. */
  #next: Round | undefined;
  #asking: Promise<unknown> = Promise.resolve();
  #refreshedMs = Number.NEGATIVE_INFINITY;

  constructor(catching: RefreshableInformer, deps: Deps) {
    this.#informer = catching;
    this.#deps = deps;
  }

  async waitUntilFresh(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#deps.stopped.throwIfAborted();
    this.#next ??= this.#begin();
    const round = this.#next;
    round.waiting += 1;
    try {
      await abortable(round.done, signal);
    } finally {
      round.waiting -= 1;
      if (round.waiting === 0) this.#end(round);
    }
  }

  #begin(): Round {
    const controller = new ChildAbortController(this.#deps.stopped);
    return { done: this.#asking.then(() => this.#run(controller.signal)), controller, waiting: 0 };
  }

  #end(round: Round): void {
    if (this.#next === round) this.#next = undefined;
    round.controller.release();
    round.controller.abort(new Error("no caller is waiting any more"));
  }

  #run(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#next = undefined;
    const before = this.#informer.revision;
    const asked = this.#ask(signal);
    this.#asking = asked.catch(() => undefined);
    return asked.then((revision) => this.#reach(revision, before, signal));
  }

  /** The server's latest revision, at some time after this call. */
  async #ask(signal: AbortSignal): Promise<string> {
    const controller = new ChildAbortController(signal);
    const late = new Error(`no response within ${askMsMax} ms to the request for the current revision`);
    const deadline = this.#deps.clock.after(askMsMax, () => controller.abort(late));
    try {
      return await abortable(this.#newest(controller.signal), controller.signal);
    } finally {
      deadline.stop();
      controller.release();
    }
  }

  async #newest(signal: AbortSignal): Promise<string> {
    const { source } = this.#deps;
    if (source.progress !== undefined) return source.progress(signal);
    // The smallest possible list returns the current revision.
    return (await source.list({ limit: 1 }, signal)).resourceVersion;
  }

  async #reach(revision: string, before: string | undefined, signal: AbortSignal): Promise<void> {
    if (!isRevision(revision) || (before !== undefined && isOlder(revision, before))) {
      this.#refresh();
      throw new HistoryRewritten(revision, before);
    }
    const { clock } = this.#deps;
    const sinceMs = clock.now();
    const help = (): void => {
      this.#nudge(sinceMs, signal);
      timer = clock.after(nudgeAfterMs, help);
    };
    let timer = clock.after(nudgeAfterMs, help);
    try {
      await this.#informer.waitForRevision(revision, signal);
    } finally {
      timer.stop();
    }
  }

  /** A watch that was opened after the server was asked got no bookmark; a watch that may be dead is replaced. */
  #nudge(sinceMs: number, signal: AbortSignal): void {
    const { source, clock } = this.#deps;
    const isPatient = source.progress !== undefined && clock.now() - sinceMs < refreshEveryMs;
    if (isPatient)
      source.progress?.(signal).catch(() => undefined); // only a hint: its result is not needed
    else if (this.#informer.canRefresh) this.#refresh();
  }

  /** Rate limited: there may be much to list. */
  #refresh(): void {
    const nowMs = this.#deps.clock.now();
    if (nowMs - this.#refreshedMs < refreshEveryMs) return;
    this.#refreshedMs = nowMs;
    this.#informer.refresh();
  }
}
