import type { Clock } from "../../protocol/clock.ts";

export interface TokenRate {
  /** How many may be taken at once after a rest. */
  readonly burst: number;
  readonly perSecond: number;
}

/** So many a second, and no more; a rest saves some up. */
export class TokenBucket {
  readonly #rate: TokenRate;
  readonly #clock: Clock;
  #tokens: number;
  #atMs: number;

  constructor(rate: TokenRate, clock: Clock) {
    this.#rate = rate;
    this.#clock = clock;
    this.#tokens = rate.burst;
    this.#atMs = clock.now();
  }

  /** Whether there is one to take now. */
  take(): boolean {
    this.#fill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Takes the next ones that will be there; returns how long that is away. */
  reserve(count = 1): number {
    this.#fill();
    this.#tokens -= count;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.#rate.perSecond) * 1_000;
  }

  /** A clock that is set back gives nothing, and takes nothing. */
  #fill(): void {
    const nowMs = this.#clock.now();
    const gained = (Math.max(0, nowMs - this.#atMs) / 1_000) * this.#rate.perSecond;
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + gained);
    this.#atMs = nowMs;
  }
}
