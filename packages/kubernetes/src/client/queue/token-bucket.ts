import type { Clock } from "../../protocol/clock.ts";

export interface TokenRate {
  /** Tokens available at once after a pause. */
  readonly burst: number;
  readonly perSecond: number;
}

/** A token bucket rate limiter. */
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

  /** Takes a token if one is available. */
  take(): boolean {
    this.#fill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Takes tokens in advance; returns the time until they are available. */
  reserve(count = 1): number {
    this.#fill();
    this.#tokens -= count;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.#rate.perSecond) * 1_000;
  }

  /** A clock that is set back neither adds nor removes tokens. */
  #fill(): void {
    const nowMs = this.#clock.now();
    const gained = (Math.max(0, nowMs - this.#atMs) / 1_000) * this.#rate.perSecond;
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + gained);
    this.#atMs = nowMs;
  }
}
