// Files that a guide shows are the files in examples/guides that its commands name.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readGuide } from "./guide.ts";
import { guides, textOf } from "./guide-files.ts";

const clone = join(import.meta.dirname, "../..");
const filesOf = (guide: string) => readGuide(textOf(guide)).filter((step) => step.kind === "file");
const shown = guides.flatMap(filesOf);

describe("files of guides", () => {
  it.each(guides)("equal their blocks in %s", (guide) => {
    for (const { name, line, text } of filesOf(guide)) {
      expect(readFileSync(join(clone, name), "utf8"), `${guide}:${line}`).toBe(text);
    }
  });

  it("are all shown by a guide", () => {
    const files = readdirSync(join(clone, "examples/guides"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(clone.length + 1));
    expect(files.sort()).toEqual(shown.map(({ name }) => name).sort());
  });

  it("are in a folder with the name of their guide", () => {
    for (const guide of guides) {
      const folder = `examples/guides/${guide.split("/").at(-1)?.replace(".md", "")}/`;
      expect(filesOf(guide).filter(({ name }) => !name.startsWith(folder))).toEqual([]);
    }
  });
});
