import { describe, expect, it } from "vitest";
import { enforcedConditions } from "./policy-conditions.ts";

describe("the Enforced condition of a policy", () => {
  it("is omitted while the system has always run in Enforce mode", () => {
    expect(enforcedConditions("Enforce", [{ type: "Ready" }])).toEqual([]);
  });

  it("is False in Shadow and Off mode, with the reason", () => {
    expect(enforcedConditions("Shadow", [])).toEqual([
      {
        type: "Enforced",
        status: "False",
        reason: "SystemShadow",
        message:
          "The system runs with --enforcement Shadow: policies only report what they would reject, and quota rejects nothing",
      },
    ]);
    expect(enforcedConditions("Off", [])).toMatchObject([{ status: "False", reason: "SystemOff" }]);
  });

  it("is True after the mode was set back to Enforce", () => {
    expect(enforcedConditions("Enforce", [{ type: "Ready" }, { type: "Enforced" }])).toEqual([
      { type: "Enforced", status: "True", reason: "SystemEnforces", message: "The system rejects requests over quota" },
    ]);
  });
});
