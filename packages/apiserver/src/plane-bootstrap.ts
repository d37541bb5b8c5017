import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { parseApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { bootstrapClusterRoleBindings, bootstrapClusterRoles } from "./http/access/rbac/bootstrap-policy.ts";
import { AdmissionChain } from "./registry/admission/admission-chain.ts";
import { createObject } from "./registry/create.ts";
import type { ApiObject } from "./registry/kinds/api-object.ts";
import type { KindCatalog } from "./registry/kinds/kind-catalog.ts";
import { keyOf, type WriteRequest } from "./registry/object-request.ts";
import type { Registry } from "./registry/registry.ts";

const namespaces = ["default", "kube-system", "kube-public"];

export interface BootstrapDeps {
  readonly registry: Omit<Registry, "admission">;
  readonly kinds: KindCatalog;
  /** ClusterRoles besides those of Kubernetes. */
  readonly clusterRoles?: readonly JsonObject[];
}

/** The server's own user. */
const serverUser = {
  username: "system:apiserver",
  uid: "",
  groups: ["system:masters", "system:authenticated"],
  extra: {},
} as const;

/**
 * Creates the initial objects of a control plane, with further ClusterRoles. Idempotent. Skips admission: a webhook that rejects or does not
 * respond must not prevent the server from starting.
 */
export async function bootstrapPlane(
  { registry, kinds, clusterRoles = [] }: BootstrapDeps,
  plane: string,
  signal: AbortSignal,
): Promise<void> {
  const objects: JsonObject[] = [
    ...namespaces.map((name) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } })),
    ...bootstrapClusterRoles(),
    ...clusterRoles,
    ...bootstrapClusterRoleBindings(),
  ];
  const unasked: Registry = { ...registry, admission: new AdmissionChain([], () => undefined) };
  await Promise.all(objects.map((object) => ensure(unasked, requestFor(kinds, plane, object, signal), object)));
}

function requestFor(kinds: KindCatalog, plane: string, object: JsonObject, signal: AbortSignal): WriteRequest {
  const { group, version } = parseApiVersion(String(object["apiVersion"]));
  const kind = kinds
    .inPlane(plane)
    .all.find((served) => served.group === group && served.version === version && served.kind === object["kind"]);
  if (kind === undefined) throw new Error(`unknown kind of a bootstrap object: ${String(object["kind"])}`);
  return {
    plane,
    kind,
    namespace: "",
    subresource: "",
    user: serverUser,
    manager: "milo-quota",
    dryRun: false,
    fieldValidation: "Strict",
    warn: () => undefined,
    signal,
  };
}

async function ensure(registry: Registry, request: WriteRequest, object: JsonObject): Promise<void> {
  const made = object as unknown as ApiObject;
  if (registry.store.get(keyOf(request, made.metadata.name as string)) !== undefined) return;
  try {
    await createObject(registry, request, made);
  } catch (error) {
    if (!(error instanceof StatusError) || error.status.reason !== "AlreadyExists") throw error;
  }
}
