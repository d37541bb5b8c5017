import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const clone = join(import.meta.dirname, "../..");

/** Pages whose commands the tests run, as paths from the root of the repository. */
export const guides: readonly string[] = [
  "README.md",
  ...readdirSync(join(clone, "docs/guides"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/guides/${name}`),
  "examples/README.md",
];

export const textOf = (guide: string): string => readFileSync(join(clone, guide), "utf8");
