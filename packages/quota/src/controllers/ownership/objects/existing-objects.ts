import type { PolicyState } from "../claim-policies.ts";
import type { ClaimRegister } from "../claims/claim-register.ts";
import { claimsBy } from "./object-claims.ts";
import { isOlder } from "./object-plan.ts";
import type { ObjectViews } from "./object-views.ts";

/** Counts the objects older than a policy that match it and hold no claim; undefined while not all objects are known. */
export function existingObjects(
  root: string,
  objects: ObjectViews,
  claims: ClaimRegister,
): (policy: PolicyState) => number | undefined {
  return ({ plane, policy, kind, readySince = "" }) => {
    if (!objects.knowsAll(kind)) return undefined;
    const name = policy.metadata.name ?? "";
    let count = 0;
    for (const [place, { uid, created, needs }] of objects.entries(kind)) {
      if ((plane !== root && place.plane !== plane) || !isOlder(created, readySince)) continue;
      if (!needs.some((need) => need.policy === name && need.need === "claim")) continue;
      if (claimsBy(name, uid, claims.of({ kind, place })).length === 0) count += 1;
    }
    return count;
  };
}
