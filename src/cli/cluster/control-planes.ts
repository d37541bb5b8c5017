import type { ConsumerRef } from "../../core/resources/consumer-ref.ts";
import { organizationOf, organizationRef, projectRef, tenantGroup } from "../../core/resources/object-tenant.ts";
import { rootPlane } from "../../kube/client/kube-client.ts";
import type { PlaneAddress, ResourceType } from "../../kube/client/resource-type.ts";
import type { JsonObject } from "../../protocol/json-value.ts";
import { dnsLabel } from "../../protocol/names.ts";
import { CommandFailure } from "../command-failure.ts";
import { exitCodes } from "../exit-codes.ts";

const version = "v1alpha1";
const projectPrefix = "project-";
const organizationPath = /\/organizations\/([^/]+)\/control-plane$/;

export const projectsType: ResourceType = { group: tenantGroup, version, plural: "projects", scope: "Cluster" };

/** The control plane of a project; everything in it is its own. */
export function projectPlane(project: string): PlaneAddress {
  return { plane: `${projectPrefix}${project}`, prefix: controlPlanePath("projects", project) };
}

/** The root as one organization sees it. */
export function organizationPlane(organization: string): PlaneAddress {
  return { plane: rootPlane.plane, prefix: controlPlanePath("organizations", organization) };
}

/** The project that a control plane is of; undefined for the root. */
export function projectOfPlane({ plane }: PlaneAddress): string | undefined {
  return plane.startsWith(projectPrefix) ? plane.slice(projectPrefix.length) : undefined;
}

/**
 * The project or organization that an object belongs to, which policies mean when they name none. What is made by way of
 * an organization's control plane is the organization's, also before the server has written that into it.
 */
export function tenantOf(address: PlaneAddress, object: JsonObject): ConsumerRef | undefined {
  const project = projectOfPlane(address);
  if (project !== undefined) return projectRef(project);
  const [, organization] = organizationPath.exec(address.prefix) ?? [];
  return organizationOf(object) ?? (organization === undefined ? undefined : organizationRef(organization));
}

/** The control plane in which a consumer's quota is kept: its own, else the one of the object that uses it. */
export function planeOfConsumer(consumer: ConsumerRef, beside: PlaneAddress): PlaneAddress {
  const project = projectOf(consumer);
  if (project !== undefined) return projectPlane(project);
  return isOrganization(consumer) ? rootPlane : beside;
}

/** Where the claims of a consumer are made, if not beside the object. */
export function projectOf({ apiGroup, kind, name }: ConsumerRef): string | undefined {
  return apiGroup === tenantGroup && kind === "Project" ? name : undefined;
}

export function isOrganization({ apiGroup, kind }: ConsumerRef): boolean {
  return apiGroup === tenantGroup && kind === "Organization";
}

function controlPlanePath(tenant: "projects" | "organizations", name: string): string {
  const faults = dnsLabel(name);
  if (faults.length > 0) {
    const message = `${JSON.stringify(name)} is no name of a tenant: ${faults.join("; ")}`;
    throw new CommandFailure(message, exitCodes.unusable);
  }
  return `/apis/${tenantGroup}/${version}/${tenant}/${name}/control-plane`;
}
