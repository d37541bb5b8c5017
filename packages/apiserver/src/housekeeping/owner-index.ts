import type { OwnerReference } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { ObjectKey } from "../storage/object-key.ts";
import type { StoredObject } from "../storage/stored-object.ts";

/**
 * Who depends on whom, by the UIDs of owners. Objects without owners take no place in it. Keys are those of stored
 * objects, which have one from their first version to their last, and are told apart by that.
 */
export class OwnerIndex {
  /** Nearly all owners have one dependent, and nearly all dependents one owner, so that is held without a list. */
  readonly #dependents = new Map<string, ObjectKey | Set<ObjectKey>>();
  readonly #owners = new Map<ObjectKey, string | readonly string[]>();

  /** The objects that name an owner of this UID, in the plane of that owner. */
  dependentsOf(plane: string, uid: string): readonly ObjectKey[] {
    const known = this.#dependents.get(uid);
    if (known === undefined) return [];
    return (known instanceof Set ? [...known] : [known]).filter((dependent) => dependent.plane === plane);
  }

  put(dependent: ObjectKey, owners: readonly OwnerReference[]): void {
    const known = this.#owners.get(dependent);
    if (known === undefined && owners.length === 0) return;
    if (typeof known === "string" && owners.length === 1 && owners[0]?.uid === known) return;
    const after = [...new Set(owners.map(({ uid }) => uid))];
    for (const owner of listOf(known)) if (!after.includes(owner)) this.#unlink(owner, dependent);
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
    const known = this.#dependents.get(owner);
    if (known === undefined) this.#dependents.set(owner, dependent);
    else if (known instanceof Set) known.add(dependent);
    else if (known !== dependent) this.#dependents.set(owner, new Set([known, dependent]));
  }

  #unlink(owner: string, dependent: ObjectKey): void {
    const known = this.#dependents.get(owner);
    if (known === dependent) this.#dependents.delete(owner);
    if (!(known instanceof Set)) return;
    known.delete(dependent);
    if (known.size === 0) this.#dependents.delete(owner);
  }
}

export function ownersOf({ object }: StoredObject): readonly OwnerReference[] {
  return object.metadata.ownerReferences ?? [];
}

function listOf(owners: string | readonly string[] | undefined): readonly string[] {
  if (owners === undefined) return [];
  return typeof owners === "string" ? [owners] : owners;
}
