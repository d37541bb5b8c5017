import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { isJsonObject, type JsonObject, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { OwnerReference } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { claimOwner, mayOwn } from "../../core/resources/claim-owner.ts";
import type { ControlPlanes } from "../../views/control-planes.ts";
import { Rejection } from "../answers/rejection.ts";
import type { ObjectChange } from "../object-change.ts";

/** The object that a claim is for. */
export interface Claimant {
  readonly uid: string;
  /** Whether the request updates a stored object. Then claims of earlier changes may list its UID. */
  readonly isStored: boolean;
  /** Whether the stored object of this name has that UID. */
  exists(uid: string, signal: AbortSignal): Promise<boolean>;
  /** The rejection of a create when an object of the name exists. */
  alreadyExists(): Rejection;
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
    alreadyExists: () => Rejection.alreadyExists({ group: kind.group, resource: kind.plural }, name),
  };
}

/** The owner reference for a claim; undefined when the object may not own it, or is terminating and would take it along. */
export function ownerOf(
  { object, plane, namespace, kind, name }: ObjectChange,
  claim: { readonly plane: string; readonly namespace: string },
): OwnerReference | undefined {
  const [apiVersion, uid] = [ownValue(object, "apiVersion"), uidOf(object)];
  if (typeof apiVersion !== "string" || uid === "" || isTerminating(object)) return undefined;
  return mayOwn({ plane, namespace }, claim) ? claimOwner({ apiVersion, kind: kind.kind, name, uid }) : undefined;
}

function isTerminating(object: JsonObject): boolean {
  const metadata = ownValue(object, "metadata");
  return isJsonObject(metadata) && ownValue(metadata, "deletionTimestamp") !== undefined;
}

export function uidOf(object: JsonObject): string {
  const metadata = ownValue(object, "metadata");
  const uid = isJsonObject(metadata) ? ownValue(metadata, "uid") : undefined;
  return typeof uid === "string" ? uid : "";
}
