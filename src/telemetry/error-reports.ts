import { type Complaint, complaintOf } from "./complaint.ts";
import { LastingTroubles } from "./lasting-troubles.ts";
import type { Log } from "./log.ts";

interface Seen {
  readonly where: string;
  readonly complaint: Complaint;
  readonly sinceMs: number;
  /** How often it came again since it was written. */
  again: number;
}

/** The same complaint is written once in so long. */
const quietMs = 10_000;
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
    const seen = this.#seen.get(key);
    if (seen !== undefined) {
      seen.again += 1;
      return;
    }
    this.#write(where, complaint, 0);
    this.#seen.set(key, { where, complaint, sinceMs: this.#elapsedMs(), again: 0 });
  };

  /** Writes what was held back. */
  flush(): void {
    for (const [key, seen] of this.#seen) this.#forget(key, seen);
  }

  /** They are in the order in which they were written. */
  #forgetOld(): void {
    for (const [key, seen] of this.#seen) {
      if (this.#elapsedMs() - seen.sinceMs < quietMs && this.#seen.size < seenMax) return;
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
