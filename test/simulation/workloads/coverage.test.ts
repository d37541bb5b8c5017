import { describe, expect, it } from "vitest";
import { at, conditionAt, listAt, textAt, textsAt } from "../invariants/json-fields.ts";
import { quotaSetup } from "../quota-setup.ts";
import { runSeed } from "../run-seed.ts";
import type { CreateWorkload, StoredChange } from "../world/world.ts";

/** Events that the workloads must reach: without them the invariants would hold trivially. */
const events: Readonly<Record<string, (change: StoredChange) => boolean>> = {
  "a service's claim is granted": (change) => !isAutomatic(change) && grantedReason(change) === "QuotaAvailable",
  "a service's claim is denied": (change) => !isAutomatic(change) && grantedReason(change) === "QuotaExceeded",
  "a claim is invalid": (change) => grantedReason(change) === "ValidationFailed",
  "a claim of several types is granted": (change) =>
    grantedReason(change) === "QuotaAvailable" && typesIn(change).size > 1,
  "a claim with dimensions is granted": (change) =>
    grantedReason(change) === "QuotaAvailable" && listAt(change.now.object, "spec", "requests").some(hasDimensions),
  "an object is rejected": (change) => isAutomatic(change) && grantedReason(change) === "QuotaExceeded",
  "a claim is bound to an object": (change) => annotationIn(change, "bound") !== "",
  "several creates wait for one claim": (change) => annotationIn(change, "candidates").includes(","),
  "a claim is for an object in another plane": (change) =>
    annotationIn(change, "resource-plane") !== "" && annotationIn(change, "resource-plane") !== change.now.key.plane,
  "an object is counted over the limit": (change) =>
    listAt(change.now.object, "status", "reservations").some((reservation) => isForced(reservation)),
  "a bucket has several reservations": (change) => listAt(change.now.object, "status", "reservations").length > 1,
  "a bucket is over its limit": (change) =>
    isA(change, "allowancebuckets") && textAt(conditionAt(change.now.object, "OverLimit"), "status") === "True",
  "a grant expires": (change) => textAt(conditionAt(change.now.object, "Active"), "reason") === "GrantExpired",
  "a policy creates a grant": (change) => isA(change, "resourcegrants") && annotationIn(change, "policy") !== "",
  "a policy is disabled": (change) => textAt(conditionAt(change.now.object, "Ready"), "reason") === "PolicyDisabled",
  "a claim is stored as granted": (change) => change.type === "added" && grantedReason(change) === "QuotaAvailable",
  "a claim of several types is stored as granted": (change) =>
    change.type === "added" && grantedReason(change) === "QuotaAvailable" && typesIn(change).size > 1,
  "a bucket is deleted": (change) => isA(change, "allowancebuckets") && change.type === "deleted",
};

describe("workloads", () => {
  it("reach every event that the invariants are about", async () => {
    const seen = new Set<string>();
    for (let seed = 1; seed <= 40 && seen.size < Object.keys(events).length; seed += 1) {
      const setup = quotaSetup(seed);
      const createWorkload: CreateWorkload = (world, random, size) => {
        world.truth.onChange((change) => {
          for (const [name, happens] of Object.entries(events)) if (happens(change)) seen.add(name);
        });
        return setup.createWorkload(world, random, size);
      };
      await runSeed({ ...setup, createWorkload }, { seed, steps: 80 });
    }
    expect(Object.keys(events).filter((name) => !seen.has(name))).toEqual([]);
  });
});

function isA({ now }: StoredChange, plural: string): boolean {
  return now.key.resource === `${plural}.quota.miloapis.com`;
}

function grantedReason(change: StoredChange): string {
  return isA(change, "resourceclaims") ? textAt(conditionAt(change.now.object, "Granted"), "reason") : "";
}

function isAutomatic({ now }: StoredChange): boolean {
  return textAt(now.object, "metadata", "labels", "quota.miloapis.com/auto-created") === "true";
}

function annotationIn({ now }: StoredChange, name: string): string {
  return textAt(now.object, "metadata", "annotations", `quota.miloapis.com/${name}`);
}

function typesIn({ now }: StoredChange): ReadonlySet<string> {
  return new Set(listAt(now.object, "spec", "requests").map((request) => textAt(request, "resourceType")));
}

function hasDimensions(request: Parameters<typeof textAt>[0]): boolean {
  return Object.keys(textsAt(request, "dimensions")).length > 0;
}

function isForced(reservation: Parameters<typeof textAt>[0]): boolean {
  return at(reservation, "forced") === true;
}
