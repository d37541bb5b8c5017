import type { Timer } from "@milo-quota/kubernetes/protocol/clock.ts";

interface Due {
  readonly atMs: number;
  readonly order: number;
  call: (() => void) | undefined;
}

/** Virtual time: jumps from one due event to the next. */
export class VirtualTime {
  #nowMs: number;
  #order = 0;
  /** Binary heap by time, then order. */
  readonly #due: Due[] = [];

  /** Turns of the event loop after each event, enough for all its consequences. */
  readonly #turns: number;

  constructor(startMs: number, turns = 1) {
    this.#nowMs = startMs;
    this.#turns = turns;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  later(delayMs: number, call: () => void): Timer {
    return this.at(this.#nowMs + delayMs, call);
  }

  /** Events of the same time happen in the order in which they were scheduled. */
  at(atMs: number, call: () => void): Timer {
    const due: Due = { atMs: Math.max(this.#nowMs, atMs), order: this.#order++, call };
    this.#push(due);
    return {
      stop: () => {
        due.call = undefined;
      },
    };
  }

  /**
   * Runs all events up to a time, each with all its consequences before the next. Calls `onTurn` after each event and stops
   * when it returns false.
   */
  async advance(untilMs: number, onTurn: () => boolean): Promise<void> {
    for (let next = this.#next(untilMs); next !== undefined; next = this.#next(untilMs)) {
      this.#nowMs = next.atMs;
      next.call?.();
      for (let turn = 0; turn < this.#turns; turn += 1) await nextTurn();
      if (!onTurn()) return;
    }
    this.#nowMs = untilMs;
  }

  #next(untilMs: number): Due | undefined {
    for (let first = this.#due[0]; first !== undefined && first.atMs <= untilMs; first = this.#due[0]) {
      this.#shift();
      if (first.call !== undefined) return first;
    }
    return undefined;
  }

  #push(due: Due): void {
    const heap = this.#due;
    let at = heap.length;
    heap.push(due);
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!isBefore(due, heap[above] as Due)) break;
      heap[at] = heap[above] as Due;
      at = above;
    }
    heap[at] = due;
  }

  #shift(): void {
    const heap = this.#due;
    const last = heap.pop() as Due;
    if (heap.length === 0) return;
    let at = 0;
    for (let below = 1; below < heap.length; below = 2 * at + 1) {
      if (below + 1 < heap.length && isBefore(heap[below + 1] as Due, heap[below] as Due)) below += 1;
      if (!isBefore(heap[below] as Due, last)) break;
      heap[at] = heap[below] as Due;
      at = below;
    }
    heap[at] = last;
  }
}

function isBefore(one: Due, other: Due): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}

/** Promises settle within one turn of the event loop, because simulated programs never wait for real I/O. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
