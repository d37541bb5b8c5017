import type { Clock, Timer } from "./clock.ts";

/** A clock that tests advance. */
export class FakeClock implements Clock {
  #nowMs: number;
  readonly #timers = new Set<{ readonly dueMs: number; readonly call: () => void }>();

  constructor(nowMs = 0) {
    this.#nowMs = nowMs;
  }

  /** Number of pending timers. */
  get waiting(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#nowMs;
  }

  after(delayMs: number, call: () => void): Timer {
    const timer = { dueMs: this.#nowMs + delayMs, call };
    this.#timers.add(timer);
    return { stop: () => this.#timers.delete(timer) };
  }

  /** Advances the time, and runs due timers in order. */
  advance(ms: number): void {
    const endMs = this.#nowMs + ms;
    for (;;) {
      const [next] = [...this.#timers].filter(({ dueMs }) => dueMs <= endMs).sort((a, b) => a.dueMs - b.dueMs);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      next.call();
    }
    this.#nowMs = endMs;
  }
}
