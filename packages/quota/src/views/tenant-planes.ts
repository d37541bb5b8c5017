import { rootPlane } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { PlaneAddress } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import type { GroupKind } from "../core/resources/fields/consumer-ref.ts";
import { tenantGroup } from "../core/resources/object-tenant.ts";

/** The version of the tenancy API. */
export const tenantVersion = "v1alpha1";

const planePrefix = "project-";
const tenantsPath = `/apis/${tenantGroup}/${tenantVersion}`;

/** A regular expression for paths of tenant control planes; its groups are the tenant resource and name. */
export const controlPlanePattern = `${tenantsPath.replaceAll(".", "\\.")}/(projects|organizations)/([^/]+)/control-plane`;

/** The name of a project's control plane. */
export function projectPlane(project: string): string {
  return `${planePrefix}${project}`;
}

/** The project of a control plane; undefined for the root. */
export function projectOfPlane(plane: string): string | undefined {
  return plane.startsWith(planePrefix) ? plane.slice(planePrefix.length) : undefined;
}

/** The path prefix of a project's control plane. */
export function projectPath(project: string): string {
  return `${tenantsPath}/projects/${project}/control-plane`;
}

/** The path prefix of the root as one organization sees it. */
export function organizationPath(organization: string): string {
  return `${tenantsPath}/organizations/${organization}/control-plane`;
}

/** The control plane of a tenant: each project has its own, organizations share the root. */
export function planeOfTenant({ apiGroup, kind, name }: GroupKind & { readonly name: string }): string | undefined {
  if (apiGroup !== tenantGroup) return undefined;
  if (kind === "Organization") return rootPlane.plane;
  return kind === "Project" ? projectPlane(name) : undefined;
}

export function addressOfPlane(plane: string): PlaneAddress {
  const project = projectOfPlane(plane);
  return { plane, prefix: project === undefined ? "" : projectPath(project) };
}
