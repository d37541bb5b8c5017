import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { namespacesType } from "@milo-quota/kubernetes/client/resources/namespaces.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { systemNamespace } from "../core/resources/well-known.ts";
import type { Runtime } from "../views/runtime.ts";

/** Creates the system namespace in a control plane, which holds buckets of consumers without a namespace of their own. */
export async function ensureSystemNamespace(
  { planes }: Pick<Runtime, "planes">,
  plane: string,
  signal: AbortSignal,
): Promise<void> {
  const namespaces = planes.client(plane).resource(namespacesType, anyObject);
  if ((await namespaces.find({ name: systemNamespace }, signal)) !== undefined) return;
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: systemNamespace } };
  try {
    await namespaces.create(namespace, {}, signal);
  } catch (error) {
    if (!(error instanceof StatusError) || error.status.reason !== "AlreadyExists") throw error;
  }
}

/** Whether a write failed because its namespace does not exist. */
export function isNamespaceMissing(error: unknown, namespace: string): boolean {
  if (!(error instanceof StatusError) || error.status.code !== 404) return false;
  const { kind, name } = error.status.details ?? {};
  return kind === "namespaces" && name === namespace;
}
