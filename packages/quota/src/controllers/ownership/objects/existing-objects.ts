import type { PolicyState } from "../claim-policies.ts";
import type { ClaimIndex } from "../claims/claim-index.ts";
import type { ObjectCache } from "./object-cache.ts";
import { claimsOfPolicy } from "./object-claims.ts";
import { isOlder } from "./object-plan.ts";

/** Counts the objects older than a policy that match it and have no claim; undefined until the cache has synced. */
export function existingObjectCounter(
  root: string,
  objects: ObjectCache,
  claims: ClaimIndex,
): (policy: PolicyState) => number | undefined {
  return ({ plane, policy, kind, enforcedSince = "" }) => {
    if (!objects.hasSynced(kind)) return undefined;
    const name = policy.metadata.name ?? "";
    let count = 0;
    for (const [key, { uid, created, needs }] of objects.entries(kind)) {
      if ((plane !== root && key.plane !== plane) || !isOlder(created, enforcedSince)) continue;
      if (!needs.some((need) => need.policy === name && need.need === "claim")) continue;
      if (claimsOfPolicy(name, uid, claims.of({ kind, key })).length === 0) count += 1;
    }
    return count;
  };
}
