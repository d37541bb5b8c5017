import { pause } from "@milo-quota/kubernetes/client/pause.ts";
import { sharedAbort } from "@milo-quota/kubernetes/client/shared-abort.ts";
import type { Running, Runtime } from "../../views/runtime.ts";

/** So many are looked at in one go; then others have their turn. */
const stride = 500;
const strideMs = 50;

/** Goes through everything there is, from time to time and when asked to, without hurry. */
export class Rounds<Item> implements Running {
  readonly #runtime: Pick<Runtime, "clock" | "random" | "report">;
  readonly #visit: (item: Item) => void;
  readonly #stopped = sharedAbort();
  readonly #running = new Set<Promise<void>>();

  constructor(runtime: Pick<Runtime, "clock" | "random" | "report">, visit: (item: Item) => void) {
    this.#runtime = runtime;
    this.#visit = visit;
  }

  /** Visits all of these, once. What comes or goes meanwhile may be missed: whoever hears of that attends to it. */
  once(items: Iterable<Item>): void {
    this.#run(this.#goThrough(items));
  }

  /** Again and again, until stopped. */
  every(periodMs: number, items: () => Iterable<Item>): void {
    this.#run(this.#repeat(periodMs, items));
  }

  async stop(): Promise<void> {
    this.#stopped.abort(new Error("the rounds were stopped"));
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
      await pause(this.#runtime.clock, delayMs, this.#stopped.signal);
      await this.#goThrough(items());
    }
  }

  async #goThrough(items: Iterable<Item>): Promise<void> {
    let visited = 0;
    for (const item of items) {
      this.#visit(item);
      visited += 1;
      if (visited % stride === 0) await pause(this.#runtime.clock, strideMs, this.#stopped.signal);
    }
  }
}
