import { issueText } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { describe, expect, it } from "vitest";
import { parseResourceGrant, type ResourceGrant } from "../resources/resource-grant.ts";
import { capacityOf } from "./pools.ts";
import { TypeLedger } from "./type-ledger.ts";
import { allocatedFrom, dimensionContent, effectiveStatus, shownDimensions } from "./view-status.ts";

type Selector = { matchLabels?: Record<string, string>; matchExpressions?: object[] };

function grant(name: string, ...buckets: [amount: number, selector?: Selector][]): ResourceGrant {
  const parsed = parseResourceGrant({
    apiVersion: "quota.miloapis.com/v1alpha1",
    kind: "ResourceGrant",
    metadata: { name, namespace: "default", generation: 1 },
    spec: {
      consumerRef: { kind: "Namespace", name: "acme" },
      allowances: [
        {
          resourceType: "cpu",
          buckets: buckets.map(([amount, dimensionSelector = {}]) => ({ amount, dimensionSelector })),
        },
      ],
    },
  });
  if (!parsed.ok) throw new Error(parsed.issues.map(issueText).join("\n"));
  return parsed.value;
}

const inZone = (zone: string): Selector => ({ matchLabels: { zone } });
const grants = [
  grant("base", [100]),
  grant("dls", [500, inZone("DLS")], [20, { matchExpressions: [{ key: "zone", operator: "Exists" }] }]),
];

function typeLedgerOf(use: Record<string, number>): TypeLedger {
  const typeLedger = new TypeLedger("cpu");
  typeLedger.setCapacity(capacityOf(grants, "cpu"));
  for (const [key, amount] of Object.entries(use)) {
    typeLedger.hold(key, [{ slot: typeLedger.slot(key), amount: BigInt(amount) as never }]);
  }
  return typeLedger;
}

describe("sets of dimensions that are shown", () => {
  const cases: Record<string, [TypeLedger, readonly string[]]> = {
    "are those that a grant names exactly": [typeLedgerOf({}), ["zone=DLS"]],
    "are those in use, too, each once": [typeLedgerOf({ "zone=DLS": 1, "zone=DFW": 1 }), ["zone=DLS", "zone=DFW"]],
    "never include the empty set: that is the ledger bucket": [typeLedgerOf({ "": 1 }), ["zone=DLS"]],
  };
  for (const [name, [typeLedger, keys]] of Object.entries(cases)) {
    it(name, () => {
      expect(shownDimensions(typeLedger)).toEqual(keys);
    });
  }

  it("exclude sets that no request can have", () => {
    const never: Selector = {
      matchLabels: { zone: "a" },
      matchExpressions: [{ key: "zone", operator: "In", values: ["b"] }],
    };
    const typeLedger = new TypeLedger("cpu");
    typeLedger.setCapacity(capacityOf([grant("never", [1, never])], "cpu"));
    expect(shownDimensions(typeLedger)).toEqual([]);
  });

  it("are limited, however many claims choose", () => {
    const use = Object.fromEntries(Array.from({ length: 1_100 }, (_, at) => [`zone=z${at}`, 0]));
    const keys = shownDimensions(typeLedgerOf(use));
    expect(keys.length).toBe(1_000);
    expect(keys[0]).toBe("zone=DLS");
  });
});

describe("the bucket of one set of dimensions", () => {
  it("counts the matching pools, grants and use", () => {
    const content = dimensionContent(typeLedgerOf({ "zone=DLS": 510, "zone=DFW": 90 }), "zone=DLS", grants);
    expect(content).toMatchObject({
      figures: { limit: 620n, allocated: 510n, available: 20n, overage: 0n },
      claimCount: 1,
      grantCount: 2,
      reservations: [],
    });
    expect(content.shares.map(({ name, amount }) => [name, amount])).toEqual([
      ["base", 100n],
      ["dls", 520n],
    ]);
    const elsewhere = dimensionContent(typeLedgerOf({ "zone=DFW": 130 }), "zone=DFW", grants);
    expect(elsewhere).toMatchObject({ figures: { limit: 120n, available: 0n, overage: 10n }, grantCount: 2 });
    expect(elsewhere.shares.map(({ amount }) => amount)).toEqual([100n, 20n]);
  });
});

describe("the allocations that a total lists", () => {
  it("add up to it", () => {
    const typeLedger = typeLedgerOf({ "zone=DLS": 510, "zone=DFW": 90, "": 10 });
    const listed = ["", ...shownDimensions(typeLedger)].map((key) => Number(allocatedFrom(typeLedger, key)));
    expect(listed.reduce((sum, each) => sum + each)).toBe(610);
    expect(allocatedFrom(typeLedger, "")).toBe(10);
  });
});

describe("the total", () => {
  it("is over all dimensions; what is left is what no use is assigned to", () => {
    expect(effectiveStatus(typeLedgerOf({ "zone=DFW": 130, "": 10 }))).toEqual({
      totalLimit: 620,
      totalAllocated: 140,
      totalReserved: 0,
      available: 500,
      overage: 20,
    });
  });
});
