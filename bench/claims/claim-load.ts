import { median } from "../interleaved.ts";
import type { ClaimClient } from "./claim-client.ts";
import { claim } from "./quota-objects.ts";

/** Results of one block. */
export interface Load {
  readonly count: number;
  readonly perSecond: number;
  readonly p50Ms: number;
}

export interface Work {
  readonly clients: number;
  /** Runs for this long and for at least `countMin` claims. */
  readonly durationMs: number;
  readonly countMin?: number;
  /** Number of consumers, claimed for in turn. */
  readonly consumers: number;
  /** Whether a client waits for the decision or only for the create. */
  readonly until: "decided" | "created";
}

let created = 0;

/** Clients that create one claim after the other. They share one watch for the decisions, as services do. */
export class ClaimLoad {
  readonly #client: ClaimClient;
  readonly #waiting = new Map<string, () => void>();
  /** Distinguishes processes that create claims on the same server. */
  readonly #prefix = `claim-${process.pid}`;

  constructor(client: ClaimClient) {
    this.#client = client;
  }

  /** Opens the watch. Required for clients that wait for decisions. */
  watch(): Promise<void> {
    return this.#client.watch((name) => this.#granted(name));
  }

  async run(work: Work): Promise<Load> {
    const latencies: number[] = [];
    const start = performance.now();
    const { countMin = 0, durationMs } = work;
    const isRunning = (): boolean => performance.now() < start + durationMs || latencies.length < countMin;
    await Promise.all(
      Array.from({ length: work.clients }, async () => {
        while (isRunning()) latencies.push(await this.claim(work));
      }),
    );
    const seconds = (performance.now() - start) / 1_000;
    return { count: latencies.length, perSecond: latencies.length / seconds, p50Ms: median(latencies) };
  }

  /** Creates one claim and returns the latency in milliseconds. */
  async claim({ consumers, until }: Pick<Work, "consumers" | "until">): Promise<number> {
    created += 1;
    const name = `${this.#prefix}-${created}`;
    const object = claim(name, created % consumers);
    const started = performance.now();
    const decided = until === "decided" ? this.#decision(name) : undefined;
    await this.#client.create(object);
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
