import { anyObject, claimsType } from "../../src/controllers/quota-types.ts";
import type { ResourceClient } from "../../src/kube/client/resource-client.ts";
import type { JsonObject } from "../../src/protocol/json-value.ts";
import { median } from "../interleaved.ts";
import { claim, namespace } from "./quota-objects.ts";
import type { QuotaServer } from "./quota-server.ts";

/** What one block of work came to. */
export interface Load {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Durable writes for each claim, its own create not counted. */
  readonly writesEach: number;
  /** Time of all processors for each claim. */
  readonly cpuMsEach: number;
}

export interface Work {
  readonly clients: number;
  readonly durationMs: number;
  /** How many consumers there are to claim for, in turn. */
  readonly consumers: number;
  /** Whether a claim is done when it is decided, or as soon as it is there. */
  readonly until: "decided" | "created";
}

/** Clients that make one claim after the other. What became of their claims they all see on one watch, as services do. */
export class Claimants {
  readonly #server: QuotaServer;
  readonly #claims: ResourceClient<JsonObject>;
  readonly #waiting = new Map<string, () => void>();
  readonly #life = new AbortController();
  #made = 0;

  constructor(server: QuotaServer) {
    this.#server = server;
    this.#claims = server.root.resource(claimsType, anyObject);
  }

  /** Opens the watch; for clients that wait for decisions. */
  watch(): Promise<void> {
    const { transport, server } = this.#server;
    const query = new URLSearchParams({ watch: "true", resourceVersion: String(server.registry.store.revision) });
    const call = this.#claims.collectionCall({ namespace }, query);
    return new Promise((resolve) => {
      const sink = { opened: resolve, line: (text: string) => this.#see(text) };
      transport.stream(call, sink, this.#life.signal).catch(() => undefined);
    });
  }

  stop(): void {
    this.#life.abort(new Error("nobody waits any more"));
  }

  async run(work: Work): Promise<Load> {
    const { store } = this.#server.server.registry;
    const latencies: number[] = [];
    const before = store.revision;
    const [start, cpu] = [performance.now(), process.cpuUsage()];
    const until = start + work.durationMs;
    await Promise.all(
      Array.from({ length: work.clients }, async () => {
        while (performance.now() < until) latencies.push(await this.claim(work));
      }),
    );
    const seconds = (performance.now() - start) / 1_000;
    const { user, system } = process.cpuUsage(cpu);
    const writes = store.revision - before - latencies.length;
    const sorted = latencies.sort((left, right) => left - right);
    return {
      perSecond: latencies.length / seconds,
      p50Ms: median(sorted),
      p99Ms: sorted[Math.floor(sorted.length * 0.99)] as number,
      writesEach: writes / latencies.length,
      cpuMsEach: (user + system) / 1_000 / latencies.length,
    };
  }

  /** Makes one claim; returns how long that took. */
  async claim({ consumers, until }: Pick<Work, "consumers" | "until">): Promise<number> {
    this.#made += 1;
    const name = `claim-${this.#made}`;
    const object = claim(name, this.#made % consumers);
    const started = performance.now();
    const decided = until === "decided" ? this.#decision(name) : undefined;
    await this.#claims.create(object, {}, this.#life.signal);
    await decided;
    return performance.now() - started;
  }

  #decision(name: string): Promise<void> {
    return new Promise((resolve) => this.#waiting.set(name, resolve));
  }

  /** Looks no closer than it has to: it is not the clients that are measured. */
  #see(line: string): void {
    if (!line.includes('"reason":"QuotaAvailable"')) return;
    const name = /"name":"(claim-\d+)"/.exec(line)?.[1] ?? "";
    this.#waiting.get(name)?.();
    this.#waiting.delete(name);
  }
}
