import type { OwnerReference } from "@milo-quota/kubernetes/protocol/object-meta.ts";

interface NamespaceInPlane {
  readonly plane: string;
  /** Empty for a cluster-scoped object. */
  readonly namespace: string;
}

/** Owner references must not cross namespaces or planes: the garbage collector would delete the claim. */
export function mayOwn(object: NamespaceInPlane, claim: NamespaceInPlane): boolean {
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
 * The only candidate of a claim, if it also owns the claim. Earlier versions stored claims without the annotation of the bound
 * object; for those, this is the bound object.
 */
export function soleOwner(candidates: readonly string[], owners: readonly string[]): string | undefined {
  const [first] = candidates;
  if (first === undefined || !owners.includes(first)) return undefined;
  return candidates.every((uid) => uid === first) ? first : undefined;
}
