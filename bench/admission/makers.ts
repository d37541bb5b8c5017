import { Pool } from "undici";
import type { Target } from "../apiserver/load.ts";
import { median } from "../interleaved.ts";
import { configMap, namespaceOf } from "./quota-manifests.ts";

/** What one block of work came to. */
export interface Load {
  readonly count: number;
  readonly perSecond: number;
  readonly p50Ms: number;
}

let made = 0;

/** Clients that create config maps of 1 KB over TLS, one after the other, each on a connection of its own. */
export class Makers {
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

  /** For so long, and at least so many. */
  async run(durationMs: number, countMin = 0): Promise<Load> {
    const latencies: number[] = [];
    const start = performance.now();
    const goesOn = (): boolean => performance.now() < start + durationMs || latencies.length < countMin;
    await Promise.all(
      Array.from({ length: this.#clients }, async () => {
        while (goesOn()) latencies.push(await this.#make());
      }),
    );
    const seconds = (performance.now() - start) / 1_000;
    return { count: latencies.length, perSecond: latencies.length / seconds, p50Ms: median(latencies) };
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #make(): Promise<number> {
    made += 1;
    const object = configMap(`bench-${process.pid}-${made}`);
    const started = performance.now();
    const { statusCode, body } = await this.#pool.request({
      method: "POST",
      path: `/api/v1/namespaces/${namespaceOf(made % this.#consumers)}/configmaps`,
      headers: this.#headers,
      body: JSON.stringify(object),
    });
    const answer = await body.text();
    if (statusCode !== 201) throw new Error(`${statusCode}: ${answer.slice(0, 300)}`);
    return performance.now() - started;
  }
}
