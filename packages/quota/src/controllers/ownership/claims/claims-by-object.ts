import type { ObjectPlace } from "@milo-quota/kubernetes/client/watch/object-place.ts";
import { PlaceMap } from "@milo-quota/kubernetes/client/watch/place-map.ts";
import type { GroupKind } from "../../../core/resources/fields/consumer-ref.ts";
import { kindKey, type ObjectAddress } from "../objects/governed-object.ts";

/** The claims for objects of one kind. Nearly all objects have one, and so it is held without a list. */
interface ClaimsOfKind {
  readonly kind: GroupKind;
  readonly places: PlaceMap<ObjectPlace | readonly ObjectPlace[]>;
}

/** Which claims are for which object; and of which kinds there are any. */
export class ClaimsByObject {
  readonly #kinds = new Map<string, ClaimsOfKind>();
  readonly #kindsChanged: () => void;

  constructor(kindsChanged: () => void) {
    this.#kindsChanged = kindsChanged;
  }

  add({ kind, place }: ObjectAddress, claim: ObjectPlace): void {
    const known = this.#kinds.get(kindKey(kind));
    const { places } = known ?? this.#newKind(kind);
    const claims = listOf(places.get(place));
    if (claims.some((each) => isSame(each, claim))) return;
    places.set(place, claims.length === 0 ? claim : [...claims, claim]);
    if (known === undefined) this.#kindsChanged();
  }

  remove({ kind, place }: ObjectAddress, claim: ObjectPlace): void {
    const places = this.#kinds.get(kindKey(kind))?.places;
    const known = listOf(places?.get(place));
    const left = known.filter((each) => !isSame(each, claim));
    if (places === undefined || left.length === known.length) return;
    const [only] = left;
    if (only === undefined) places.delete(place);
    else places.set(place, left.length === 1 ? only : left);
    if (places.size > 0) return;
    this.#kinds.delete(kindKey(kind));
    this.#kindsChanged();
  }

  of({ kind, place }: ObjectAddress): readonly ObjectPlace[] {
    return listOf(this.#kinds.get(kindKey(kind))?.places.get(place));
  }

  kinds(): readonly GroupKind[] {
    return [...this.#kinds.values()].map(({ kind }) => kind);
  }

  #newKind(kind: GroupKind): ClaimsOfKind {
    const made = { kind, places: new PlaceMap<ObjectPlace | readonly ObjectPlace[]>() };
    this.#kinds.set(kindKey(kind), made);
    return made;
  }
}

function listOf(claims: ObjectPlace | readonly ObjectPlace[] | undefined): readonly ObjectPlace[] {
  if (claims === undefined) return [];
  return "name" in claims ? [claims] : claims;
}

function isSame(one: ObjectPlace, other: ObjectPlace): boolean {
  return one.name === other.name && one.namespace === other.namespace && one.plane === other.plane;
}
