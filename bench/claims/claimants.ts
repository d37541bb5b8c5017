import { median } from "../interleaved.ts";
import type { Door } from "./door.ts";
import { claim } from "./quota-objects.ts";

/** What one block of work came to. */
export interface Load {
  readonly count: number;
  readonly perSecond: number;
  readonly p50Ms: number;
}

export interface Work {
  readonly clients: number;
  /** For so long, and at least for so many claims. */
  readonly durationMs: number;
  readonly countMin?: number;
  /** How many consumers there are to claim for, in turn. */
  readonly consumers: number;
  /** Whether a claim is done when it is decided, or as soon as it is there. */
  readonly until: "decided" | "created";
}

let made = 0;

/** Clients that make one claim after the other. What became of their claims they all see on one watch, as services do. */
export class Claimants {
  readonly #door: Door;
  readonly #waiting = new Map<string, () => void>();
  /** Of this process, among others that claim from the same server. */
  readonly #prefix = `claim-${process.pid}`;

  constructor(door: Door) {
    this.#door = door;
  }

  /** Opens the watch; for clients that wait for decisions. */
  watch(): Promise<void> {
    return this.#door.watch((name) => this.#granted(name));
  }

  async run(work: Work): Promise<Load> {
    const latencies: number[] = [];
    const start = performance.now();
    const { countMin = 0, durationMs } = work;
    const goesOn = (): boolean => performance.now() < start + durationMs || latencies.length < countMin;
    await Promise.all(
      Array.from({ length: work.clients }, async () => {
        while (goesOn()) latencies.push(await this.claim(work));
      }),
    );
    const seconds = (performance.now() - start) / 1_000;
    return { count: latencies.length, perSecond: latencies.length / seconds, p50Ms: median(latencies) };
  }

  /** Makes one claim; returns how long that took. */
  async claim({ consumers, until }: Pick<Work, "consumers" | "until">): Promise<number> {
    made += 1;
    const name = `${this.#prefix}-${made}`;
    const object = claim(name, made % consumers);
    const started = performance.now();
    const decided = until === "decided" ? this.#decision(name) : undefined;
    await this.#door.create(object);
    await decided;
    return performance.now() - started;
  }

  #decision(name: string): Promise<void> {
    return new Promise((resolve) => this.#waiting.set(name, resolve));
  }

  #granted(name: string): void {
    this.#waiting.get(name)?.();
    this.#waiting.delete(name);
  }
}
