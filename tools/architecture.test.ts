import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { crowdedFolders, cyclesIn, sharedNames, sourcesMax } from "./floor-plan.ts";
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

  it("names every room there is, and no other", () => {
    expect(readdirSync("packages").sort()).toEqual(packages);
    const rooms = ["kubernetes", "quota"].flatMap((name) =>
      readdirSync(`packages/${name}/src`, { withFileTypes: true }).filter((entry) => entry.isDirectory()),
    );
    expect(["apiserver", ...rooms.map((room) => room.name)].sort()).toEqual(Object.keys(importTable).sort());
  });

  const planted: Record<string, [file: string, source: string, because: string]> = {
    "core reading the disk": [
      "packages/quota/src/core/ledger/ledger-bucket.ts",
      'import { readFileSync } from "node:fs";',
      "core may not import the package node",
    ],
    "a pure room taking a package": [
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
    "the API server knowing of quota": [
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
    "a room reaching into tools": [
      "packages/quota/src/core/resources/crd.ts",
      'import { importTable } from "../../../../../tools/import-table.ts";',
      "core may not reach outside the packages",
    ],
    "a source using what is for tests": [
      "packages/apiserver/src/storage/store.ts",
      'import { BlockingLog } from "../../test/blocking-log.ts";',
      "apiserver may not reach outside the packages",
    ],
  };
  for (const [name, [file, source, because]] of Object.entries(planted)) {
    it(`sees ${name}`, () => {
      expect(violationsOf(file, source).map((violation) => violation.because)).toEqual([because]);
    });
  }

  it("lets tests share what is in the test folder of their package", () => {
    const source = 'import { BlockingLog } from "../../test/blocking-log.ts";';
    expect(violationsOf("packages/apiserver/src/storage/store.test.ts", source)).toEqual([]);
  });

  it("does not take a comment for an import", () => {
    expect(
      violationsOf("packages/quota/src/core/ledger/ledger-bucket.ts", '// import "node:fs";\n/* import "node:os"; */'),
    ).toEqual([]);
  });
});

describe("the floor plan", () => {
  it("has no folder with more sources than one takes in at a glance", () => {
    expect(crowdedFolders(sources)).toEqual([]);
  });

  it("sees a folder that is too full, and counts no tests", () => {
    const full = Array.from({ length: sourcesMax + 1 }, (_, at) => `packages/quota/src/core/file-${at}.ts`);
    expect(crowdedFolders(full)).toEqual(["packages/quota/src/core: 26 sources"]);
    expect(crowdedFolders([...full.slice(1), "packages/quota/src/core/file.test.ts"])).toEqual([]);
  });

  it("has no cycle of imports, of types neither", () => {
    expect(cyclesIn(importGraph(new Map(sources.map((file) => [file, readFileSync(file, "utf8")]))))).toEqual([]);
  });

  it("sees a cycle of types, through a package name and over several files", () => {
    const [one, two, three] = ["protocol/one.ts", "client/two.ts", "client/three.ts"].map(
      (file) => `packages/kubernetes/src/${file}`,
    ) as [string, string, string];
    const planted = new Map([
      [one, 'import type { Two } from "@milo-quota/kubernetes/client/two.ts";'],
      [two, 'export { three } from "./three.ts";'],
      [three, 'const one = await import("../protocol/one.ts");'],
      ["packages/quota/src/main.ts", 'import "@milo-quota/kubernetes/protocol/one.ts";'],
    ]);
    expect(cyclesIn(importGraph(planted))).toEqual([[three, two, one]]);
    expect(cyclesIn(importGraph(new Map([...planted, [three, ""]])))).toEqual([]);
  });

  it("has no file name that stands for two things in two packages", () => {
    expect(sharedNames(sources)).toEqual([]);
  });

  it("sees a name that two packages use, and lets one package use it twice", () => {
    const files = ["packages/quota/src/cli/up.ts", "packages/quota/src/embedded/up.ts"];
    expect(sharedNames(files)).toEqual([]);
    expect(sharedNames([...files, "packages/apiserver/src/up.ts"])).toEqual(["up.ts: apiserver, quota"]);
  });
});

function importGraph(texts: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> {
  return new Map(
    [...texts].map(([file, text]) => [file, importsOf(text).flatMap((path) => targetOf(file, path) ?? [])]),
  );
}

describe("the package that is published", () => {
  it("asks for what the packages in it ask for", () => {
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
  it("keeps files under 400 lines, or says why on the first line", () => {
    const long = sources.filter((file) => {
      const lines = readFileSync(file, "utf8").split("\n");
      return !file.endsWith(".test.ts") && lines.length > 400 && !lines[0]?.startsWith("// Long because");
    });
    expect(long).toEqual([]);
  });

  it("gives files names that say something", () => {
    const vague = /(^|\/)(utils?|helpers?|common|misc|types|base|manager|index)\.ts$/;
    expect(sources.filter((file) => vague.test(file))).toEqual([]);
  });
});
