import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import { namespacesType } from "@milo-quota/kubernetes/client/resources/namespaces.ts";
import { isJsonObject, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";

/** Reads the namespace from the API server. Also true when it no longer exists. */
export async function isNamespaceTerminating(client: KubeClient, name: string, signal: AbortSignal): Promise<boolean> {
  const namespaces = client.resource(namespacesType, anyObject);
  const found = await namespaces.find({ name }, signal);
  const metadata = found === undefined ? undefined : ownValue(found, "metadata");
  return !isJsonObject(metadata) || ownValue(metadata, "deletionTimestamp") !== undefined;
}
