import type { OwnerReference } from "@milo-quota/kubernetes/protocol/object-meta.ts";

interface Place {
  readonly plane: string;
  /** Empty for an object in no namespace. */
  readonly namespace: string;
}

/** An owner reference across namespaces or planes would make a garbage collector delete the claim. */
export function mayOwn(object: Place, claim: Place): boolean {
  return claim.plane === object.plane && (object.namespace === "" || object.namespace === claim.namespace);
}

export function claimOwner({
  apiVersion,
  kind,
  name,
  uid,
}: Pick<OwnerReference, "apiVersion" | "kind" | "name" | "uid">): OwnerReference {
  return { apiVersion, kind, name, uid, controller: false, blockOwnerDeletion: false };
}

/**
 * The object that a claim is for without a doubt: the only one it may be for, which owns it as well. Claims that were stored
 * before claims noted the object they are bound to are known by this.
 */
export function soleOwner(candidates: readonly string[], owners: readonly string[]): string | undefined {
  const [first] = candidates;
  if (first === undefined || !owners.includes(first)) return undefined;
  return candidates.every((uid) => uid === first) ? first : undefined;
}
