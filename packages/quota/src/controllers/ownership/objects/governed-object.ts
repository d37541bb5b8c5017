import type { ObjectPlace } from "@milo-quota/kubernetes/client/watch/object-place.ts";
import type { GroupKind } from "../../../core/resources/fields/consumer-ref.ts";
import type { AutomaticClaim } from "../../../views/claim-record.ts";
import type { ControlPlanes } from "../../../views/control-planes.ts";

/** Where an object is that claims are made for. */
export interface ObjectAddress {
  readonly kind: GroupKind;
  readonly place: ObjectPlace;
}

/** No part of it can hold the characters between them. */
export function addressKey({ kind, place }: ObjectAddress): string {
  return `${kindKey(kind)}\n${place.plane}\n${place.namespace}\n${place.name}`;
}

export function kindKey({ apiGroup, kind }: GroupKind): string {
  return `${apiGroup}/${kind}`;
}

/** The object that a claim says it is for. */
export function addressOf({ resource, resourcePlane }: AutomaticClaim, planes: ControlPlanes): ObjectAddress {
  const { apiGroup, kind, namespace, name } = resource;
  return {
    kind: { apiGroup, kind },
    place: { plane: resourcePlane === "" ? planes.root : resourcePlane, namespace, name },
  };
}

export function isSameAddress(one: ObjectAddress, other: ObjectAddress | undefined): boolean {
  return other !== undefined && addressKey(one) === addressKey(other);
}

export function placeKey({ plane, namespace, name }: ObjectPlace): string {
  return `${plane}\n${namespace}\n${name}`;
}
