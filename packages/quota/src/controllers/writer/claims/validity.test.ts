import { invalid } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { describe, expect, it } from "vitest";
import { faultText } from "./validity.ts";

describe("what is wrong with a claim", () => {
  it("is said in full", () => {
    expect(faultText([invalid("a", 1, "is odd"), invalid("b", 3, "is odder")])).toMatch(/a: .*is odd; b: .*is odder$/);
  });

  it("always fits into a condition", () => {
    const faults = Array.from({ length: 200 }, (_, at) => invalid(`spec.requests[${at}]`, "x".repeat(1_000), "is odd"));
    expect(faultText(faults).length).toBeLessThan(32_768);
    expect(faultText(faults)).toContain("(200 faults in all)");
  });
});
