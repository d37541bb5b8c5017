import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import { isJsonObject, type JsonObject, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ObjectChange } from "../object-change.ts";

/**
 * The change of the object that a write to its scale subresource makes. An API server sends webhooks only the Scale.
 * Undefined when the object does not exist. Growth is only seen for kinds that have their replicas in spec.replicas.
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
