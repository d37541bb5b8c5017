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
import { CommandFailure } from "../command-failure.ts";
import { exitCodes } from "../exit-codes.ts";

const pathOfTenant = new RegExp(`${controlPlanePattern}/?$`);

export const projectsType: ResourceType = {
  group: tenantGroup,
  version: tenantVersion,
  plural: "projects",
  scope: "Cluster",
};

/** The control plane of a project; everything in it is its own. */
export function projectAddress(project: string): PlaneAddress {
  return addressOfPlane(projectPlane(checked(project)));
}

/** The root as one organization sees it. */
export function organizationAddress(organization: string): PlaneAddress {
  return { plane: rootPlane.plane, prefix: organizationPath(checked(organization)) };
}

/** The organization whose view of the root this is. */
export function organizationOfPlane({ prefix }: PlaneAddress): string | undefined {
  const [, tenants, name] = pathOfTenant.exec(prefix) ?? [];
  return tenants === "organizations" ? name : undefined;
}

/** An organization sees a part of the root: what it does not see may be there all the same. */
export function isSeenWhole(plane: PlaneAddress): boolean {
  return organizationOfPlane(plane) === undefined;
}

/**
 * The project or organization that an object belongs to, which policies mean when they name none. What is made by way of
 * an organization's control plane is the organization's, also before the server has written that into it.
 */
export function tenantOf(address: PlaneAddress, object: JsonObject): ConsumerRef | undefined {
  const project = projectOfPlane(address.plane);
  if (project !== undefined) return projectRef(project);
  const organization = organizationOfPlane(address);
  return organizationOf(object) ?? (organization === undefined ? undefined : organizationRef(organization));
}

/** The control plane in which a consumer's quota is kept: its own, else the one of the object that uses it. */
export function planeOfConsumer(consumer: ConsumerRef, beside: PlaneAddress): PlaneAddress {
  const own = planeOfTenant(consumer);
  return own === undefined ? beside : addressOfPlane(own);
}

export function isProject({ apiGroup, kind }: ConsumerRef): boolean {
  return apiGroup === tenantGroup && kind === "Project";
}

export function isOrganization({ apiGroup, kind }: ConsumerRef): boolean {
  return apiGroup === tenantGroup && kind === "Organization";
}

/** Whose control plane a command is about, as far as somebody says. */
export interface NamedTenants {
  readonly organization?: string;
  readonly project?: string;
}

export interface TenantServer {
  /** Without the path of a control plane. */
  readonly server: URL;
  readonly tenants: NamedTenants;
}

/** Kubeconfigs of members name a control plane by the path of the server: it is the same as to name its tenant. */
export function tenantsIn(server: URL): TenantServer {
  const [path, tenants, name] = pathOfTenant.exec(server.pathname) ?? [];
  if (path === undefined || name === undefined) return { server, tenants: {} };
  const root = new URL(server);
  root.pathname = server.pathname.slice(0, -path.length);
  return { server: root, tenants: tenants === "projects" ? { project: name } : { organization: name } };
}

/** What flags say beside what the server's path says; both may name the same tenant, and neither another. */
export function tenantsMeant(byPath: NamedTenants, byFlag: NamedTenants): NamedTenants {
  for (const tenant of ["organization", "project"] as const) {
    const [there, asked] = [byPath[tenant], byFlag[tenant]];
    if (there === undefined || asked === undefined || there === asked) continue;
    const message = `the server's URL is that of ${tenant} ${there}, and --${tenant} ${asked} asks for another`;
    throw new CommandFailure(
      message,
      exitCodes.unusable,
      "Leave the flag out, or choose another --context or --server.",
    );
  }
  const [organization, project] = [byFlag.organization ?? byPath.organization, byFlag.project ?? byPath.project];
  return { ...(organization === undefined ? {} : { organization }), ...(project === undefined ? {} : { project }) };
}

function checked(tenant: string): string {
  const faults = dnsLabel(tenant);
  if (faults.length === 0) return tenant;
  const message = `${JSON.stringify(tenant)} is no name of a tenant: ${faults.join("; ")}`;
  throw new CommandFailure(message, exitCodes.unusable);
}
