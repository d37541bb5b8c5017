import { rootPlane } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import { planeNotFound } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { type ApiStatus, resourceNotFound, serviceUnavailable } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { projectPlane } from "../views/tenant-planes.ts";
import { organizationView } from "./organization-view.ts";
import { type TenantPath, tenantPathOf } from "./plane-layout.ts";
import { resourceManagerGroup } from "./resources/tenancy-names.ts";
import type { Availability, TenantDirectory } from "./tenant-directory.ts";

export interface ResolvedPath {
  readonly plane: string;
  readonly path: string;
  readonly view?: ReturnType<typeof organizationView>;
  /** The response to all requests while the plane cannot be used. */
  readonly unavailable?: ApiStatus;
}

/** Resolves a path to the plane of a project, an organization's view of the root, or the root. */
export function planeResolver(
  directory: Pick<TenantDirectory, "project" | "organization" | "organizationUid">,
): (path: string) => ResolvedPath | undefined {
  return (path) => {
    const found = tenantPathOf(path);
    if (found === undefined) return { plane: rootPlane.plane, path };
    if (found === "nowhere") return undefined;
    const { tenant, name, path: rest } = found;
    if (tenant === "projects")
      return { plane: projectPlane(name), path: rest, ...fault(found, directory.project(name)) };
    const uid = directory.organizationUid(name);
    // The view ends when another organization of the same name replaces this one.
    const view = organizationView(name, () => directory.organizationUid(name) === uid);
    return { plane: rootPlane.plane, path: rest, view, ...fault(found, directory.organization(name)) };
  };
}

function fault({ tenant, name }: TenantPath, availability: Availability): Pick<ResolvedPath, "unavailable"> {
  switch (availability) {
    case "open":
      return {};
    case "opening":
      return { unavailable: serviceUnavailable(`the control plane of ${tenant} "${name}" is not ready yet`, 1) };
    case "unknown":
      return { unavailable: notFound(tenant, name) };
  }
}

function notFound(tenant: string, name: string): ApiStatus {
  const status = resourceNotFound({ group: resourceManagerGroup, resource: tenant }, name);
  const cause = { reason: planeNotFound, message: "the control plane does not exist" };
  return { ...status, details: { ...status.details, causes: [cause] } };
}
