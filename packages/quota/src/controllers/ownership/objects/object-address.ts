import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";
import type { GroupKind } from "../../../core/resources/fields/consumer-ref.ts";
import type { AutomaticClaim } from "../../../views/claim-record.ts";
import type { ControlPlanes } from "../../../views/control-planes.ts";
import { objectId } from "../../object-id.ts";

/** The kind and key of an object with claims. */
export interface ObjectAddress {
  readonly kind: GroupKind;
  readonly key: PlaneObjectKey;
}

export function addressId({ kind, key }: ObjectAddress): string {
  return `${kindKey(kind)}\n${objectId(key)}`;
}

export function kindKey({ apiGroup, kind }: GroupKind): string {
  return `${apiGroup}/${kind}`;
}

/** The object that a claim names. */
export function addressOf({ resource, resourcePlane }: AutomaticClaim, planes: ControlPlanes): ObjectAddress {
  const { apiGroup, kind, namespace, name } = resource;
  return {
    kind: { apiGroup, kind },
    key: { plane: resourcePlane === "" ? planes.root : resourcePlane, namespace, name },
  };
}

export function isSameAddress(one: ObjectAddress, other: ObjectAddress | undefined): boolean {
  return other !== undefined && addressId(one) === addressId(other);
}
