import { Pool } from "undici";
import { median } from "../interleaved.ts";

export interface Target {
  readonly url: string;
  readonly token: string;
  readonly ca: string;
}

export interface Load {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const kilobyte = "x".repeat(900);
let created = 0;

/** Clients that create ConfigMaps of 1 KB, one after the other, each on its own connection. */
export class Creator {
  readonly #pool: Pool;
  readonly #clients: number;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #path: string;

  constructor({ url, token, ca }: Target, clients: number, namespace = "default") {
    this.#path = `/api/v1/namespaces/${namespace}/configmaps`;
    this.#pool = new Pool(url, { connections: clients, pipelining: 1, connect: { ca } });
    this.#clients = clients;
    this.#headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json",
    };
  }

  /** Creates objects for this long. */
  async run(durationMs: number): Promise<Load> {
    const latencies: number[] = [];
    const start = performance.now();
    const until = start + durationMs;
    await Promise.all(
      Array.from({ length: this.#clients }, async () => {
        while (performance.now() < until) latencies.push(await this.#create());
      }),
    );
    const seconds = (performance.now() - start) / 1_000;
    const sorted = latencies.sort((left, right) => left - right);
    const p99Ms = sorted[Math.floor(sorted.length * 0.99)] as number;
    return { perSecond: latencies.length / seconds, p50Ms: median(sorted), p99Ms };
  }

  /** Creates this many objects, one after the other. */
  async times(count: number): Promise<void> {
    for (let done = 0; done < count; done += 1) await this.#create();
  }

  async #create(): Promise<number> {
    created += 1;
    const object = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: `bench-${created}` },
      data: { text: kilobyte },
    };
    const started = performance.now();
    const { statusCode, body } = await this.#pool.request({
      method: "POST",
      path: this.#path,
      headers: this.#headers,
      body: JSON.stringify(object),
    });
    const answer = await body.text();
    if (statusCode !== 201) throw new Error(`${statusCode}: ${answer.slice(0, 300)}`);
    return performance.now() - started;
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
