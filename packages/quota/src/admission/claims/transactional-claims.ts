import { extendObject } from "@milo-quota/kubernetes/protocol/extend-object.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { claimManifest } from "../../core/policy/claim-policy.ts";
import { annotations, claimFinalizer } from "../../core/resources/well-known.ts";
import type { Companions, ObjectChange } from "../object-change.ts";
import type { ReducedNeed } from "../policies/growth.ts";
import type { ClaimInPlane } from "../policies/needs.ts";
import type { ClaimTransactions, NewClaim, QuotaEffect } from "./claim-transactions.ts";
import { ownerOf, uidOf } from "./claimant.ts";

/** The companions of an object, and the claims among them. */
export interface TransactionalClaims {
  readonly companions: Companions;
  readonly granted: readonly NewClaim[];
}

/**
 * The claims to store in one transaction with an object; undefined when they cannot be decided like that. When a transaction
 * cannot both grant and reduce, it only grants: the ownership controller reduces claims after the object is stored.
 */
export function transactionalClaims(
  transactions: ClaimTransactions,
  newUid: () => string,
  change: ObjectChange,
  { claims, reduced }: { readonly claims: readonly ClaimInPlane[]; readonly reduced: readonly ReducedNeed[] },
): TransactionalClaims | undefined {
  // The UIDs are new for every attempt, because the ledger must never count a claim that was rolled back.
  const granted = claims.map(({ plane, claim }): NewClaim => ({ plane, claim, uid: newUid() }));
  const manifests: QuotaEffect["manifests"] = (statuses) =>
    granted.map((each, at) => manifestOf(each, change, statuses[at] as JsonObject));
  const isBoth = granted.length > 0 && reduced.length > 0;
  const companions =
    transactions.prepare({ change, granted, manifests, reduced }) ??
    (isBoth ? transactions.prepare({ change, granted, manifests, reduced: [] }) : undefined);
  return companions === undefined ? undefined : { companions, granted };
}

/** The claim is granted and bound to its object from its first version on. */
function manifestOf({ plane, claim, uid }: NewClaim, change: ObjectChange, status: JsonObject): JsonObject {
  const object = uidOf(change.object);
  const noted = extendObject(claim.annotations, { [annotations.candidates]: object, [annotations.bound]: object });
  const owner = ownerOf(change, { plane, namespace: claim.namespace });
  const own = { uid, finalizers: [claimFinalizer] };
  const more = owner === undefined ? own : { ownerReferences: [owner], ...own };
  return extendObject(claimManifest(claim, noted, more), { status });
}
