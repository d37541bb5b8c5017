import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import { type Up, type UpOptions, up } from "@milo-quota/quota/embedded/up.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

let directory: string;
let taken: Server;
let port: number;
const reported: string[] = [];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "milo-quota-failed-start-"));
  taken = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => taken.once("listening", resolve));
  port = (taken.address() as AddressInfo).port;
  reported.length = 0;
});
afterEach(async () => {
  await new Promise((resolve) => taken.close(resolve));
  rmSync(directory, { recursive: true, force: true });
});

function start(options: Partial<UpOptions>): Promise<Up> {
  return up({
    directory,
    host: "127.0.0.1",
    port: 0,
    clock: systemClock,
    elapsedMs: () => performance.now(),
    report: (where, error) => reported.push(`${where}: ${error}`),
    ...options,
  });
}

describe("a failed start", () => {
  const cases: Record<string, [options: () => Partial<UpOptions>, message: string]> = {
    "of its listener": [() => ({ port }), "choose another port with --port"],
    "of the metrics port": [() => ({ metricsPort: port }), "choose another port with --metrics-port"],
  };
  for (const [name, [options, message]] of Object.entries(cases)) {
    it(`${name} stops all components and releases the data folder`, async () => {
      await expect(start(options())).rejects.toThrow(message);
      expect(reported).toEqual([]);
      const system = await start({});
      await system.stop();
      await system.stop();
      expect(reported).toEqual([]);
    });
  }

  it("of the metrics port closes the listener", async () => {
    await expect(start({ metricsPort: port })).rejects.toThrow("--metrics-port");
    const [, url = ""] = /"server": "([^"]+)"/.exec(readFileSync(join(directory, "kubeconfig"), "utf8")) ?? [];
    expect(url).toMatch(/^https:/);
    await expect(fetch(url)).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
  });
});
