import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundle } from "../../tools/bundle.ts";
import { ApiClient } from "./api-client.ts";
import { type ExitResult, RunningProgram } from "./running-program.ts";

const noNetwork = /E(NOTFOUND|AI_AGAIN|CONNREFUSED|CONNRESET|TIMEDOUT|NOTCACHED)/;

/** A built copy of the repository, because other tests may build in this one. */
async function built(folder: string): Promise<void> {
  const { files } = JSON.parse(readFileSync("package.json", "utf8")) as { files: readonly string[] };
  mkdirSync(folder);
  for (const name of ["package.json", ...files.filter((file) => file !== "dist" && existsSync(file))]) {
    cpSync(name, join(folder, name), { recursive: true });
  }
  await bundle(join(folder, "dist", "milo-quota.js"));
}

describe("the package", () => {
  let folder: string;
  let server: RunningProgram | undefined;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "milo-quota-package-"));
  });
  afterAll(async () => {
    await server?.end("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });

  const npm = (cwd: string, ...words: readonly string[]): Promise<ExitResult> =>
    new RunningProgram("npm", [...words, "--loglevel=error"], { cwd }).ending;

  it("runs from the installed package alone", async (context) => {
    const [source, home] = [join(folder, "source"), join(folder, "home")];
    await built(source);
    const packed = await npm(source, "pack", "--ignore-scripts", "--pack-destination", folder);
    expect(packed.code, packed.stderr).toBe(0);
    mkdirSync(home);
    const tarball = join(folder, packed.stdout.trim());
    const flags = ["--prefer-offline", "--no-audit", "--no-fund", "--fetch-retries=1"];
    const installed = await npm(home, "install", ...flags, tarball);
    if (installed.code !== 0 && noNetwork.test(installed.stderr)) context.skip("the npm registry is not reachable");
    expect(installed.code, installed.stderr).toBe(0);

    server = new RunningProgram("npx", ["--no-install", "milo-quota", "up", "--port", "0"], {
      cwd: home,
      isGroup: true,
    });
    expect(await server.welcome()).toContain("data in .milo-quota");
    const client = ApiClient.byKubeconfig(join(home, ".milo-quota", "kubeconfig"));
    const claims = await client.get("/apis/quota.miloapis.com/v1alpha1/resourceclaims");
    await client.close();
    expect([claims.code, claims.body.items]).toEqual([200, []]);
    const output = await new RunningProgram("npx", ["--no-install", "milo-quota", "usage"], { cwd: home }).ending;
    expect(output.code, output.stderr).toBe(0);
    const { stdout } = await server.end("SIGINT");
    expect(stdout).toMatch(/Stopping \.\.\.\n$/);
  });
});
