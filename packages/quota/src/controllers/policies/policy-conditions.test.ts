import { describe, expect, it } from "vitest";
import { enforcedConditions } from "./policy-conditions.ts";

describe("the switch for everything, in the status of a policy", () => {
  it("is not worth a word where it was never turned", () => {
    expect(enforcedConditions("Enforce", [{ type: "Ready" }])).toEqual([]);
  });

  it("says that nothing is refused, and why", () => {
    expect(enforcedConditions("Shadow", [])).toEqual([
      {
        type: "Enforced",
        status: "False",
        reason: "SystemShadow",
        message: "The system runs with --enforcement Shadow: every policy only watches: nothing is refused for quota",
      },
    ]);
    expect(enforcedConditions("Off", [])).toMatchObject([{ status: "False", reason: "SystemOff" }]);
  });

  it("says so when it was turned back", () => {
    expect(enforcedConditions("Enforce", [{ type: "Ready" }, { type: "Enforced" }])).toEqual([
      { type: "Enforced", status: "True", reason: "SystemEnforces", message: "The system refuses what does not fit" },
    ]);
  });
});
