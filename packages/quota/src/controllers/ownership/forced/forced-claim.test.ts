import { describe, expect, it } from "vitest";
import { type ClaimParts, stored, wanted } from "../../../../test/made-claims.ts";
import { type Found, judge } from "./forced-claim.ts";

const candidatesMax = 3;

describe("a claim that has the name of one to be made for an object", () => {
  const cases: Record<string, [claim: ClaimParts, found: Found]> = {
    "is the one when it lists the object": [{ candidates: "me,other" }, { found: "ours", decided: false }],
    "is the one when the object owns it": [
      { candidates: "me", owners: ["me"], state: "granted" },
      { found: "ours", decided: true },
    ],
    "serves as well when it lists others": [
      { candidates: "other", state: "granted" },
      { found: "joinable", candidates: ["other", "me"], decided: true },
    ],
    "goes with the object it is bound to": [{ candidates: "other", bound: "other" }, { found: "leaving" }],
    "goes with the object that owns it": [{ candidates: "other", owners: ["other"] }, { found: "leaving" }],
    "serves when what owns it is not listed": [
      { candidates: "other", owners: ["z"] },
      { found: "joinable", candidates: ["other", "me"], decided: false },
    ],
    "is full": [{ candidates: "one,two,three" }, { found: "leaving" }],
    "is worth nothing when it was denied": [{ candidates: "me", state: "denied" }, { found: "worthless" }],
  };
  it.each(Object.entries(cases))("%s", (_, [claim, found]) => {
    expect(judge(stored(claim), wanted(), "me", candidatesMax)).toEqual(found);
  });
});
