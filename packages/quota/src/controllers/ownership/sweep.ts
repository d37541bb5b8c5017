import { lightAbortController } from "@milo-quota/kubernetes/client/light-abort-controller.ts";
import { sleep } from "@milo-quota/kubernetes/client/sleep.ts";
import type { Running, Runtime } from "../../views/runtime.ts";

/** Items visited before the event loop gets a turn. */
const sliceSize = 500;
const slicePauseMs = 50;

/** Visits all items periodically or on request, in slices that leave the event loop time for other work. */
export class Sweep<Item> implements Running {
  readonly #runtime: Pick<Runtime, "clock" | "random" | "report">;
  readonly #visit: (item: Item) => void;
  readonly #stopped = lightAbortController();
  readonly #running = new Set<Promise<void>>();

  constructor(runtime: Pick<Runtime, "clock" | "random" | "report">, visit: (item: Item) => void) {
    this.#runtime = runtime;
    this.#visit = visit;
  }

  /** Visits these items once. May miss items that are added meanwhile; their events are handled anyway. */
  once(items: Iterable<Item>): void {
    this.#run(this.#visitAll(items));
  }

  /** Visits all items periodically, until stopped. */
  every(periodMs: number, items: () => Iterable<Item>): void {
    this.#run(this.#repeat(periodMs, items));
  }

  async stop(): Promise<void> {
    this.#stopped.abort(new Error("the sweep was stopped"));
    await Promise.all(this.#running);
  }

  #run(work: Promise<void>): void {
    const running: Promise<void> = work
      .catch((error: unknown) => {
        if (!this.#stopped.signal.aborted) this.#runtime.report("ownership sweep", error);
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #repeat(periodMs: number, items: () => Iterable<Item>): Promise<void> {
    for (;;) {
      const delayMs = periodMs * (1 + this.#runtime.random.fraction() / 4);
      await sleep(this.#runtime.clock, delayMs, this.#stopped.signal);
      await this.#visitAll(items());
    }
  }

  async #visitAll(items: Iterable<Item>): Promise<void> {
    let visited = 0;
    for (const item of items) {
      this.#visit(item);
      visited += 1;
      if (visited % sliceSize === 0) await sleep(this.#runtime.clock, slicePauseMs, this.#stopped.signal);
    }
  }
}
