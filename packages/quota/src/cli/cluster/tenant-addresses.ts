import { rootPlane } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { PlaneAddress, ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { dnsLabel } from "@milo-quota/kubernetes/protocol/names.ts";
import type { ConsumerRef } from "../../core/resources/fields/consumer-ref.ts";
import { organizationOf, organizationRef, projectRef, tenantGroup } from "../../core/resources/object-tenant.ts";
import {
  addressOfPlane,
  controlPlanePattern,
  organizationPath,
  planeOfTenant,
  projectOfPlane,
  projectPlane,
  tenantVersion,
} from "../../views/tenant-planes.ts";
import { CommandError } from "../command-error.ts";
import { exitCodes } from "../exit-codes.ts";

const pathOfTenant = new RegExp(`${controlPlanePattern}/?$`);

export const projectsType: ResourceType = {
  group: tenantGroup,
  version: tenantVersion,
  plural: "projects",
  scope: "Cluster",
};

/** The control plane of a project. */
export function projectAddress(project: string): PlaneAddress {
  return addressOfPlane(projectPlane(requireTenantName(project)));
}

/** An organization's view of the root control plane. */
export function organizationAddress(organization: string): PlaneAddress {
  return { plane: rootPlane.plane, prefix: organizationPath(requireTenantName(organization)) };
}

/** The organization whose view of the root this is, if it is one. */
export function organizationOfPlane({ prefix }: PlaneAddress): string | undefined {
  const [, tenants, name] = pathOfTenant.exec(prefix) ?? [];
  return tenants === "organizations" ? name : undefined;
}

/** An organization's view hides the other namespaces of the root: objects that are not in it may still exist. */
export function isFullView(plane: PlaneAddress): boolean {
  return organizationOfPlane(plane) === undefined;
}

/**
 * The project or organization that an object belongs to, which is the consumer for policies that name none. An object
 * created through an organization's control plane belongs to that organization even before the server has labelled it.
 */
export function tenantOf(address: PlaneAddress, object: JsonObject): ConsumerRef | undefined {
  const project = projectOfPlane(address.plane);
  if (project !== undefined) return projectRef(project);
  const organization = organizationOfPlane(address);
  return organizationOf(object) ?? (organization === undefined ? undefined : organizationRef(organization));
}

/** The control plane that holds a consumer's quota: its own if it is a tenant, otherwise that of the object. */
export function planeOfConsumer(consumer: ConsumerRef, objectPlane: PlaneAddress): PlaneAddress {
  const own = planeOfTenant(consumer);
  return own === undefined ? objectPlane : addressOfPlane(own);
}

export function isProject({ apiGroup, kind }: ConsumerRef): boolean {
  return apiGroup === tenantGroup && kind === "Project";
}

export function isOrganization({ apiGroup, kind }: ConsumerRef): boolean {
  return apiGroup === tenantGroup && kind === "Organization";
}

/** The tenants whose control planes flags or a server URL select. */
export interface TenantSelection {
  readonly organization?: string;
  readonly project?: string;
}

export interface TenantServer {
  /** The URL without the path of a control plane. */
  readonly server: URL;
  readonly tenants: TenantSelection;
}

/** A kubeconfig may select a control plane by the path of the server URL, which is equivalent to the tenant's flag. */
export function splitTenantPath(server: URL): TenantServer {
  const [path, tenants, name] = pathOfTenant.exec(server.pathname) ?? [];
  if (path === undefined || name === undefined) return { server, tenants: {} };
  const root = new URL(server);
  root.pathname = server.pathname.slice(0, -path.length);
  return { server: root, tenants: tenants === "projects" ? { project: name } : { organization: name } };
}

/** Combines the selections of the server URL and of the flags, which must not contradict each other. */
export function mergeTenants(byPath: TenantSelection, byFlag: TenantSelection): TenantSelection {
  for (const tenant of ["organization", "project"] as const) {
    const [inPath, inFlag] = [byPath[tenant], byFlag[tenant]];
    if (inPath === undefined || inFlag === undefined || inPath === inFlag) continue;
    const message = `the server URL selects ${tenant} ${inPath}, but --${tenant} selects ${inFlag}`;
    throw new CommandError(message, exitCodes.usageError, "Omit the flag, or use another --context or --server.");
  }
  const [organization, project] = [byFlag.organization ?? byPath.organization, byFlag.project ?? byPath.project];
  return { ...(organization === undefined ? {} : { organization }), ...(project === undefined ? {} : { project }) };
}

function requireTenantName(tenant: string): string {
  const faults = dnsLabel(tenant);
  if (faults.length === 0) return tenant;
  const message = `${JSON.stringify(tenant)} is not a valid tenant name: ${faults.join("; ")}`;
  throw new CommandError(message, exitCodes.usageError);
}
