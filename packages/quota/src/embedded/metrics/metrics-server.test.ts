import { afterEach, describe, expect, it } from "vitest";
import { Metrics } from "../../telemetry/metrics.ts";
import { type MetricsServer, serveMetrics } from "./metrics-server.ts";
import { Scrapes } from "./scrapes.ts";

const servers: MetricsServer[] = [];

async function server(fault?: string, unready = fault): Promise<MetricsServer> {
  const text = async (): Promise<string> => "up 1\n";
  const made = await serveMetrics({ port: 0, text, fault: () => fault, unready: () => unready });
  servers.push(made);
  return made;
}

afterEach(async () => {
  for (const made of servers.splice(0)) await made.stop();
});

const responses: Record<string, [method: string, path: string, code: number, body: string]> = {
  "serves metrics": ["GET", "/metrics", 200, "up 1\n"],
  "serves metrics with a query": ["GET", "/metrics?name=up", 200, "up 1\n"],
  "is healthy": ["GET", "/healthz", 200, "ok"],
  "is alive": ["GET", "/livez", 200, "ok"],
  "is ready": ["GET", "/readyz", 200, "ok"],
  "serves nothing else": ["GET", "/api", 404, "404 page not found\n"],
  "is read-only": ["POST", "/metrics", 405, "405 method not allowed\n"],
};

describe("the metrics port", () => {
  it.each(Object.entries(responses))("%s", async (_, [method, path, code, body]) => {
    const response = await fetch(`${(await server()).url}${path}`, { method });
    expect([response.status, await response.text()]).toEqual([code, body]);
  });

  it("listens on localhost only", async () => {
    expect((await server()).url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  it("tells why the server is unhealthy", async () => {
    const response = await fetch(`${(await server("the disk failed")).url}/readyz`);
    expect([response.status, await response.text()]).toEqual([500, "unhealthy: the disk failed\n"]);
  });

  it("is not ready, but healthy, while not all writes are stored", async () => {
    const { url } = await server(undefined, "the disk is full");
    const [ready, live] = await Promise.all([fetch(`${url}/readyz`), fetch(`${url}/livez`)]);
    expect([ready.status, await ready.text(), live.status]).toEqual([500, "unhealthy: the disk is full\n", 200]);
  });

  it("that is in use is an error that names the flag to change it", async () => {
    const port = Number(new URL((await server()).url).port);
    const second = serveMetrics({ port, text: async () => "", fault: () => undefined, unready: () => undefined });
    await expect(second).rejects.toThrow(
      `port ${port} of 127.0.0.1 is in use by another program; stop that program, or choose another port with --metrics-port`,
    );
  });
});

describe("scrapes", () => {
  function slow() {
    let [calls, release] = [0, (_: string): void => undefined];
    const metrics = new Metrics(() => undefined);
    metrics.add({
      text: () => {
        calls += 1;
        return new Promise((resolve) => {
          release = resolve;
        });
      },
    });
    return { scrapes: new Scrapes(metrics), calls: () => calls, finish: () => release("done 1\n") };
  }

  it("share one result when concurrent", async () => {
    const { scrapes, calls, finish } = slow();
    const both = [scrapes.text(), scrapes.text()];
    await new Promise((resolve) => setImmediate(resolve));
    finish();
    expect(await Promise.all(both)).toEqual(["done 1\n", "done 1\n"]);
    expect(calls()).toBe(1);
  });

  it("are gathered anew one after the other", async () => {
    const { scrapes, calls, finish } = slow();
    for (let times = 0; times < 2; times += 1) {
      const text = scrapes.text();
      await new Promise((resolve) => setImmediate(resolve));
      finish();
      await text;
    }
    expect(calls()).toBe(2);
  });
});
