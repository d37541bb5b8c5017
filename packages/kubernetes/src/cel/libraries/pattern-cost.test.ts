import { expect, it } from "vitest";
import { compileCost } from "./pattern-cost.ts";

const table: Record<string, [pattern: string, cost: number]> = {
  "a character is an instruction": ["abc", 10 + 3],
  "so is an escape": ["\\d\\.", 10 + 2],
  "so is a class, whatever it holds": ["[a-z{9}\\]]", 10 + 1],
  "a count repeats what it follows": ["xa{100}", 10 + 1 + 200],
  "the upper bound counts": ["a{1,100}", 10 + 200],
  "no upper bound is the lower one": ["a{3,}", 10 + 6],
  "counts of groups multiply": ["(a{10}){10}", 10 + 230],
  "no count is larger than a thousand": ["a{99999999999}", 10 + 2_000],
  "groups may stay open": ["((a{10}", 10 + 20],
  "groups may close what was never opened": ["a))b", 10 + 6],
  "sets by property are large": ["\\pL\\P{Greek}", 10 + 10 + 400],
  "wide ranges are dear if case does not matter": ["(?i)[b-\\x{10ffff}]", 10 + 5 + 10_000],
  "and cheap if it does": ["[b-\\x{10ffff}]", 10 + 1],
};
it.each(Object.entries(table))("%s", (_, [pattern, cost]) => {
  expect(compileCost(pattern)).toBe(cost);
});
