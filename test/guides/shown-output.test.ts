import { describe, expect, it } from "vitest";
import { printsAsShown, showsFailure } from "./shown-output.ts";

describe("the output in a guide", () => {
  it.each<[name: string, shown: readonly string[], printed: string, same: boolean]>([
    ["matches equal output", ["project created"], "project created\n", true],
    ["may have other line breaks", ["a rejection", "with numbers"], "a rejection with numbers\n", true],
    ["may have other column widths", ["NAME  AGE"], "NAME        AGE\n", true],
    ["may not omit a word", ["project created"], "project web created\n", false],
    ["may not omit the end", ["one"], "one\ntwo\n", false],
    ["may not omit the start", ["two"], "one\ntwo\n", false],
    ["may not show lines that were not printed", ["one", "two"], "one\n", false],
    ["is empty for empty output", [], "\n", true],
    ["may not be empty for other output", [], "surprise\n", false],
    ["is not a regular expression", ["a.c (b)"], "abc (b)\n", false],
    ["skips lines", ["a", "...", "d"], "a\nb\nc\nd\n", true],
    ["skips zero lines", ["a", "...", "d"], "a\nd\n", true],
    ["skips to the end", ["a", "..."], "a\nb\nc\n", true],
    ["skips words", ["a ... d"], "a b c d\n", true],
    ["skips the rest of a line", ["a ...", "d"], "a b c\nd\n", true],
    ["skips words of one line only", ["a ... d"], "a b\nc d\n", false],
    ["skips part of a word", ["claim/web-... created"], "claim/web-x7 created\n", true],
    ["skips part of one word only", ["claim/web-... created"], "claim/web-x7 was created\n", false],
    ["matches any age at the end of a line", ["web  5s"], "web  2m10s\n", true],
    ["matches ages at the end of a line only", ["5s web"], "6s web\n", false],
    ["matches any time", ["at: '2026-01-31T12:00:00Z',"], "at: '2027-12-01T01:02:03Z',\n", true],
    ["requires a time where it shows one", ["at 2026-01-31T12:00:00Z"], "at noon\n", false],
    ["requires an age where it shows one", ["web 5s"], "web soon\n", false],
  ])("%s", (_name, shown, printed, same) => {
    expect(printsAsShown(shown, printed)).toBe(same);
  });

  it.each<[shown: string, fails: boolean]>([
    ["Error from server (Forbidden): no", true],
    ['error: no context exists with the name: "x"', true],
    ['The ResourceClaim "x" is invalid: spec: no', true],
    ["no", true],
    ["no - nobody allows it", true],
    ["nothing", false],
    ["project.resourcemanager.miloapis.com/error created", false],
  ])("detects a failure by its message: %s", (shown, fails) => {
    expect(showsFailure(["something created", shown])).toBe(fails);
  });
});
