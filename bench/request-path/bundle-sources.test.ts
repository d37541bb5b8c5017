import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BundleSources } from "./bundle-sources.ts";

const folder = mkdtempSync(join(tmpdir(), "milo-quota-bundle-sources-"));
const bundled = join(folder, "out", "bundle.js");
const files = {
  "entry.ts": 'import { second } from "./other.ts";\n\nexport function first(): string {\n  return second();\n}\n',
  "other.ts": 'interface Gone {\n  readonly of: string;\n}\n\nexport const second = (): Gone["of"] => "text";\n',
};
let text = "";
let sources: BundleSources;

beforeAll(async () => {
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const banner = { js: "#!/usr/bin/env node" };
  const entryPoints = [join(folder, "entry.ts")];
  await build({ entryPoints, outfile: bundled, bundle: true, format: "esm", banner, sourcemap: "external" });
  text = readFileSync(bundled, "utf8");
  sources = BundleSources.read(bundled);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("BundleSources", () => {
  const cases: Record<string, [at: string, file: string, line: number]> = {
    "finds a function of the entry": ["function first", "entry.ts", 3],
    "finds a function of an imported file, below lines that the compiler dropped": ["() =>", "other.ts", 5],
  };
  for (const [name, [at, file, line]] of Object.entries(cases)) {
    it(name, () => {
      expect(sources.find(text.indexOf(at))).toEqual({ file: relative(process.cwd(), join(folder, file)), line });
    });
  }

  it("finds nothing for code of the bundler", () => {
    expect(sources.find(0)).toBeUndefined();
  });
});
