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

describe("a start that fails half way", () => {
  const cases: Record<string, [options: () => Partial<UpOptions>, says: string]> = {
    "at its socket": [() => ({ port }), "choose another port with --port"],
    "at the port for metrics": [() => ({ metricsPort: port }), "choose another port with --metrics-port"],
  };
  for (const [name, [options, says]] of Object.entries(cases)) {
    it(`${name} stops what it has started, and lets go of its data`, async () => {
      await expect(start(options())).rejects.toThrow(says);
      expect(reported).toEqual([]);
      const system = await start({});
      await system.stop();
      await system.stop();
      expect(reported).toEqual([]);
    });
  }

  it("at the port for metrics closes the socket", async () => {
    await expect(start({ metricsPort: port })).rejects.toThrow("--metrics-port");
    const [, url = ""] = /"server": "([^"]+)"/.exec(readFileSync(join(directory, "kubeconfig"), "utf8")) ?? [];
    expect(url).toMatch(/^https:/);
    await expect(fetch(url)).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
  });
});
