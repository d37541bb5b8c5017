import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path/posix";
import { describe, expect, it } from "vitest";

const page = readFileSync("docs/tour.md", "utf8");

interface CodeLink {
  readonly name: string;
  readonly path: string;
}

/** Links whose text is code: each names a file, a folder or a declaration in the linked file. */
const linksIn = (text: string): readonly CodeLink[] =>
  [...text.matchAll(/\[`([^`]+)`\]\(([^)\s]+)\)/g)].map(([, name = "", path = ""]) => ({ name, path }));

/** A name with a slash or a dot is that of the file; any other must be exported by it. */
function leadsTo({ name, path }: CodeLink): boolean {
  const file = join("docs", path);
  if (!existsSync(file)) return false;
  if (statSync(file).isDirectory() || /[/.]/.test(name)) return file.endsWith(name);
  return new RegExp(`export (const|class|function|async function|interface|type) ${name}\\b`).test(
    readFileSync(file, "utf8"),
  );
}

describe("docs/tour.md", () => {
  it("links to existing files and declarations", () => {
    expect(linksIn(page).filter((link) => !leadsTo(link))).toEqual([]);
    expect(linksIn(page).length).toBeGreaterThan(30);
  });

  it.each([
    ["a missing file", "[`settle`](../packages/quota/src/core/ledger/settled.ts)"],
    ["a file without the name", "[`BucketWriter`](../packages/quota/src/core/ledger/settle.ts)"],
    ["a folder with another name", "[`core/rules`](../packages/quota/src/core/policy)"],
  ])("detects a link to %s", (_, link) => {
    expect(linksIn(link).filter((each) => !leadsTo(each))).toHaveLength(1);
  });
});
