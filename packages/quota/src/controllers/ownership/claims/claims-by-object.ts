import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";
import { PlaneObjectMap } from "@milo-quota/kubernetes/client/watch/plane-object-map.ts";
import type { GroupKind } from "../../../core/resources/fields/consumer-ref.ts";
import { kindKey, type ObjectAddress } from "../objects/object-address.ts";

/** The claims for objects of one kind. Nearly all objects have one claim, which is stored without an array. */
interface ClaimsOfKind {
  readonly kind: GroupKind;
  readonly claims: PlaneObjectMap<PlaneObjectKey | readonly PlaneObjectKey[]>;
}

/** Indexes claims by their object, and knows the kinds of these objects. */
export class ClaimsByObject {
  readonly #kinds = new Map<string, ClaimsOfKind>();
  readonly #onKindsChanged: () => void;

  constructor(onKindsChanged: () => void) {
    this.#onKindsChanged = onKindsChanged;
  }

  add({ kind, key }: ObjectAddress, claim: PlaneObjectKey): void {
    const existing = this.#kinds.get(kindKey(kind));
    const { claims } = existing ?? this.#newKind(kind);
    const own = listOf(claims.get(key));
    if (own.some((each) => isSame(each, claim))) return;
    claims.set(key, own.length === 0 ? claim : [...own, claim]);
    if (existing === undefined) this.#onKindsChanged();
  }

  remove({ kind, key }: ObjectAddress, claim: PlaneObjectKey): void {
    const claims = this.#kinds.get(kindKey(kind))?.claims;
    const own = listOf(claims?.get(key));
    const left = own.filter((each) => !isSame(each, claim));
    if (claims === undefined || left.length === own.length) return;
    const [only] = left;
    if (only === undefined) claims.delete(key);
    else claims.set(key, left.length === 1 ? only : left);
    if (claims.size > 0) return;
    this.#kinds.delete(kindKey(kind));
    this.#onKindsChanged();
  }

  of({ kind, key }: ObjectAddress): readonly PlaneObjectKey[] {
    return listOf(this.#kinds.get(kindKey(kind))?.claims.get(key));
  }

  kinds(): readonly GroupKind[] {
    return [...this.#kinds.values()].map(({ kind }) => kind);
  }

  #newKind(kind: GroupKind): ClaimsOfKind {
    const created = { kind, claims: new PlaneObjectMap<PlaneObjectKey | readonly PlaneObjectKey[]>() };
    this.#kinds.set(kindKey(kind), created);
    return created;
  }
}

function listOf(claims: PlaneObjectKey | readonly PlaneObjectKey[] | undefined): readonly PlaneObjectKey[] {
  if (claims === undefined) return [];
  return "name" in claims ? [claims] : claims;
}

function isSame(one: PlaneObjectKey, other: PlaneObjectKey): boolean {
  return one.name === other.name && one.namespace === other.namespace && one.plane === other.plane;
}
