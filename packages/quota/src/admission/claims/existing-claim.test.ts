import { describe, expect, it } from "vitest";
import { type ClaimParts, request, stored, wanted } from "../../../test/made-claims.ts";
import type { RenderedClaim } from "../../core/policy/claim-policy.ts";
import { annotations } from "../../core/resources/well-known.ts";
import { nextStep } from "./existing-claim.ts";

const many = (count: number) => Array.from({ length: count }, (_, at) => `other-${at}`).join(",");

describe("a claim that is there under the name of ours", () => {
  const cases: Record<string, [claim: ClaimParts, step: object]> = {
    "is waited for when it lists us": [{ candidates: "other,me" }, { step: "wait" }],
    "is waited for when it lists us and is granted": [{ candidates: "me", state: "granted" }, { step: "wait" }],
    "is waited for when it lists us and cannot be decided yet": [
      { candidates: "me", state: "invalid" },
      { step: "wait" },
    ],
    "is waited for when it lists us and another is bound": [
      { candidates: "me,other", bound: "other", state: "granted" },
      { step: "wait" },
    ],
    "is replaced when it was denied": [{ candidates: "other", state: "denied" }, { step: "replace" }],
    "is replaced when it was denied to us": [{ candidates: "me", state: "denied" }, { step: "replace" }],
    "is looked at when it is bound": [
      { candidates: "other", bound: "other", state: "granted" },
      { step: "look", bound: "other" },
    ],
    "is looked at when it is bound to one it does not list": [
      { bound: "other", state: "granted" },
      { step: "look", bound: "other" },
    ],
    "is looked at when it is bound, whoever owns it": [
      { candidates: "other", bound: "other", owners: ["other"] },
      { step: "look", bound: "other" },
    ],
    "is looked at when the only one it lists owns it": [
      { candidates: "other", owners: ["other"] },
      { step: "look", bound: "other" },
    ],
    "is looked at when the only one it lists owns it, granted or not": [
      { candidates: "other", owners: ["third", "other"], state: "granted" },
      { step: "look", bound: "other" },
    ],
    "is joined when it lists more than its owner": [{ candidates: "other,third", owners: ["other"] }, { step: "join" }],
    "is joined when it is owned by what it does not list": [{ candidates: "other", owners: ["z"] }, { step: "join" }],
    "is looked at however often its owner is listed": [
      { candidates: Array.from({ length: 16 }, () => "other").join(","), owners: ["other"] },
      { step: "look", bound: "other" },
    ],
    "is joined when others wait": [{ candidates: "other" }, { step: "join" }],
    "is joined when it was granted to others": [{ candidates: "other", state: "granted" }, { step: "join" }],
    "is joined by the sixteenth": [{ candidates: many(15) }, { step: "join" }],
    "is full for the seventeenth": [{ candidates: many(16) }, { step: "full" }],
    "is replaced when it is for nobody": [{ state: "granted" }, { step: "replace" }],
    "is out of the way when it is being deleted": [
      { candidates: "me", deleting: true },
      { step: "terminating", bound: undefined },
    ],
    "is out of the way when it is being deleted, denied or not": [
      { candidates: "other", deleting: true, state: "denied" },
      { step: "terminating", bound: undefined },
    ],
  };
  for (const [name, [claim, step]] of Object.entries(cases)) {
    it(name, () => expect(nextStep(stored(claim), wanted(), "me")).toEqual(step));
  }

  it("is looked at when it was made for an object that had none", () => {
    const noted = { ...wanted().annotations, [annotations.createdBy]: "ownership-controller" };
    const parts = {
      candidates: "other",
      bound: "other",
      state: "granted",
      rendered: wanted({ annotations: noted }),
    } as const;
    expect(nextStep(stored(parts), wanted(), "me")).toEqual({ step: "look", bound: "other" });
  });
});

describe("a claim that is not for this", () => {
  const consumer = { apiGroup: "", kind: "Namespace", namespace: "", name: "other" };
  const resource = { apiGroup: "", kind: "ConfigMap", namespace: "default", name: "b" };
  const note = (name: string, text: string) => ({ annotations: { ...wanted().annotations, [name]: text } });
  const cases: Record<string, [there: Partial<RenderedClaim>, because: string]> = {
    "is of another policy": [note(annotations.policy, "other"), "quota.miloapis.com/policy differs"],
    "was made by somebody else": [note(annotations.createdBy, "me"), "quota.miloapis.com/created-by differs"],
    "is for an object of another plane": [note(annotations.resourcePlane, "p"), "resource-plane differs"],
    "is for another object": [{ resource }, "it is for another object"],
    "is for another consumer": [{ consumer }, "it is for another consumer"],
    "asks for more": [{ requests: [request("core/configmaps", 2)] }, "it asks for something else"],
    "asks for other things": [{ requests: [request("core/secrets", 1)] }, "it asks for something else"],
  };
  for (const [name, [there, because]] of Object.entries(cases)) {
    it(name, () => {
      const claim = stored({ candidates: "me", state: "denied", rendered: wanted(there) });
      expect(nextStep(claim, wanted(), "me")).toEqual({
        step: "foreign",
        because: expect.stringContaining(because),
      });
    });
  }

  it("is the same when it asks for the same in another order", () => {
    const [one, other] = [request("core/configmaps", 1), request("core/secrets", 2)];
    const claim = stored({ candidates: "other", rendered: wanted({ requests: [one, other] }) });
    expect(nextStep(claim, wanted({ requests: [other, one] }), "me")).toEqual({ step: "join" });
  });
});
