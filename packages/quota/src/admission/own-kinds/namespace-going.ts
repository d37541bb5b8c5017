import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { isJsonObject, type JsonObject, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";

const namespacesType: ResourceType = { group: "", version: "v1", plural: "namespaces", scope: "Cluster" };

/** Whether a namespace is being deleted, or gone, as the server has it right now. */
export async function isNamespaceGoing(client: KubeClient, name: string, signal: AbortSignal): Promise<boolean> {
  const namespaces = client.resource(namespacesType, (value) => ({ ok: true, value: value as JsonObject }));
  const found = await namespaces.find({ name }, signal);
  const metadata = found === undefined ? undefined : ownValue(found, "metadata");
  return !isJsonObject(metadata) || ownValue(metadata, "deletionTimestamp") !== undefined;
}
