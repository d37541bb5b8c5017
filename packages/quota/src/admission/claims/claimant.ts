import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { isJsonObject, type JsonObject, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { OwnerReference } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { claimOwner, mayOwn } from "../../core/resources/claim-owner.ts";
import type { ControlPlanes } from "../../views/control-planes.ts";
import { Refused } from "../answers/refusals.ts";
import type { ObjectChange } from "../object-change.ts";

/** Who a claim is for. */
export interface Claimant {
  /** UID of the object. */
  readonly uid: string;
  /** Whether the object is there already, and is to be changed. Then its UID may be on claims of earlier changes. */
  readonly isStored: boolean;
  /** Whether an object of this name is stored that has that UID. */
  exists(uid: string, signal: AbortSignal): Promise<boolean>;
  /** What to tell somebody who creates an object that is there already. */
  taken(): Refused;
}

export function claimantOf(change: ObjectChange, planes: ControlPlanes): Claimant {
  const { plane, kind, namespace, name } = change;
  const objects = planes.client(plane).resource(kind, anyObject);
  const ref = { name, ...(kind.scope === "Cluster" ? {} : { namespace }) };
  return {
    uid: uidOf(change.object),
    isStored: change.operation === "UPDATE",
    exists: async (uid, signal) => {
      const found = await objects.find(ref, signal);
      return found !== undefined && uidOf(found) === uid;
    },
    taken: () => Refused.taken({ group: kind.group, resource: kind.plural }, name),
  };
}

/** The reference to the object in a claim there that it may own. One that is going would take the claim with it. */
export function ownerOf(
  { object, plane, namespace, kind, name }: ObjectChange,
  claim: { readonly plane: string; readonly namespace: string },
): OwnerReference | undefined {
  const [apiVersion, uid] = [ownValue(object, "apiVersion"), uidOf(object)];
  if (typeof apiVersion !== "string" || uid === "" || isGoing(object)) return undefined;
  return mayOwn({ plane, namespace }, claim) ? claimOwner({ apiVersion, kind: kind.kind, name, uid }) : undefined;
}

function isGoing(object: JsonObject): boolean {
  const metadata = ownValue(object, "metadata");
  return isJsonObject(metadata) && ownValue(metadata, "deletionTimestamp") !== undefined;
}

export function uidOf(object: JsonObject): string {
  const metadata = ownValue(object, "metadata");
  const uid = isJsonObject(metadata) ? ownValue(metadata, "uid") : undefined;
  return typeof uid === "string" ? uid : "";
}
