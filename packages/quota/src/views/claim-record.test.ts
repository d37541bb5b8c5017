import { describe, expect, it } from "vitest";
import { parseResourceClaim, type ResourceClaim } from "../core/resources/resource-claim.ts";
import { ClaimRecords } from "./claim-record.ts";

const consumerRef = { apiGroup: "", kind: "Namespace", name: "acme" };

const resourceType = "projects";
const lastTransitionTime = "2026-01-01T00:00:00Z";
const allocation = { resourceType, status: "Granted", allocatedAmount: 3, lastTransitionTime };
const status = {
  allocations: [allocation],
  conditions: [{ type: "Granted", status: "True", reason: "QuotaAvailable", message: "", lastTransitionTime }],
};

/** A claim of a consumer. */
function claimOf(
  name: string,
  rest: Readonly<{ metadata?: object; spec?: object; status?: object }> = {},
): ResourceClaim {
  const parsed = parseResourceClaim({
    apiVersion: "quota.miloapis.com/v1alpha1",
    kind: "ResourceClaim",
    metadata: { name: "claim", namespace: "default", uid: "1", resourceVersion: "1", ...rest.metadata },
    spec: { consumerRef: { ...consumerRef, name }, requests: [{ resourceType, amount: 3 }], ...rest.spec },
    ...(rest.status === undefined ? {} : { status: rest.status }),
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.value;
}

/** A claim that was created for an object. */
function automaticOf(candidates: string, owners: readonly string[]): ResourceClaim {
  const metadata = {
    labels: { "quota.miloapis.com/auto-created": "true" },
    annotations: { "quota.miloapis.com/candidates": candidates },
    ownerReferences: owners.map((uid) => ({ apiVersion: "v1", kind: "ConfigMap", name: "object", uid })),
  };
  return claimOf("acme", { metadata, spec: { resourceRef: { apiGroup: "", kind: "ConfigMap", name: "object" } } });
}

describe("records of claims", () => {
  it("share equal values", () => {
    const records = new ClaimRecords();
    expect(records.of(claimOf("acme")).consumer).toBe(records.of(claimOf("acme")).consumer);
  });

  it("share equal parts", () => {
    const records = new ClaimRecords();
    const [one, two] = ["acme", "corp"].map((name) => records.of(claimOf(name, { status })));
    expect(one?.parts).toEqual([{ resourceType, dimensionKey: "", amount: 3n }]);
    expect(two?.parts).toBe(one?.parts);
    const less = { ...status, allocations: [{ ...allocation, allocatedAmount: 2 }] };
    expect(records.of(claimOf("acme", { status: less })).parts).toEqual([
      { resourceType, dimensionKey: "", amount: 2n },
    ]);
  });

  it.each([
    ["the only candidate owns it", "a", ["a"]],
    ["one of two owns it", "a,b", ["b"]],
    ["it has no owner", "a", []],
    ["it has another owner as well", "a", ["a", "b"]],
  ])("tell candidates and owners: %s", (_, candidates, owners) => {
    const { automatic } = new ClaimRecords().of(automaticOf(candidates, owners));
    expect([automatic?.candidates, automatic?.owners]).toEqual([candidates.split(","), owners]);
  });

  it("limit the number of interned values", () => {
    const records = new ClaimRecords();
    const claim = claimOf("acme");
    for (let at = 0; at < 150_000; at += 1) records.of({ ...claim, consumer: { ...claim.consumer, name: `c${at}` } });
    expect(records.internedCount).toBeLessThan(110_000);
  });
});
