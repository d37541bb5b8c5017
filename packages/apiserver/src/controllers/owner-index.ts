import type { OwnerReference } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { ObjectKey } from "../storage/object-key.ts";
import type { StoredObject } from "../storage/stored-object.ts";

/**
 * Dependents by the UIDs of their owners. Objects without owners are not in the index. Keys are compared by identity: a
 * stored object has the same key object from its first version to its last.
 */
export class OwnerIndex {
  /**
   * Nearly all owners have one dependent, and nearly all dependents one owner, so a single key is stored without a Set.
   */
  readonly #dependents = new Map<string, ObjectKey | Set<ObjectKey>>();
  readonly #owners = new Map<ObjectKey, string | readonly string[]>();

  /** The objects in the plane of an owner that refer to its UID. */
  dependentsOf(plane: string, uid: string): readonly ObjectKey[] {
    const existing = this.#dependents.get(uid);
    if (existing === undefined) return [];
    return (existing instanceof Set ? [...existing] : [existing]).filter((dependent) => dependent.plane === plane);
  }

  put(dependent: ObjectKey, owners: readonly OwnerReference[]): void {
    const existing = this.#owners.get(dependent);
    if (existing === undefined && owners.length === 0) return;
    if (typeof existing === "string" && owners.length === 1 && owners[0]?.uid === existing) return;
    const after = [...new Set(owners.map(({ uid }) => uid))];
    for (const owner of listOf(existing)) if (!after.includes(owner)) this.#unlink(owner, dependent);
    for (const owner of after) this.#link(owner, dependent);
    const [only] = after;
    if (only === undefined) this.#owners.delete(dependent);
    else this.#owners.set(dependent, after.length === 1 ? only : after);
  }

  remove(gone: ObjectKey): void {
    for (const owner of listOf(this.#owners.get(gone))) this.#unlink(owner, gone);
    this.#owners.delete(gone);
  }

  #link(owner: string, dependent: ObjectKey): void {
    const existing = this.#dependents.get(owner);
    if (existing === undefined) this.#dependents.set(owner, dependent);
    else if (existing instanceof Set) existing.add(dependent);
    else if (existing !== dependent) this.#dependents.set(owner, new Set([existing, dependent]));
  }

  #unlink(owner: string, dependent: ObjectKey): void {
    const existing = this.#dependents.get(owner);
    if (existing === dependent) this.#dependents.delete(owner);
    if (!(existing instanceof Set)) return;
    existing.delete(dependent);
    if (existing.size === 0) this.#dependents.delete(owner);
  }
}

export function ownersOf({ object }: StoredObject): readonly OwnerReference[] {
  return object.metadata.ownerReferences ?? [];
}

function listOf(owners: string | readonly string[] | undefined): readonly string[] {
  if (owners === undefined) return [];
  return typeof owners === "string" ? [owners] : owners;
}
