import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import { isJsonObject, type JsonObject, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ObjectChange } from "../object-change.ts";

/**
 * What scaling an object makes of the object itself: an API server shows webhooks only the Scale. Undefined when there is
 * no such object. Kinds that keep their replicas anywhere else than in spec.replicas are not seen to grow.
 */
export async function scaledObject(
  change: ObjectChange,
  client: KubeClient,
  signal: AbortSignal,
): Promise<ObjectChange | undefined> {
  const { kind, namespace, name } = change;
  const objects = client.resource(kind, anyObject);
  const ref = { name, ...(kind.scope === "Cluster" ? {} : { namespace }) };
  const stored = await objects.find(ref, signal);
  if (stored === undefined) return undefined;
  const replicas = ownValue(part(change.object, "spec"), "replicas") ?? 0;
  const object: JsonObject = { ...(stored as JsonObject), spec: { ...part(stored, "spec"), replicas } };
  return { ...change, kind: { ...kind, kind: String(ownValue(stored, "kind") ?? "") }, oldObject: stored, object };
}

function part(object: JsonObject, field: string): JsonObject {
  const value = ownValue(object, field);
  return isJsonObject(value) ? value : {};
}
