import { StatusError } from "../protocol/api-status.ts";
import type { JsonObject } from "../protocol/json-value.ts";
import { bootstrapClusterRoleBindings, bootstrapClusterRoles } from "./http/access/rbac/bootstrap-policy.ts";
import { createObject } from "./registry/create.ts";
import type { KindCatalog } from "./registry/kind-catalog.ts";
import type { WriteRequest } from "./registry/object-request.ts";
import type { Registry } from "./registry/registry.ts";
import type { ApiObject } from "./registry/served-kind.ts";

const namespaces = ["default", "kube-system", "kube-public"];

/** Who the server is to itself. */
const serverUser = {
  username: "system:apiserver",
  uid: "",
  groups: ["system:masters", "system:authenticated"],
  extra: {},
} as const;

/** What every control plane starts with. Doing it again changes nothing. */
export async function bootstrapPlane(
  registry: Registry,
  kinds: KindCatalog,
  plane: string,
  signal: AbortSignal,
): Promise<void> {
  const objects: JsonObject[] = [
    ...namespaces.map((name) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } })),
    ...bootstrapClusterRoles(),
    ...bootstrapClusterRoleBindings(),
  ];
  await Promise.all(objects.map((object) => ensure(registry, requestFor(kinds, plane, object, signal), object)));
}

function requestFor(kinds: KindCatalog, plane: string, object: JsonObject, signal: AbortSignal): WriteRequest {
  const [group, version] = splitVersion(String(object["apiVersion"]));
  const kind = kinds
    .inPlane(plane)
    .all.find((served) => served.group === group && served.version === version && served.kind === object["kind"]);
  if (kind === undefined) throw new Error(`no such kind to start a plane with: ${String(object["kind"])}`);
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
  try {
    await createObject(registry, request, object as unknown as ApiObject);
  } catch (error) {
    if (!(error instanceof StatusError) || error.status.reason !== "AlreadyExists") throw error;
  }
}

function splitVersion(apiVersion: string): readonly [string, string] {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? ["", apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
}
