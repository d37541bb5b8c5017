import { expect, it } from "vitest";
import { excerpt } from "./excerpt.ts";

const table: Record<string, [text: string, shown: string]> = {
  "a short text is shown whole": ["abc", "abc"],
  "a text of eighty characters is shown whole": ["a".repeat(80), "a".repeat(80)],
  "a longer text is truncated": ["a".repeat(81), `${"a".repeat(80)}…`],
  "a surrogate pair is never split": [`${"a".repeat(79)}😀b`, `${"a".repeat(79)}…`],
};
it.each(Object.entries(table))("%s", (_, [text, shown]) => {
  expect(excerpt(text)).toBe(shown);
});
