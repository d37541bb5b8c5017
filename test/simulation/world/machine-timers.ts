import type { Timer } from "@milo-quota/kubernetes/protocol/clock.ts";
import type { MachineClock } from "./machine-clock.ts";
import type { VirtualTime } from "./virtual-time.ts";

interface Waiting {
  /** How far the clock will have run then. */
  readonly dueMs: number;
  readonly call: () => void;
  timer: Timer;
}

/** What waits for its time on a machine, by the clock of the machine, at whatever speed that comes to run. */
export class MachineTimers {
  readonly #time: VirtualTime;
  readonly #clock: MachineClock;
  readonly #waiting = new Set<Waiting>();

  constructor(time: VirtualTime, clock: MachineClock) {
    this.#time = time;
    this.#clock = clock;
  }

  add(delayMs: number, call: () => void): Timer {
    const waiting: Waiting = { dueMs: this.#clock.ranMs + delayMs, call, timer: { stop: () => undefined } };
    this.#waiting.add(waiting);
    this.#arm(waiting);
    return {
      stop: () => {
        this.#waiting.delete(waiting);
        waiting.timer.stop();
      },
    };
  }

  /** The clock runs at another speed from now on. */
  readjust(): void {
    for (const waiting of this.#waiting) {
      waiting.timer.stop();
      this.#arm(waiting);
    }
  }

  /** Of a machine that has crashed, nothing waits. */
  clear(): void {
    for (const { timer } of this.#waiting) timer.stop();
    this.#waiting.clear();
  }

  #arm(waiting: Waiting): void {
    const leftMs = this.#clock.trueDelayMs(waiting.dueMs - this.#clock.ranMs);
    waiting.timer = this.#time.later(Math.max(1, leftMs), () => {
      this.#waiting.delete(waiting);
      waiting.call();
    });
  }
}
