import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";

const clone = join(import.meta.dirname, "../..");
const pages = [
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "examples/README.md",
  ...readdirSync(join(clone, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

/** The text of a page without its code blocks. */
const prose = (page: string): string => readFileSync(join(clone, page), "utf8").replaceAll(/^```.*?^```/gms, "");

const headingsOf = (page: string): readonly string[] =>
  [...prose(page).matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) => title);

/** Anchors of headings, as GitHub generates them: lower case, dashes for spaces, without punctuation. */
const anchorsOf = (page: string): readonly string[] =>
  headingsOf(page).map((title) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

interface Link {
  /** Path from the root of the repository. */
  readonly target: string;
  readonly anchor: string | undefined;
  readonly text: string;
}

function linksIn(page: string): readonly Link[] {
  const links = [
    ...prose(page)
      .replaceAll(/`[^`\n]*`/g, "code")
      .matchAll(/\]\(([^()\s]+)\)/g),
  ].map(([, link = ""]) => link);
  return links
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => {
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? page : relative(clone, join(clone, dirname(page), path));
      return { target, anchor, text: link };
    });
}

const isBroken = ({ target, anchor }: Link): boolean =>
  !existsSync(join(clone, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor));

/** Code such as `test/guides/links.test.ts`, which names a file or folder of this repository. */
const pathsIn = (page: string): readonly string[] =>
  [...prose(page).matchAll(/`((?:packages|test|tools|examples|docs|deploy|bench)\/[\w./-]+)`/g)].map(
    ([, path = ""]) => path,
  );

describe("links have a target", () => {
  it.each(pages)("in %s", (page) => {
    expect(linksIn(page).filter(isBroken)).toEqual([]);
    expect(pathsIn(page).filter((path) => !existsSync(join(clone, path)))).toEqual([]);
  });
});

describe("docs/README.md", () => {
  const linked = linksIn("docs/README.md");

  it.each([
    "Install",
    "Configuration",
    "CLI",
    "Errors",
    "Limits",
    "Metrics",
    "Security",
    "Upgrade",
    "Backup",
    "Glossary",
  ])("leads to a heading %s", (topic) => {
    const headings = linked
      .filter(({ target }) => target.endsWith(".md"))
      .flatMap(({ target, anchor }) =>
        headingsOf(target).filter((_, at) => isLinked(anchor, anchorsOf(target)[at], at)),
      );
    expect(headings.some((heading) => heading.startsWith(topic))).toBe(true);
  });

  it("links to every guide", () => {
    const guides = readdirSync(join(clone, "docs/guides")).map((name) => `docs/guides/${name}`);
    const targets = new Set(linked.map(({ target }) => target));
    expect(guides.filter((guide) => !targets.has(guide))).toEqual([]);
  });
});

/** Whether a link leads to this heading: to its anchor, or to the page that it is the title of. */
const isLinked = (linkAnchor: string | undefined, anchor: string | undefined, at: number): boolean =>
  linkAnchor === undefined ? at === 0 : linkAnchor === anchor;
