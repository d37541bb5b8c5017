import { extended } from "@milo-quota/kubernetes/protocol/extended.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { claimManifest } from "../../core/policy/claim-policy.ts";
import { annotations, claimFinalizer } from "../../core/resources/well-known.ts";
import type { Companions, ObjectChange } from "../object-change.ts";
import type { ReducedNeed } from "../policies/growth.ts";
import type { PlacedClaim } from "../policies/needs.ts";
import type { ClaimTransactions, NewClaim, QuotaEffect } from "./claim-transactions.ts";
import { ownerOf, uidOf } from "./claimant.ts";

/** What is stored with an object, and the claims among it. */
export interface StoredTogether {
  readonly companions: Companions;
  readonly granted: readonly NewClaim[];
}

/**
 * What quota stores in one transaction with an object; undefined when it cannot be decided like that. What is to be given
 * back follows by itself where it cannot go along.
 */
export function storedTogether(
  transactions: ClaimTransactions,
  newUid: () => string,
  change: ObjectChange,
  { claims, reduced }: { readonly claims: readonly PlacedClaim[]; readonly reduced: readonly ReducedNeed[] },
): StoredTogether | undefined {
  // A claim that was rolled back must never count: every attempt makes new ones.
  const granted = claims.map(({ plane, claim }): NewClaim => ({ plane, claim, uid: newUid() }));
  const manifests: QuotaEffect["manifests"] = (statuses) =>
    granted.map((each, at) => manifestOf(each, change, statuses[at] as JsonObject));
  const isBoth = granted.length > 0 && reduced.length > 0;
  const companions =
    transactions.try({ change, granted, manifests, reduced }) ??
    (isBoth ? transactions.try({ change, granted, manifests, reduced: [] }) : undefined);
  return companions === undefined ? undefined : { companions, granted };
}

/** A claim that is granted and bound to its object from its first version on. */
function manifestOf({ plane, claim, uid }: NewClaim, change: ObjectChange, status: JsonObject): JsonObject {
  const object = uidOf(change.object);
  const noted = extended(claim.annotations, { [annotations.candidates]: object, [annotations.bound]: object });
  const owner = ownerOf(change, { plane, namespace: claim.namespace });
  const own = { uid, finalizers: [claimFinalizer] };
  const more = owner === undefined ? own : { ownerReferences: [owner], ...own };
  return extended(claimManifest(claim, noted, more), { status });
}
