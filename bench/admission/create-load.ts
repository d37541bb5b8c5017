import { Pool } from "undici";
import type { Target } from "../apiserver/load.ts";
import { median } from "../interleaved.ts";
import { configMap, namespaceOf } from "./quota-manifests.ts";

/** Results of one block. */
export interface Load {
  readonly count: number;
  readonly perSecond: number;
  readonly p50Ms: number;
}

let created = 0;

/** Clients that create ConfigMaps of 1 KB over TLS, one after the other, each on its own connection. */
export class CreateLoad {
  readonly #pool: Pool;
  readonly #clients: number;
  readonly #consumers: number;
  readonly #headers: Readonly<Record<string, string>>;

  constructor({ url, token, ca }: Target, clients: number, consumers: number) {
    this.#pool = new Pool(url, { connections: clients, pipelining: 1, connect: { ca } });
    this.#clients = clients;
    this.#consumers = consumers;
    this.#headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json",
    };
  }

  /** Runs for this long and for at least `countMin` creates. */
  async run(durationMs: number, countMin = 0): Promise<Load> {
    const latencies: number[] = [];
    const start = performance.now();
    const isRunning = (): boolean => performance.now() < start + durationMs || latencies.length < countMin;
    await Promise.all(
      Array.from({ length: this.#clients }, async () => {
        while (isRunning()) latencies.push(await this.#create());
      }),
    );
    const seconds = (performance.now() - start) / 1_000;
    return { count: latencies.length, perSecond: latencies.length / seconds, p50Ms: median(latencies) };
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #create(): Promise<number> {
    created += 1;
    const object = configMap(`bench-${process.pid}-${created}`);
    const started = performance.now();
    const { statusCode, body } = await this.#pool.request({
      method: "POST",
      path: `/api/v1/namespaces/${namespaceOf(created % this.#consumers)}/configmaps`,
      headers: this.#headers,
      body: JSON.stringify(object),
    });
    const answer = await body.text();
    if (statusCode !== 201) throw new Error(`${statusCode}: ${answer.slice(0, 300)}`);
    return performance.now() - started;
  }
}
