import { describe, expect, it } from "vitest";
import { type ClaimParts, renderedClaim, storedClaim } from "../../../../test/claim-fixtures.ts";
import { checkExisting, type ExistingClaim } from "./forced-claim.ts";

const candidatesMax = 3;

describe("an existing claim with the name of a forced claim", () => {
  const cases: Record<string, [claim: ClaimParts, found: ExistingClaim]> = {
    "is ours if it lists the object": [{ candidates: "me,other" }, { result: "ours", decided: false }],
    "is ours if the object owns it": [
      { candidates: "me", owners: ["me"], state: "granted" },
      { result: "ours", decided: true },
    ],
    "is joinable if it lists others": [
      { candidates: "other", state: "granted" },
      { result: "joinable", candidates: ["other", "me"], decided: true },
    ],
    "is obsolete if it is bound to another object": [{ candidates: "other", bound: "other" }, { result: "obsolete" }],
    "is obsolete if another object owns it": [{ candidates: "other", owners: ["other"] }, { result: "obsolete" }],
    "is joinable if its owner is not a candidate": [
      { candidates: "other", owners: ["z"] },
      { result: "joinable", candidates: ["other", "me"], decided: false },
    ],
    "is obsolete if it has too many candidates": [{ candidates: "one,two,three" }, { result: "obsolete" }],
    "is denied": [{ candidates: "me", state: "denied" }, { result: "denied" }],
  };
  it.each(Object.entries(cases))("%s", (_, [claim, found]) => {
    expect(checkExisting(storedClaim(claim), renderedClaim(), "me", candidatesMax)).toEqual(found);
  });
});
