import type { Timer } from "@milo-quota/kubernetes/protocol/clock.ts";
import type { MachineClock } from "./machine-clock.ts";
import type { VirtualTime } from "./virtual-time.ts";

interface PendingTimer {
  /** Local time, as `MachineClock.ranMs`. */
  readonly dueMs: number;
  readonly call: () => void;
  timer: Timer;
}

/** Timers of a machine. They follow the machine's clock when its speed changes. */
export class MachineTimers {
  readonly #time: VirtualTime;
  readonly #clock: MachineClock;
  readonly #pending = new Set<PendingTimer>();

  constructor(time: VirtualTime, clock: MachineClock) {
    this.#time = time;
    this.#clock = clock;
  }

  add(delayMs: number, call: () => void): Timer {
    const pending: PendingTimer = { dueMs: this.#clock.ranMs + delayMs, call, timer: { stop: () => undefined } };
    this.#pending.add(pending);
    this.#arm(pending);
    return {
      stop: () => {
        this.#pending.delete(pending);
        pending.timer.stop();
      },
    };
  }

  /** To be called after a change of the clock's speed. */
  readjust(): void {
    for (const pending of this.#pending) {
      pending.timer.stop();
      this.#arm(pending);
    }
  }

  /** A crash stops all timers. */
  clear(): void {
    for (const { timer } of this.#pending) timer.stop();
    this.#pending.clear();
  }

  #arm(pending: PendingTimer): void {
    const leftMs = this.#clock.trueDelayMs(pending.dueMs - this.#clock.ranMs);
    pending.timer = this.#time.later(Math.max(1, leftMs), () => {
      this.#pending.delete(pending);
      pending.call();
    });
  }
}
