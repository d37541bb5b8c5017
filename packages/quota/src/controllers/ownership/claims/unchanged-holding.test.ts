import { describe, expect, it } from "vitest";
import { amountOf } from "../../../core/resources/fields/amount.ts";
import type { AutomaticClaim, ClaimRecord } from "../../../views/claim-record.ts";
import { isHoldingUnchanged } from "./unchanged-holding.ts";

const automatic: AutomaticClaim = {
  policy: "configmaps",
  resourcePlane: "",
  resource: { apiGroup: "", kind: "ConfigMap", namespace: "default", name: "a" },
  candidates: ["x", "y"],
  bound: undefined,
  owners: [],
};
const part = (amount: number) => ({ resourceType: "configmaps", dimensionKey: "", amount: amountOf(amount) });
const claim: ClaimRecord = {
  uid: "c",
  version: "1",
  consumer: { apiGroup: "", kind: "Namespace", namespace: "", name: "default" },
  state: "granted",
  deleting: false,
  parts: [part(1)],
  open: undefined,
  automatic,
};
const of = (change: Partial<AutomaticClaim>): Partial<ClaimRecord> => ({ automatic: { ...automatic, ...change } });

const same: Readonly<Record<string, Partial<ClaimRecord>>> = {
  "another version": { version: "2" },
  "bound to one of its objects": of({ bound: "x", owners: ["x"] }),
  "an equal list of parts": { parts: [part(1)] },
};

const different: Readonly<Record<string, Partial<ClaimRecord>>> = {
  "another claim": { uid: "d" },
  "a decision": { state: "denied" },
  "its deletion": { deleting: true },
  "less than before": { parts: [part(0)] },
  "nothing any more": { parts: [] },
  "for another object": of({ candidates: ["x", "z"] }),
  "for one object less": of({ candidates: ["x"] }),
  "for an object that is not listed": of({ bound: "z" }),
  "by another policy": of({ policy: "secrets" }),
  "for no object": { automatic: undefined },
};

describe("the holding of a claim", () => {
  it.each(Object.entries(same))("is unchanged after %s", (_, change) => {
    expect(isHoldingUnchanged(claim, { ...claim, ...change })).toBe(true);
  });

  it.each(Object.entries(different))("is changed after %s", (_, change) => {
    expect(isHoldingUnchanged(claim, { ...claim, ...change })).toBe(false);
    expect(isHoldingUnchanged({ ...claim, ...change }, claim)).toBe(false);
  });

  it("is changed for a new claim", () => {
    expect(isHoldingUnchanged(undefined, claim)).toBe(false);
  });
});
