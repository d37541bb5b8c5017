import { describe, expect, it } from "vitest";
import { type ClaimParts, renderedClaim, request, storedClaim } from "../../../test/claim-fixtures.ts";
import type { RenderedClaim } from "../../core/policy/claim-policy.ts";
import { annotations } from "../../core/resources/well-known.ts";
import { nextStep } from "./existing-claim.ts";

const many = (count: number) => Array.from({ length: count }, (_, at) => `other-${at}`).join(",");

describe("an existing claim with the name of ours", () => {
  const cases: Record<string, [claim: ClaimParts, step: object]> = {
    "is awaited when it lists our object": [{ candidates: "other,me" }, { step: "wait" }],
    "is awaited when it lists our object and is granted": [{ candidates: "me", state: "granted" }, { step: "wait" }],
    "is awaited when it lists our object and cannot be decided yet": [
      { candidates: "me", state: "invalid" },
      { step: "wait" },
    ],
    "is awaited when it lists our object and is bound to another": [
      { candidates: "me,other", bound: "other", state: "granted" },
      { step: "wait" },
    ],
    "is replaced when it was denied": [{ candidates: "other", state: "denied" }, { step: "replace" }],
    "is replaced when it was denied to our object": [{ candidates: "me", state: "denied" }, { step: "replace" }],
    "has its bound object checked": [
      { candidates: "other", bound: "other", state: "granted" },
      { step: "checkBound", bound: "other" },
    ],
    "has its bound object checked when it does not list that": [
      { bound: "other", state: "granted" },
      { step: "checkBound", bound: "other" },
    ],
    "has its bound object checked when it is also owned": [
      { candidates: "other", bound: "other", owners: ["other"] },
      { step: "checkBound", bound: "other" },
    ],
    "has its owner checked when that is the only candidate": [
      { candidates: "other", owners: ["other"] },
      { step: "checkBound", bound: "other" },
    ],
    "has its owner checked when that is the only candidate, granted or not": [
      { candidates: "other", owners: ["third", "other"], state: "granted" },
      { step: "checkBound", bound: "other" },
    ],
    "is joined when it lists more than its owner": [{ candidates: "other,third", owners: ["other"] }, { step: "join" }],
    "is joined when its owner is no candidate": [{ candidates: "other", owners: ["z"] }, { step: "join" }],
    "has its owner checked however often it lists that": [
      { candidates: Array.from({ length: 16 }, () => "other").join(","), owners: ["other"] },
      { step: "checkBound", bound: "other" },
    ],
    "is joined when others wait": [{ candidates: "other" }, { step: "join" }],
    "is joined when it was granted to others": [{ candidates: "other", state: "granted" }, { step: "join" }],
    "is joined by the sixteenth": [{ candidates: many(15) }, { step: "join" }],
    "is full for the seventeenth": [{ candidates: many(16) }, { step: "full" }],
    "is replaced when it lists no object": [{ state: "granted" }, { step: "replace" }],
    "is terminating when it is being deleted": [
      { candidates: "me", deleting: true },
      { step: "terminating", bound: undefined },
    ],
    "is terminating when it is being deleted, denied or not": [
      { candidates: "other", deleting: true, state: "denied" },
      { step: "terminating", bound: undefined },
    ],
  };
  for (const [name, [claim, step]] of Object.entries(cases)) {
    it(name, () => expect(nextStep(storedClaim(claim), renderedClaim(), "me")).toEqual(step));
  }

  it("has its bound object checked when ownership repair created it", () => {
    const noted = { ...renderedClaim().annotations, [annotations.createdBy]: "ownership-controller" };
    const parts = {
      candidates: "other",
      bound: "other",
      state: "granted",
      rendered: renderedClaim({ annotations: noted }),
    } as const;
    expect(nextStep(storedClaim(parts), renderedClaim(), "me")).toEqual({ step: "checkBound", bound: "other" });
  });
});

describe("a conflicting claim", () => {
  const consumer = { apiGroup: "", kind: "Namespace", namespace: "", name: "other" };
  const resource = { apiGroup: "", kind: "ConfigMap", namespace: "default", name: "b" };
  const note = (name: string, text: string) => ({ annotations: { ...renderedClaim().annotations, [name]: text } });
  const cases: Record<string, [there: Partial<RenderedClaim>, because: string]> = {
    "is of another policy": [note(annotations.policy, "other"), "quota.miloapis.com/policy differs"],
    "was not created by the system": [note(annotations.createdBy, "me"), "quota.miloapis.com/created-by differs"],
    "is for an object of another plane": [note(annotations.resourcePlane, "p"), "resource-plane differs"],
    "is for another object": [{ resource }, "it is for another object"],
    "is for another consumer": [{ consumer }, "it is for another consumer"],
    "asks for more": [{ requests: [request("core/configmaps", 2)] }, "it requests other amounts"],
    "asks for other resource types": [{ requests: [request("core/secrets", 1)] }, "it requests other amounts"],
  };
  for (const [name, [there, because]] of Object.entries(cases)) {
    it(name, () => {
      const claim = storedClaim({ candidates: "me", state: "denied", rendered: renderedClaim(there) });
      expect(nextStep(claim, renderedClaim(), "me")).toEqual({
        step: "conflicting",
        because: expect.stringContaining(because),
      });
    });
  }

  it("is the same when it asks for the same in another order", () => {
    const [one, other] = [request("core/configmaps", 1), request("core/secrets", 2)];
    const claim = storedClaim({ candidates: "other", rendered: renderedClaim({ requests: [one, other] }) });
    expect(nextStep(claim, renderedClaim({ requests: [other, one] }), "me")).toEqual({ step: "join" });
  });
});
