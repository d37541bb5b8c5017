import { describe, expect, it } from "vitest";
import { ClaimRecords } from "../../../src/controllers/views/claim-record.ts";
import { parseResourceClaim, type ResourceClaim } from "../../../src/core/resources/resource-claim.ts";

const consumerRef = { apiGroup: "", kind: "Namespace", name: "acme" };

/** A claim of somebody. */
function claimOf(name: string): ResourceClaim {
  const parsed = parseResourceClaim({
    apiVersion: "quota.miloapis.com/v1alpha1",
    kind: "ResourceClaim",
    metadata: { name: "claim", namespace: "default", uid: "1", resourceVersion: "1" },
    spec: { consumerRef: { ...consumerRef, name }, requests: [{ resourceType: "projects", amount: 1 }] },
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.value;
}

describe("records of claims", () => {
  it("share what is the same in many of them", () => {
    const records = new ClaimRecords();
    expect(records.of(claimOf("acme")).consumer).toBe(records.of(claimOf("acme")).consumer);
  });

  it("do not remember for ever who ever had one", () => {
    const records = new ClaimRecords();
    const claim = claimOf("acme");
    for (let at = 0; at < 150_000; at += 1) records.of({ ...claim, consumer: { ...claim.consumer, name: `c${at}` } });
    expect(records.sharedCount).toBeLessThan(110_000);
  });
});
