import type { GroupKind } from "../../core/resources/consumer-ref.ts";
import type { ObjectPlace } from "../../kube/watch/informer.ts";
import { addressKey, kindKey, type ObjectAddress } from "./governed-object.ts";

/** Which claims are for which object; and of which kinds there are any. */
export class ClaimsByObject {
  readonly #places = new Map<string, readonly ObjectPlace[]>();
  readonly #kinds = new Map<string, { readonly kind: GroupKind; readonly claims: number }>();
  readonly #kindsChanged: () => void;

  constructor(kindsChanged: () => void) {
    this.#kindsChanged = kindsChanged;
  }

  add(address: ObjectAddress, claim: ObjectPlace): void {
    const key = addressKey(address);
    const known = this.#places.get(key) ?? [];
    if (known.some((place) => isSame(place, claim))) return;
    this.#places.set(key, [...known, claim]);
    this.#count(address.kind, 1);
  }

  remove(address: ObjectAddress, claim: ObjectPlace): void {
    const key = addressKey(address);
    const known = this.#places.get(key) ?? [];
    const left = known.filter((place) => !isSame(place, claim));
    if (left.length === known.length) return;
    if (left.length === 0) this.#places.delete(key);
    else this.#places.set(key, left);
    this.#count(address.kind, -1);
  }

  of(address: ObjectAddress): readonly ObjectPlace[] {
    return this.#places.get(addressKey(address)) ?? [];
  }

  kinds(): readonly GroupKind[] {
    return [...this.#kinds.values()].map(({ kind }) => kind);
  }

  #count(kind: GroupKind, change: number): void {
    const key = kindKey(kind);
    const known = this.#kinds.get(key);
    const claims = (known?.claims ?? 0) + change;
    if (claims === 0) this.#kinds.delete(key);
    else this.#kinds.set(key, { kind: known?.kind ?? kind, claims });
    if (known === undefined || claims === 0) this.#kindsChanged();
  }
}

function isSame(one: ObjectPlace, other: ObjectPlace): boolean {
  return one.name === other.name && one.namespace === other.namespace && one.plane === other.plane;
}
