import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { edited } from "./mutation.ts";
import { mutationNamed, mutations } from "./mutations.ts";

const planted = { file: "src/sum.ts", find: "a - b", replace: "a + b" };

describe("a planted mistake", () => {
  it("replaces what it was made for", () => {
    expect(edited(planted, "return a - b;")).toBe("return a + b;");
  });

  it("is loud when that is no longer there, or there twice", () => {
    expect(() => edited(planted, "return a * b;")).toThrow("occurs 0 times in src/sum.ts");
    expect(() => edited(planted, "a - b; a - b")).toThrow("occurs 2 times in src/sum.ts");
  });

  it("takes what it puts there as it is", () => {
    expect(edited({ ...planted, replace: "$& $1" }, "a - b")).toBe("$& $1");
  });

  it("is asked for by a name that exists", () => {
    expect(() => mutationNamed("none such")).toThrow('there is no mutation called "none such"');
  });

  for (const { name, edits } of mutations) {
    it(`can still be made: ${name}`, async () => {
      for (const edit of edits) {
        const source = await readFile(edit.file, "utf8");
        expect(edited(edit, source)).not.toBe(source);
      }
    });
  }
});
