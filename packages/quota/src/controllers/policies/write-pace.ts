/** So many writes are everyday life; more than these in the time below are a quarrel with somebody. */
const freeWrites = 5;
const windowMs = 60_000;
const pausedMs = 10_000;
const remembered = 10_000;

interface Pace {
  readonly writes: number;
  readonly lastMs: number;
}

/** Keeps two who undo each other's work from doing so as fast as they can. */
export class WritePace {
  readonly #elapsedMs: () => number;
  readonly #paces = new Map<string, Pace>();

  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs;
  }

  /** How long to wait before the next write for the same; when that is nothing, the write is counted. */
  waitMs(id: string): number {
    const nowMs = this.#elapsedMs();
    const known = this.#paces.get(id);
    const pace = known !== undefined && nowMs - known.lastMs < windowMs ? known : { writes: 0, lastMs: 0 };
    const waitMs = pace.writes < freeWrites ? 0 : pace.lastMs + pausedMs - nowMs;
    if (waitMs > 0) return waitMs;
    this.#remember(id, { ...pace, writes: pace.writes + 1, lastMs: nowMs });
    return 0;
  }

  #remember(id: string, pace: Pace): void {
    this.#paces.delete(id);
    this.#paces.set(id, pace);
    const [oldest] = this.#paces.keys();
    if (this.#paces.size > remembered && oldest !== undefined) this.#paces.delete(oldest);
  }
}
