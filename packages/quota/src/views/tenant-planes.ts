import { rootPlane } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { PlaneAddress } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import type { GroupKind } from "../core/resources/fields/consumer-ref.ts";
import { tenantGroup } from "../core/resources/object-tenant.ts";

/** The version of the API of organizations and projects. */
export const tenantVersion = "v1alpha1";

const planePrefix = "project-";
const tenantsPath = `/apis/${tenantGroup}/${tenantVersion}`;

/** In regular expressions: a path to the control plane of a tenant, with which sort of tenant and its name as groups. */
export const controlPlanePattern = `${tenantsPath.replaceAll(".", "\\.")}/(projects|organizations)/([^/]+)/control-plane`;

/** The plane of a project. */
export function projectPlane(project: string): string {
  return `${planePrefix}${project}`;
}

/** The project that a plane is of; undefined for the root. */
export function projectOfPlane(plane: string): string | undefined {
  return plane.startsWith(planePrefix) ? plane.slice(planePrefix.length) : undefined;
}

/** What comes before every path in the control plane of a project. */
export function projectPath(project: string): string {
  return `${tenantsPath}/projects/${project}/control-plane`;
}

/** What comes before every path in the root as one organization sees it. */
export function organizationPath(organization: string): string {
  return `${tenantsPath}/organizations/${organization}/control-plane`;
}

/** The plane that belongs to a tenant: each project has its own, organizations share the root. */
export function planeOfTenant({ apiGroup, kind, name }: GroupKind & { readonly name: string }): string | undefined {
  if (apiGroup !== tenantGroup) return undefined;
  if (kind === "Organization") return rootPlane.plane;
  return kind === "Project" ? projectPlane(name) : undefined;
}

export function addressOfPlane(plane: string): PlaneAddress {
  const project = projectOfPlane(plane);
  return { plane, prefix: project === undefined ? "" : projectPath(project) };
}
