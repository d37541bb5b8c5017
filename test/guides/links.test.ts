import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";

const clone = join(import.meta.dirname, "../..");
const pages = [
  "README.md",
  "CONTRIBUTING.md",
  "examples/README.md",
  ...readdirSync(join(clone, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

/** What a page says, without what it shows. */
const prose = (page: string): string => readFileSync(join(clone, page), "utf8").replaceAll(/^```.*?^```/gms, "");

/** Marks of headings, as they are made on the web: small letters, blanks as dashes, punctuation left out. */
const marksOf = (page: string): readonly string[] =>
  [...prose(page).matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

function brokenLinks(page: string): readonly string[] {
  const links = [
    ...prose(page)
      .replaceAll(/`[^`\n]*`/g, "code")
      .matchAll(/\]\(([^()\s]+)\)/g),
  ].map(([, link = ""]) => link);
  return links
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [path = "", mark] = link.split("#");
      const target = path === "" ? page : relative(clone, join(clone, dirname(page), path));
      if (!existsSync(join(clone, target))) return true;
      return mark !== undefined && !marksOf(target).includes(mark);
    });
}

describe("links lead somewhere", () => {
  it.each(pages)("in %s", (page) => {
    expect(brokenLinks(page)).toEqual([]);
  });
});
