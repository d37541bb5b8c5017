import { invalid } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { describe, expect, it } from "vitest";
import { validationMessage } from "./claim-validation.ts";

describe("the validation message of a claim", () => {
  it("lists all issues", () => {
    expect(validationMessage([invalid("a", 1, "is odd"), invalid("b", 3, "is odder")])).toMatch(
      /a: .*is odd; b: .*is odder$/,
    );
  });

  it("always fits into a condition", () => {
    const issues = Array.from({ length: 200 }, (_, at) => invalid(`spec.requests[${at}]`, "x".repeat(1_000), "is odd"));
    expect(validationMessage(issues).length).toBeLessThan(32_768);
    expect(validationMessage(issues)).toContain("(200 issues in total)");
  });
});
