import { cpSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { ConnectionFailed } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiClient } from "./api-client.ts";
import { RunningProgram } from "./running-program.ts";

/** A copy of the repository, because other tests may build in this one. */
function clone(): string {
  const folder = mkdtempSync(join(tmpdir(), "milo-quota-npm-start-"));
  for (const name of ["packages", "tools", "examples", "package.json", "package-lock.json", "tsconfig.json"]) {
    cpSync(name, join(folder, name), { recursive: true });
  }
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  return folder;
}

describe("npm start", () => {
  let folder: string;
  let npm: RunningProgram | undefined;
  beforeAll(() => {
    folder = clone();
  });
  afterAll(async () => {
    await npm?.end("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });

  it("passes a signal on to the server, which shuts down without leaving processes", async () => {
    npm = new RunningProgram("npm", ["start", "--", "--port", "0"], { cwd: folder });
    expect(await npm.welcome()).toContain("data in .milo-quota");
    const client = ApiClient.byKubeconfig(join(folder, ".milo-quota", "kubeconfig"));
    expect((await client.get("/readyz")).code).toBe(200);
    const { stdout } = await npm.end("SIGTERM");
    expect(stdout).toMatch(/Stopping \.\.\.\n$/);
    await expect(client.get("/readyz")).rejects.toBeInstanceOf(ConnectionFailed);
    await client.close();
  }, 60_000);

  it("rebuilds only after changes", async () => {
    const built = join(folder, "dist", "milo-quota.js");
    const again = async (): Promise<number> => {
      npm = new RunningProgram("npm", ["start", "--", "--port", "0"], { cwd: folder });
      await npm.welcome();
      await npm.end("SIGTERM");
      return statSync(built).mtimeMs;
    };
    const first = await again();
    expect(await again()).toBe(first);
    writeFileSync(join(folder, "packages", "quota", "src", "new.ts"), "export const nothing = 0;\n");
    const second = await again();
    expect(second).toBeGreaterThan(first);
    rmSync(join(folder, "packages", "quota", "src", "new.ts"));
    expect(await again()).toBeGreaterThan(second);
  }, 120_000);
});
