import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundle } from "../../tools/bundle.ts";
import { CliTestEnv } from "./cli-test-env.ts";

const ofServers = /^packages\/(?:apiserver|quota\/src\/(?:admission|controllers|embedded|tenancy))\//;
const ofPackages = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//;

let env: CliTestEnv;
/** The source files in each file of the bundle. */
let sources: ReadonlyMap<string, readonly string[]>;

beforeAll(async () => {
  env = await CliTestEnv.build();
  const { outputs } = await bundle(env.program);
  sources = new Map(Object.entries(outputs).map(([file, { inputs }]) => [basename(file), Object.keys(inputs)]));
});
afterAll(() => env?.stop());

/** The URLs of all scripts that Node loads for a command: its coverage report lists them. */
async function scriptsOf(args: readonly string[]): Promise<readonly string[]> {
  const reports = mkdtempSync(join(env.directory, "coverage-"));
  await env.run(args, { env: { NODE_V8_COVERAGE: reports }, directory: process.cwd() });
  const urls = readdirSync(reports).flatMap((file) => {
    const { result } = JSON.parse(readFileSync(join(reports, file), "utf8")) as { result: readonly { url: string }[] };
    return result.map(({ url }) => url);
  });
  rmSync(reports, { recursive: true });
  return urls;
}

async function loadedBy(args: readonly string[]): Promise<{ ours: readonly string[]; packages: ReadonlySet<string> }> {
  const scripts = await scriptsOf(args);
  const ours = scripts.flatMap((url) => sources.get(basename(url)) ?? []);
  const packages = scripts.flatMap((url) => (sources.has(basename(url)) ? [] : (ofPackages.exec(url)?.[1] ?? [])));
  return { ours, packages: new Set(packages) };
}

describe("the code that Node loads", () => {
  it("for --version is main.ts alone", async () => {
    const { ours, packages } = await loadedBy(["--version"]);
    expect(ours).toEqual(["package.json", "packages/quota/src/main.ts"]);
    expect([...packages]).toEqual([]);
  });

  const nowhere = ["--server", "https://127.0.0.1:1"];
  const tokens = ["packages/quota/src/tenancy/resources/tenancy-names.ts", "packages/quota/src/tenancy/user-token.ts"];
  const commands: Record<string, [source: string, args: readonly string[], ofServers: readonly string[]]> = {
    "the help": ["usage.ts", ["--help"], tokens],
    validate: ["validate.ts", ["validate", "examples"], []],
    render: ["render.ts", ["render", "--policy", "nowhere", "--object", "nowhere"], []],
    usage: ["usage.ts", ["usage", ...nowhere], []],
    explain: ["explain/explain.ts", ["explain", "a-claim", ...nowhere], []],
    "simulate-create": ["simulate/simulate-create.ts", ["simulate-create", "-f", "examples", ...nowhere], []],
    recount: ["recount/recount.ts", ["recount", ...nowhere], []],
    doctor: ["doctor/doctor.ts", ["doctor", ...nowhere], []],
    token: ["token/token.ts", ["token", "list", ...nowhere], tokens],
    export: ["export/export.ts", ["export", ...nowhere], []],
    demo: ["demo/demo.ts", ["demo", ...nowhere], []],
    version: ["version.ts", ["version", ...nowhere], []],
    "the help of up": ["serving/up.ts", ["up", "--help"], []],
  };
  for (const [name, [source, args, expected]] of Object.entries(commands)) {
    it(`for ${name} has ${expected.length === 0 ? "no" : "only token"} code of a server`, async () => {
      const { ours } = await loadedBy(args);
      expect(ours).toContain(`packages/quota/src/cli/${source}`);
      expect(ours.filter((file) => ofServers.test(file)).sort()).toEqual(expected);
    });
  }
});
