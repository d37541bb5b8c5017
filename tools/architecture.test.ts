import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ambiguousNames, cyclesIn, largeFolders, sourcesMax } from "./folder-rules.ts";
import { importsOf, importTable, targetOf, violationsOf } from "./import-table.ts";

const packages = ["apiserver", "kubernetes", "quota"];
const sources = packages.flatMap((name) =>
  readdirSync(`packages/${name}/src`, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => `packages/${name}/src/${file.replaceAll("\\", "/")}`),
);

describe("the import table", () => {
  it("holds for every file", () => {
    expect(sources.flatMap((file) => violationsOf(file, readFileSync(file, "utf8")))).toEqual([]);
  });

  it("lists exactly the existing modules", () => {
    expect(readdirSync("packages").sort()).toEqual(packages);
    const folders = ["kubernetes", "quota"].flatMap((name) =>
      readdirSync(`packages/${name}/src`, { withFileTypes: true }).filter((entry) => entry.isDirectory()),
    );
    expect(["apiserver", ...folders.map((folder) => folder.name)].sort()).toEqual(Object.keys(importTable).sort());
  });

  const forbidden: Record<string, [file: string, source: string, because: string]> = {
    "core reading the disk": [
      "packages/quota/src/core/ledger/ledger-bucket.ts",
      'import { readFileSync } from "node:fs";',
      "core may not import the package node",
    ],
    "a pure module importing a package": [
      "packages/kubernetes/src/protocol/status.ts",
      'import * as yaml from "yaml";',
      "protocol may not import the package yaml",
    ],
    "policy importing ledger": [
      "packages/quota/src/core/policy/render.ts",
      'import type { LedgerBucket } from "../ledger/ledger-bucket.ts";',
      "core/policy may not import core/ledger",
    ],
    "ledger importing policy": [
      "packages/quota/src/core/ledger/ledger-bucket.ts",
      'export { render } from "../policy/render.ts";',
      "core/ledger may not import core/policy",
    ],
    "resources importing ledger": [
      "packages/quota/src/core/resources/grant.ts",
      'import { add } from "../ledger/amount.ts";',
      "core/resources may not import core/ledger",
    ],
    "the API server importing quota": [
      "packages/apiserver/src/http/server.ts",
      'import {\n  parseResourceClaim,\n} from "@milo-quota/quota/core/resources/resource-claim.ts";',
      "apiserver may not import core",
    ],
    "storage importing registry": [
      "packages/apiserver/src/storage/log.ts",
      'const kinds = await import("../registry/kinds.ts");',
      "apiserver/storage may not import apiserver/registry",
    ],
    "a controller importing admission": [
      "packages/quota/src/controllers/bucket.ts",
      'import { wait } from "../admission/waiters.ts";',
      "controllers may not import admission",
    ],
    "anything importing main": [
      "packages/quota/src/cli/serving/up.ts",
      'import "../../main.ts";',
      "nothing imports main.ts",
    ],
    "a test importing main": [
      "test/system/up.test.ts",
      'import "../../packages/quota/src/main.ts";',
      "nothing imports main.ts",
    ],
    "a module importing tools": [
      "packages/quota/src/core/resources/crd.ts",
      'import { importTable } from "../../../../../tools/import-table.ts";',
      "core may not reach outside the packages",
    ],
    "a source importing test code": [
      "packages/apiserver/src/storage/store.ts",
      'import { BlockingLog } from "../../test/blocking-log.ts";',
      "apiserver may not reach outside the packages",
    ],
  };
  for (const [name, [file, source, because]] of Object.entries(forbidden)) {
    it(`forbids ${name}`, () => {
      expect(violationsOf(file, source).map((violation) => violation.because)).toEqual([because]);
    });
  }

  it("allows tests to import the test folder of their package", () => {
    const source = 'import { BlockingLog } from "../../test/blocking-log.ts";';
    expect(violationsOf("packages/apiserver/src/storage/store.test.ts", source)).toEqual([]);
  });

  it("ignores imports in comments", () => {
    expect(
      violationsOf("packages/quota/src/core/ledger/ledger-bucket.ts", '// import "node:fs";\n/* import "node:os"; */'),
    ).toEqual([]);
  });
});

describe("folders and files", () => {
  it("have at most 25 sources per folder", () => {
    expect(largeFolders(sources)).toEqual([]);
  });

  it("report a folder with too many sources, without counting tests", () => {
    const full = Array.from({ length: sourcesMax + 1 }, (_, at) => `packages/quota/src/core/file-${at}.ts`);
    expect(largeFolders(full)).toEqual(["packages/quota/src/core: 26 sources"]);
    expect(largeFolders([...full.slice(1), "packages/quota/src/core/file.test.ts"])).toEqual([]);
  });

  it("have no import cycles, type imports included", () => {
    expect(cyclesIn(importGraph(new Map(sources.map((file) => [file, readFileSync(file, "utf8")]))))).toEqual([]);
  });

  it("report a cycle through type imports, package names and several files", () => {
    const [one, two, three] = ["protocol/one.ts", "client/two.ts", "client/three.ts"].map(
      (file) => `packages/kubernetes/src/${file}`,
    ) as [string, string, string];
    const texts = new Map([
      [one, 'import type { Two } from "@milo-quota/kubernetes/client/two.ts";'],
      [two, 'export { three } from "./three.ts";'],
      [three, 'const one = await import("../protocol/one.ts");'],
      ["packages/quota/src/main.ts", 'import "@milo-quota/kubernetes/protocol/one.ts";'],
    ]);
    expect(cyclesIn(importGraph(texts))).toEqual([[three, two, one]]);
    expect(cyclesIn(importGraph(new Map([...texts, [three, ""]])))).toEqual([]);
  });

  it("have no file name in two packages", () => {
    expect(ambiguousNames(sources)).toEqual([]);
  });

  it("report a file name in two packages, but not twice in one package", () => {
    const files = ["packages/quota/src/cli/up.ts", "packages/quota/src/embedded/up.ts"];
    expect(ambiguousNames(files)).toEqual([]);
    expect(ambiguousNames([...files, "packages/apiserver/src/up.ts"])).toEqual(["up.ts: apiserver, quota"]);
  });
});

function importGraph(texts: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> {
  return new Map(
    [...texts].map(([file, text]) => [file, importsOf(text).flatMap((path) => targetOf(file, path) ?? [])]),
  );
}

describe("the published package", () => {
  it("has the dependencies of the packages that it bundles", () => {
    const published = dependenciesOf("package.json");
    const theirs = packages.map((name) => dependenciesOf(`packages/${name}/package.json`));
    const others = theirs.flat().filter(([name]) => !name.startsWith("@milo-quota/"));
    expect(Object.fromEntries(others)).toEqual(Object.fromEntries(published));
  });
});

function dependenciesOf(file: string): readonly (readonly [name: string, version: string])[] {
  const { dependencies } = JSON.parse(readFileSync(file, "utf8")) as { dependencies: Record<string, string> };
  return Object.entries(dependencies);
}

describe("the style of files", () => {
  it("limits files to 400 lines, unless the first line gives a reason", () => {
    const long = sources.filter((file) => {
      const lines = readFileSync(file, "utf8").split("\n");
      return !file.endsWith(".test.ts") && lines.length > 400 && !lines[0]?.startsWith("// Long because");
    });
    expect(long).toEqual([]);
  });

  it("forbids vague file names", () => {
    const vague = /(^|\/)(utils?|helpers?|common|misc|types|base|manager|index)\.ts$/;
    expect(sources.filter((file) => vague.test(file))).toEqual([]);
  });
});
