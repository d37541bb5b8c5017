import { isJsonObject, type JsonObject, jsonEquals, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { type ConsumerRef, consumerKey } from "../../../core/resources/fields/consumer-ref.ts";
import { systemNamespace } from "../../../core/resources/well-known.ts";
import type { ControlPlanes } from "../../../views/control-planes.ts";
import type { ObjectChange } from "../../object-change.ts";

/** The verb on its consumer that a user needs to write an object of the kind. */
const verbs: Readonly<Record<string, "claim" | "grant">> = { ResourceClaim: "claim", ResourceGrant: "grant" };

/** A verb that the writer of a claim or grant needs on a consumer. */
export interface ConsumerRight {
  readonly verb: "claim" | "grant";
  readonly consumer: ConsumerRef;
}

type Change = Pick<ObjectChange, "kind" | "plane" | "namespace" | "object" | "oldObject">;
type Planes = Pick<ControlPlanes, "root" | "planeOf" | "bucketNamespace">;

/**
 * The rights that a change needs: on the consumer of the object, and on its former consumer, whose quota it changes too. None
 * for a change that leaves the spec as it is.
 */
export function requiredRights(change: Change, planes: Planes): readonly ConsumerRight[] {
  const { kind, object, oldObject } = change;
  const verb = verbs[kind.kind];
  if (verb === undefined || (oldObject !== undefined && jsonEquals(specOf(object), specOf(oldObject)))) return [];
  const consumers = [object, ...(oldObject === undefined ? [] : [oldObject])].map(consumerIn);
  const byKey = new Map(consumers.map((consumer) => [consumerKey(consumer), consumer]));
  return [...byKey.values()]
    .filter((consumer) => !isOwnNamespace(change, consumer, planes))
    .map((consumer) => ({ verb, consumer }));
}

/** Whether an object in this namespace is in the own namespace of the consumer, or in its own control plane. */
function isOwnNamespace({ plane, namespace }: Change, consumer: ConsumerRef, planes: Planes): boolean {
  // The system namespace has the quota of many consumers.
  if (namespace === systemNamespace) return false;
  const home = planes.planeOf(consumer);
  if (home !== undefined && home !== plane) return false;
  return (home !== undefined && home !== planes.root) || namespace === planes.bucketNamespace(consumer);
}

/** The consumer's own namespace in this control plane, for messages; undefined if it has none. */
export function ownNamespace(consumer: ConsumerRef, plane: string, planes: Planes): string | undefined {
  const namespace = planes.bucketNamespace(consumer);
  const home = planes.planeOf(consumer) ?? plane;
  return namespace === systemNamespace || home !== plane ? undefined : namespace;
}

/** Read without the schema, because a stored object may be invalid. */
function consumerIn(object: JsonObject): ConsumerRef {
  const spec = specOf(object);
  const consumer = isJsonObject(spec) ? ownValue(spec, "consumerRef") : undefined;
  const text = (field: string): string => {
    const value = isJsonObject(consumer) ? ownValue(consumer, field) : undefined;
    return typeof value === "string" ? value : "";
  };
  return { apiGroup: text("apiGroup"), kind: text("kind"), namespace: text("namespace"), name: text("name") };
}

function specOf(object: JsonObject) {
  return ownValue(object, "spec") ?? null;
}
