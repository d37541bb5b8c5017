import { invalid } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { describe, expect, it } from "vitest";
import { issuesText } from "./issues-text.ts";

const issue = (at: number) => invalid(`spec.items[${at}]`, "x", "must be y");

describe("the text of issues", () => {
  it("lists all of them", () => {
    expect(issuesText([issue(0), issue(1)])).toBe(
      'spec.items[0]: Invalid value: "x": must be y; spec.items[1]: Invalid value: "x": must be y',
    );
  });

  it("fits into a condition, and says how many are omitted", () => {
    const text = issuesText(Array.from({ length: 1_000 }, (_, at) => issue(at)));
    expect(text.length).toBeLessThan(8_300);
    const shown = text.split("; ").length - 1;
    expect(text.endsWith(`; and ${1_000 - shown} more`)).toBe(true);
  });
});
