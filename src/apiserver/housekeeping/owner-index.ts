import type { OwnerReference } from "../../protocol/object-meta.ts";
import { keyText } from "../storage/key-order.ts";
import type { ObjectKey } from "../storage/object-key.ts";
import type { StoredObject } from "../storage/object-store.ts";

/** Who depends on whom, by the UIDs of owners. Objects without owners take no place in it. */
export class OwnerIndex {
  readonly #dependents = new Map<string, Map<string, ObjectKey>>();
  readonly #owners = new Map<string, readonly string[]>();

  /** The objects that name an owner of this UID, in the plane of that owner. */
  dependentsOf(plane: string, uid: string): readonly ObjectKey[] {
    return [...(this.#dependents.get(ownerText(plane, uid))?.values() ?? [])];
  }

  put(dependent: ObjectKey, owners: readonly OwnerReference[]): void {
    const key = keyText(dependent);
    const before = this.#owners.get(key) ?? [];
    const after = owners.map(({ uid }) => ownerText(dependent.plane, uid));
    if (before.length === 0 && after.length === 0) return;
    for (const owner of before) if (!after.includes(owner)) this.#unlink(owner, key);
    for (const owner of after) this.#link(owner, key, dependent);
    if (after.length === 0) this.#owners.delete(key);
    else this.#owners.set(key, after);
  }

  remove(gone: ObjectKey): void {
    const key = keyText(gone);
    for (const owner of this.#owners.get(key) ?? []) this.#unlink(owner, key);
    this.#owners.delete(key);
  }

  #link(owner: string, key: string, dependent: ObjectKey): void {
    const dependents = this.#dependents.get(owner) ?? new Map<string, ObjectKey>();
    dependents.set(key, dependent);
    this.#dependents.set(owner, dependents);
  }

  #unlink(owner: string, key: string): void {
    const dependents = this.#dependents.get(owner);
    dependents?.delete(key);
    if (dependents?.size === 0) this.#dependents.delete(owner);
  }
}

export function ownersOf({ object }: StoredObject): readonly OwnerReference[] {
  return object.metadata.ownerReferences ?? [];
}

function ownerText(plane: string, uid: string): string {
  return `${plane}\n${uid}`;
}
