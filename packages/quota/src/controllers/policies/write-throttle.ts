/** Writes of one key that are always allowed within the window; more of them mean that another client undoes our writes. */
const burst = 5;
const windowMs = 60_000;
/** The pause after the burst doubles with every write: people who edit a grant by hand hardly notice it. */
const pauseMsMin = 500;
const pauseMsMax = 10_000;
const keysMax = 10_000;

interface RecentWrites {
  readonly count: number;
  readonly lastMs: number;
}

/** Slows down writes of the same key, in case another client keeps reverting them. */
export class WriteThrottle {
  readonly #elapsedMs: () => number;
  readonly #recent = new Map<string, RecentWrites>();

  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs;
  }

  /** How long to wait before the next write; 0 also counts that write. */
  waitMs(id: string): number {
    const nowMs = this.#elapsedMs();
    const known = this.#recent.get(id);
    const recent = known !== undefined && nowMs - known.lastMs < windowMs ? known : { count: 0, lastMs: 0 };
    const waitMs = recent.count < burst ? 0 : recent.lastMs + pauseMs(recent.count - burst) - nowMs;
    if (waitMs > 0) return waitMs;
    this.#remember(id, { count: recent.count + 1, lastMs: nowMs });
    return 0;
  }

  #remember(id: string, recent: RecentWrites): void {
    this.#recent.delete(id);
    this.#recent.set(id, recent);
    const [oldest] = this.#recent.keys();
    if (this.#recent.size > keysMax && oldest !== undefined) this.#recent.delete(oldest);
  }
}

function pauseMs(pausesBefore: number): number {
  return Math.min(pauseMsMax, pauseMsMin * 2 ** pausesBefore);
}
