import { describe, expect, it } from "vitest";
import { readGuide } from "./guide.ts";
import { guides, textOf } from "./guide-files.ts";
import { misalignedRows } from "./shown-tables.ts";

describe("a shown table", () => {
  it.each<[name: string, shown: readonly string[], misaligned: readonly string[]]>([
    ["has cells aligned with the start of their headings", ["NAME   AGE", "web    5s"], []],
    [
      "may have cells aligned with the end of their headings, such as numbers",
      ["NAME   LIMIT   USED", "web        3   1"],
      [],
    ],
    ["may have empty cells", ["NAME   RESOURCE   AGE", "web               5s", "web    map        5s"], []],
    ["may have several spaces in its last column", ["NAME   USED", "web    ##--   50%  over"], []],
    ["has no cell between headings", ["NAME   AGE", "web-...   5s"], ["web-...   5s"]],
    ["has no two cells under one heading", ["NAME     AGE", "a  web   5s"], ["a  web   5s"]],
    ["has all rows aligned", ["NAME   AGE", "web    5s", "shop  5s"], ["shop  5s"]],
    ["ends with an empty line", ["NAME   AGE", "", "a  b  c"], []],
    ["ends where lines are skipped", ["NAME   AGE", "...", "a  b  c"], []],
    ["may follow another", ["NAME   AGE", "web    5s", "KIND    AGE", "web    5s"], ["web    5s"]],
    ["requires headings", ["ok       grants         1 active", "ok  claims  0 decided"], []],
  ])("%s", (_name, shown, misaligned) => {
    expect(misalignedRows(shown)).toEqual(misaligned);
  });
});

describe("tables are aligned", () => {
  it.each(guides)("in %s", (guide) => {
    const shown = readGuide(textOf(guide)).flatMap((step) => (step.kind === "command" ? [step.shown] : []));
    expect(shown.flatMap(misalignedRows)).toEqual([]);
  });
});
