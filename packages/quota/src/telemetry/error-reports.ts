import { type ErrorSummary, summarizeError } from "./error-summary.ts";
import type { Log } from "./log.ts";
import { PersistentErrors } from "./persistent-errors.ts";

interface ReportedError {
  readonly where: string;
  readonly summary: ErrorSummary;
  loggedMs: number;
  lastMs: number;
  /** For this long after it was logged, the error is not logged again. */
  quietMs: number;
  /** Number of reports since it was logged. */
  repeats: number;
}

/** A repeated error is logged with growing intervals. */
const quiet = { minMs: 10_000, maxMs: 60 * 60_000, factor: 4 };
/** An error that was not reported for this long is over. */
const overMs = 15 * 60_000;
const errorsMax = 1_000;

/** Logs errors, and keeps repeated errors from flooding the log. */
export class ErrorReports {
  readonly #log: Log;
  readonly #elapsedMs: () => number;
  /** In the order of their last report. */
  readonly #errors = new Map<string, ReportedError>();
  readonly #persistent = new PersistentErrors();

  constructor(log: Log, elapsedMs: () => number) {
    this.#log = log;
    this.#elapsedMs = elapsedMs;
  }

  readonly report = (where: string, error: unknown): void => {
    this.#forgetOld();
    const summary = summarizeError(error);
    const key = `${where}\n${summary.message}`;
    if (summary.isTransient && !this.#persistent.record(key, this.#elapsedMs())) {
      this.#log.debug(`${where}: ${summary.message}`);
      return;
    }
    const nowMs = this.#elapsedMs();
    const known = this.#errors.get(key);
    this.#errors.delete(key); // and set again below, to keep the order
    if (known === undefined) {
      this.#write(where, summary, 0);
      this.#errors.set(key, { where, summary, loggedMs: nowMs, lastMs: nowMs, quietMs: quiet.minMs, repeats: 0 });
    } else this.#errors.set(key, this.#repeat(known, nowMs));
  };

  /** Logs the errors that were held back. */
  flush(): void {
    for (const [key, error] of this.#errors) this.#forget(key, error);
  }

  #repeat(error: ReportedError, nowMs: number): ReportedError {
    error.lastMs = nowMs;
    error.repeats += 1;
    if (nowMs - error.loggedMs < error.quietMs) return error;
    this.#write(error.where, { ...error.summary, stack: undefined }, error.repeats);
    const quietMs = Math.min(error.quietMs * quiet.factor, quiet.maxMs);
    return { ...error, loggedMs: nowMs, quietMs, repeats: 0 };
  }

  #forgetOld(): void {
    for (const [key, error] of this.#errors) {
      if (this.#elapsedMs() - error.lastMs < overMs && this.#errors.size < errorsMax) return;
      this.#forget(key, error);
    }
  }

  #forget(key: string, { where, summary, repeats }: ReportedError): void {
    this.#errors.delete(key);
    if (repeats > 0) this.#write(where, { ...summary, stack: undefined }, repeats);
  }

  #write(where: string, { level, message, stack }: ErrorSummary, repeats: number): void {
    const fields = { ...(repeats === 0 ? {} : { repeats }), ...(stack === undefined ? {} : { stack }) };
    this.#log[level](`${where}: ${message}`, fields);
  }
}
