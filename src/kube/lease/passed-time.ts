import type { Clock } from "../../protocol/clock.ts";

/** Two clocks at one moment: the one on the wall, which people set, and the one that only runs. */
export interface Moment {
  readonly wallMs: number;
  readonly runMs: number;
}

/**
 * Time by our own clocks. Each can fail: the wall clock is set, the running one may stand still while the machine
 * sleeps. So whoever must not act too late believes the one that says more, whoever must not act too early the other.
 */
export class PassedTime {
  readonly #clock: Clock;
  readonly #elapsedMs: () => number;

  constructor(clock: Clock, elapsedMs: () => number) {
    this.#clock = clock;
    this.#elapsedMs = elapsedMs;
  }

  now(): Moment {
    return { wallMs: this.#clock.now(), runMs: this.#elapsedMs() };
  }

  atMost(since: Moment): number {
    const { wallMs, runMs } = this.now();
    return Math.max(wallMs - since.wallMs, runMs - since.runMs);
  }

  atLeast(since: Moment): number {
    const { wallMs, runMs } = this.now();
    return Math.min(wallMs - since.wallMs, runMs - since.runMs);
  }
}
