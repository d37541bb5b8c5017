import { expect, it } from "vitest";
import { excerpt } from "./excerpt.ts";

const table: Record<string, [text: string, shown: string]> = {
  "a short text is shown whole": ["abc", "abc"],
  "so is one of eighty characters": ["a".repeat(80), "a".repeat(80)],
  "a longer one is cut": ["a".repeat(81), `${"a".repeat(80)}…`],
  "no character is cut in half": [`${"a".repeat(79)}😀b`, `${"a".repeat(79)}…`],
};
it.each(Object.entries(table))("%s", (_, [text, shown]) => {
  expect(excerpt(text)).toBe(shown);
});
