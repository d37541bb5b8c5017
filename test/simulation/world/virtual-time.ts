import type { Timer } from "@milo-quota/kubernetes/protocol/clock.ts";

interface Due {
  readonly atMs: number;
  readonly order: number;
  call: (() => void) | undefined;
}

/** Time that passes from one thing that is due to the next, in no time at all. */
export class VirtualTime {
  #nowMs: number;
  #order = 0;
  /** A heap: each is due before the two at twice its place. */
  readonly #due: Due[] = [];

  /** How many turns of the event loop it takes at most until one thing has had all its consequences. */
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

  /** What is due at the same time happens in the order in which it was asked for. */
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
   * Does everything that is due up to then, one thing at a time; all that follows from one by itself happens before the
   * next. `turned` is called after each; once it answers false, no more is done.
   */
  async pass(untilMs: number, turned: () => boolean): Promise<void> {
    for (let next = this.#next(untilMs); next !== undefined; next = this.#next(untilMs)) {
      this.#nowMs = next.atMs;
      next.call?.();
      for (let turn = 0; turn < this.#turns; turn += 1) await everythingSettled();
      if (!turned()) return;
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

/** When promises have nothing more to do. Nothing real is waited for in a simulated world, so that is soon. */
function everythingSettled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
