import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { importTable, violationsOf } from "../tools/import-table.ts";

const sources = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => `src/${name.replaceAll("\\", "/")}`);

describe("the import table", () => {
  it("holds for every file", () => {
    expect(sources.flatMap((file) => violationsOf(file, readFileSync(file, "utf8")))).toEqual([]);
  });

  it("names every room there is, and no other", () => {
    const rooms = readdirSync("src", { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(rooms.map((room) => room.name).sort()).toEqual(Object.keys(importTable).sort());
  });

  const planted: Record<string, [file: string, source: string, because: string]> = {
    "core reading the disk": [
      "src/core/ledger/page.ts",
      'import { readFileSync } from "node:fs";',
      "core may not import the package node",
    ],
    "a pure room taking a package": [
      "src/protocol/status.ts",
      'import * as yaml from "yaml";',
      "protocol may not import the package yaml",
    ],
    "policy importing ledger": [
      "src/core/policy/render.ts",
      'import type { Page } from "../ledger/page.ts";',
      "core/policy may not import core/ledger",
    ],
    "ledger importing policy": [
      "src/core/ledger/page.ts",
      'export { render } from "../policy/render.ts";',
      "core/ledger may not import core/policy",
    ],
    "resources importing ledger": [
      "src/core/resources/grant.ts",
      'import { add } from "../ledger/amount.ts";',
      "core/resources may not import core/ledger",
    ],
    "the API server knowing of quota": [
      "src/apiserver/http/server.ts",
      'import {\n  parseResourceClaim,\n} from "../../core/resources/resource-claim.ts";',
      "apiserver may not import core",
    ],
    "storage importing registry": [
      "src/apiserver/storage/log.ts",
      'const kinds = await import("../registry/kinds.ts");',
      "apiserver/storage may not import apiserver/registry",
    ],
    "a controller importing admission": [
      "src/controllers/bucket.ts",
      'import { wait } from "../admission/waiters.ts";',
      "controllers may not import admission",
    ],
    "anything importing main": ["src/cli/up.ts", 'import "../main.ts";', "nothing imports main.ts"],
    "a test importing main": ["test/system/up.test.ts", 'import "../../src/main.ts";', "nothing imports main.ts"],
    "a room reaching into tools": [
      "src/core/resources/crd.ts",
      'import { importTable } from "../../../tools/import-table.ts";',
      "core may not reach outside src",
    ],
  };
  for (const [name, [file, source, because]] of Object.entries(planted)) {
    it(`sees ${name}`, () => {
      expect(violationsOf(file, source).map((violation) => violation.because)).toEqual([because]);
    });
  }

  it("does not take a comment for an import", () => {
    expect(violationsOf("src/core/ledger/page.ts", '// import "node:fs";\n/* import "node:os"; */')).toEqual([]);
  });
});

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
