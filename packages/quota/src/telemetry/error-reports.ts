import { type Complaint, complaintOf } from "./complaint.ts";
import { LastingTroubles } from "./lasting-troubles.ts";
import type { Log } from "./log.ts";

interface Seen {
  readonly where: string;
  readonly complaint: Complaint;
  writtenMs: number;
  lastMs: number;
  /** For so long after it was written it is not written again. */
  quietMs: number;
  /** How often it came since it was written. */
  again: number;
}

/** The same complaint is written once in so long, and less and less often while it goes on. */
const quiet = { minMs: 10_000, maxMs: 60 * 60_000, factor: 4 };
/** What did not come for so long is over. */
const overMs = 15 * 60_000;
/** Of this many complaints it is known that they are the same. */
const seenMax = 1_000;

/** Writes what goes wrong into a log; what goes wrong again and again does not fill it. */
export class ErrorReports {
  readonly #log: Log;
  readonly #elapsedMs: () => number;
  readonly #seen = new Map<string, Seen>();
  readonly #lasting = new LastingTroubles();

  constructor(log: Log, elapsedMs: () => number) {
    this.#log = log;
    this.#elapsedMs = elapsedMs;
  }

  readonly report = (where: string, error: unknown): void => {
    this.#forgetOld();
    const complaint = complaintOf(error);
    const key = `${where}\n${complaint.message}`;
    if (complaint.mayPass && !this.#lasting.lasts(key, this.#elapsedMs())) {
      this.#log.debug(`${where}: ${complaint.message}`);
      return;
    }
    const nowMs = this.#elapsedMs();
    const seen = this.#seen.get(key);
    this.#seen.delete(key); // they are in the order in which they came last
    if (seen === undefined) {
      this.#write(where, complaint, 0);
      this.#seen.set(key, { where, complaint, writtenMs: nowMs, lastMs: nowMs, quietMs: quiet.minMs, again: 0 });
    } else this.#seen.set(key, this.#came(seen, nowMs));
  };

  /** Writes what was held back. */
  flush(): void {
    for (const [key, seen] of this.#seen) this.#forget(key, seen);
  }

  #came(seen: Seen, nowMs: number): Seen {
    seen.lastMs = nowMs;
    seen.again += 1;
    if (nowMs - seen.writtenMs < seen.quietMs) return seen;
    this.#write(seen.where, { ...seen.complaint, stack: undefined }, seen.again);
    const quietMs = Math.min(seen.quietMs * quiet.factor, quiet.maxMs);
    return { ...seen, writtenMs: nowMs, quietMs, again: 0 };
  }

  #forgetOld(): void {
    for (const [key, seen] of this.#seen) {
      if (this.#elapsedMs() - seen.lastMs < overMs && this.#seen.size < seenMax) return;
      this.#forget(key, seen);
    }
  }

  #forget(key: string, { where, complaint, again }: Seen): void {
    this.#seen.delete(key);
    if (again > 0) this.#write(where, { ...complaint, stack: undefined }, again);
  }

  #write(where: string, { level, message, stack }: Complaint, again: number): void {
    const fields = { ...(again === 0 ? {} : { again }), ...(stack === undefined ? {} : { stack }) };
    this.#log[level](`${where}: ${message}`, fields);
  }
}
