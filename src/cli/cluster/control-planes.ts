import type { ConsumerRef } from "../../core/resources/consumer-ref.ts";
import { rootPlane } from "../../kube/client/kube-client.ts";
import type { PlaneAddress, ResourceType } from "../../kube/client/resource-type.ts";
import { dnsLabel } from "../../protocol/names.ts";
import { CommandFailure } from "../command-failure.ts";
import { exitCodes } from "../exit-codes.ts";

const group = "resourcemanager.miloapis.com";
const version = "v1alpha1";
const projectPrefix = "project-";

export const projectsType: ResourceType = { group, version, plural: "projects", scope: "Cluster" };

/** The control plane of a project; everything in it is its own. */
export function projectPlane(project: string): PlaneAddress {
  return { plane: `${projectPrefix}${project}`, prefix: controlPlanePath("projects", project) };
}

/** The root as one organization sees it. */
export function organizationPlane(organization: string): PlaneAddress {
  return { plane: rootPlane.plane, prefix: controlPlanePath("organizations", organization) };
}

/** The consumer that a control plane belongs to, and that policies mean when they name none. */
export function ownerOf({ plane }: PlaneAddress): ConsumerRef | undefined {
  if (!plane.startsWith(projectPrefix)) return undefined;
  return { apiGroup: group, kind: "Project", namespace: "", name: plane.slice(projectPrefix.length) };
}

/** Where the claims of a consumer are made, if not beside the object. */
export function projectOf({ apiGroup, kind, name }: ConsumerRef): string | undefined {
  return apiGroup === group && kind === "Project" ? name : undefined;
}

export function isOrganization({ apiGroup, kind }: ConsumerRef): boolean {
  return apiGroup === group && kind === "Organization";
}

function controlPlanePath(tenant: "projects" | "organizations", name: string): string {
  const faults = dnsLabel(name);
  if (faults.length > 0) {
    const message = `${JSON.stringify(name)} is no name of a tenant: ${faults.join("; ")}`;
    throw new CommandFailure(message, exitCodes.unusable);
  }
  return `/apis/${group}/${version}/${tenant}/${name}/control-plane`;
}
