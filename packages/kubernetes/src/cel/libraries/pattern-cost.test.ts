import { expect, it } from "vitest";
import { compileCost } from "./pattern-cost.ts";

const table: Record<string, [pattern: string, cost: number]> = {
  "a character costs one instruction": ["abc", 10 + 3],
  "an escape costs one instruction": ["\\d\\.", 10 + 2],
  "a class costs one instruction regardless of its content": ["[a-z{9}\\]]", 10 + 1],
  "a count repeats its operand": ["xa{100}", 10 + 1 + 200],
  "the upper bound counts": ["a{1,100}", 10 + 200],
  "a missing upper bound equals the lower one": ["a{3,}", 10 + 6],
  "counts of groups multiply": ["(a{10}){10}", 10 + 230],
  "a count is limited to a thousand": ["a{99999999999}", 10 + 2_000],
  "groups may be unclosed": ["((a{10}", 10 + 20],
  "groups may be unopened": ["a))b", 10 + 6],
  "sets by property are large": ["\\pL\\P{Greek}", 10 + 10 + 400],
  "wide ranges are expensive if case-insensitive": ["(?i)[b-\\x{10ffff}]", 10 + 5 + 10_000],
  "wide ranges are cheap if case-sensitive": ["[b-\\x{10ffff}]", 10 + 1],
};
it.each(Object.entries(table))("%s", (_, [pattern, cost]) => {
  expect(compileCost(pattern)).toBe(cost);
});
