import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { applyEdit } from "./mutation.ts";
import { mutationNamed, mutations } from "./mutations.ts";

const applied = { file: "src/sum.ts", find: "a - b", replace: "a + b" };

describe("a mutation", () => {
  it("replaces the quoted source", () => {
    expect(applyEdit(applied, "return a - b;")).toBe("return a + b;");
  });

  it("throws if the quoted source is missing or ambiguous", () => {
    expect(() => applyEdit(applied, "return a * b;")).toThrow("occurs 0 times in src/sum.ts");
    expect(() => applyEdit(applied, "a - b; a - b")).toThrow("occurs 2 times in src/sum.ts");
  });

  it("inserts the replacement literally", () => {
    expect(applyEdit({ ...applied, replace: "$& $1" }, "a - b")).toBe("$& $1");
  });

  it("cannot be selected by an unknown name", () => {
    expect(() => mutationNamed("none such")).toThrow('there is no mutation called "none such"');
  });

  for (const { name, edits } of mutations) {
    it(`still applies to the source: ${name}`, async () => {
      for (const edit of edits) {
        const source = await readFile(edit.file, "utf8");
        expect(applyEdit(edit, source)).not.toBe(source);
      }
    });
  }
});
