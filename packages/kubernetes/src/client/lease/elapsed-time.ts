import type { Clock } from "../../protocol/clock.ts";

/** A point in time; only differences are meaningful. */
export interface TimePoint {
  readonly mostMs: number;
  readonly leastMs: number;
}

/**
 * Bounds for elapsed time, from two clocks. Each can fail: the wall clock may be set, the monotonic clock may stop
 * while the machine sleeps. For each interval between two readings the larger difference gives an upper bound and the
 * smaller one a lower bound. A failure of both clocks within one interval goes unnoticed, so it should be read often.
 */
export class ElapsedTime {
  readonly #clock: Clock;
  readonly #elapsedMs: () => number;
  #wallMs: number;
  #runMs: number;
  #mostMs = 0;
  #leastMs = 0;

  constructor(clock: Clock, elapsedMs: () => number) {
    this.#clock = clock;
    this.#elapsedMs = elapsedMs;
    this.#wallMs = clock.now();
    this.#runMs = elapsedMs();
  }

  now(): TimePoint {
    const [wallMs, runMs] = [this.#clock.now(), this.#elapsedMs()];
    const [byWallMs, byRunMs] = [wallMs - this.#wallMs, runMs - this.#runMs];
    this.#mostMs += Math.max(byWallMs, byRunMs, 0);
    this.#leastMs += Math.max(Math.min(byWallMs, byRunMs), 0);
    this.#wallMs = wallMs;
    this.#runMs = runMs;
    return { mostMs: this.#mostMs, leastMs: this.#leastMs };
  }

  /** Upper bound of the time since then. */
  atMost(since: TimePoint): number {
    return this.now().mostMs - since.mostMs;
  }

  /** Lower bound of the time since then. */
  atLeast(since: TimePoint): number {
    return this.now().leastMs - since.leastMs;
  }
}
