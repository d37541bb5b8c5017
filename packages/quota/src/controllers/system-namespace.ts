import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { namespacesType } from "@milo-quota/kubernetes/client/resources/namespaces.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { systemNamespace } from "../core/resources/well-known.ts";
import type { Runtime } from "../views/runtime.ts";

/** Makes the namespace for what belongs to nobody's, in a plane in which it is missing. */
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

/** Whether a write failed because the namespace it goes into is not there. */
export function isNamespaceMissing(error: unknown, namespace: string): boolean {
  if (!(error instanceof StatusError) || error.status.code !== 404) return false;
  const { kind, name } = error.status.details ?? {};
  return kind === "namespaces" && name === namespace;
}
