import type { Clock } from "../../protocol/clock.ts";

/** A point in time by our own reckoning; only the difference of two of them means something. */
export interface Moment {
  readonly mostMs: number;
  readonly leastMs: number;
}

/**
 * Time by our own two clocks. Each can fail: the one on the wall is set by people, the one that only runs may stand
 * still while the machine sleeps. So from each look at them to the next, whoever must not act too late believes the one
 * that says more, and whoever must not act too early the other. What fails both between two looks goes unnoticed: look
 * often.
 */
export class PassedTime {
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

  now(): Moment {
    const [wallMs, runMs] = [this.#clock.now(), this.#elapsedMs()];
    const [byWallMs, byRunMs] = [wallMs - this.#wallMs, runMs - this.#runMs];
    this.#mostMs += Math.max(byWallMs, byRunMs, 0);
    this.#leastMs += Math.max(Math.min(byWallMs, byRunMs), 0);
    this.#wallMs = wallMs;
    this.#runMs = runMs;
    return { mostMs: this.#mostMs, leastMs: this.#leastMs };
  }

  /** No more than this has passed. */
  atMost(since: Moment): number {
    return this.now().mostMs - since.mostMs;
  }

  /** No less than this has passed. */
  atLeast(since: Moment): number {
    return this.now().leastMs - since.leastMs;
  }
}
