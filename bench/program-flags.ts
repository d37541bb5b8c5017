import { readFileSync } from "node:fs";

/** How `npm start` runs the program: with room for what a busy server makes and throws away at once. */
export function programFlags(): readonly string[] {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as {
    readonly scripts: { readonly start: string };
  };
  return scripts.start.match(/--max-[a-z-]+=[0-9]+/g) ?? [];
}
