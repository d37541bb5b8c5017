import { rootPlane } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { dnsLabel } from "@milo-quota/kubernetes/protocol/names.ts";
import { type ConsumerRef, type GroupKind, sameGroupKind } from "../core/resources/fields/consumer-ref.ts";
import { organizationOf, projectRef } from "../core/resources/object-tenant.ts";
import { addressOfPlane, controlPlanePattern, planeOfTenant, projectOfPlane } from "../views/tenant-planes.ts";
import { iamGroup, resourceManagerGroup } from "./resources/tenancy-names.ts";

const controlPlanePath = new RegExp(`^${controlPlanePattern}(/.*)?$`);

/** A path in the control plane of a tenant. */
export interface TenantPath {
  readonly tenant: "projects" | "organizations";
  readonly name: string;
  /** The rest of the path, inside the control plane. */
  readonly path: string;
}

/** Undefined for paths of the root; "nowhere" for a name that no tenant can have. */
export function tenantPathOf(path: string): TenantPath | "nowhere" | undefined {
  const [, tenant, name = "", rest = "/"] = controlPlanePath.exec(path) ?? [];
  if (tenant === undefined) return undefined;
  if (dnsLabel(name).length > 0) return "nowhere";
  return { tenant: tenant as TenantPath["tenant"], name, path: rest };
}

const organizationKind: GroupKind = { apiGroup: resourceManagerGroup, kind: "Organization" };
const projectKind: GroupKind = { apiGroup: resourceManagerGroup, kind: "Project" };
const membershipKind: GroupKind = { apiGroup: resourceManagerGroup, kind: "OrganizationMembership" };
const userKind: GroupKind = { apiGroup: iamGroup, kind: "User" };

/** The control planes of tenants: each project has its own, organizations share the root. */
export const tenantLayout = {
  hasOrganizationNamespaces: true,

  addressOf: addressOfPlane,

  planeOf: planeOfTenant,

  /** The project of the plane; in the root, the organization that the object belongs to. */
  tenantOf(plane: string, object: JsonObject): ConsumerRef | undefined {
    const project = projectOfPlane(plane);
    return project === undefined ? organizationOf(object) : projectRef(project);
  },

  /** Policies in the root apply to all planes, but objects of tenant kinds exist only in the root. */
  tenantKinds(plane: string, of: GroupKind): readonly GroupKind[] {
    if (projectOfPlane(plane) !== undefined) return [projectKind];
    if ([organizationKind, userKind].some((kind) => sameGroupKind(kind, of))) return [];
    const belongsToOrganization = [projectKind, membershipKind].some((kind) => sameGroupKind(kind, of));
    return belongsToOrganization ? [organizationKind] : [projectKind, organizationKind];
  },

  /** The kinds of the root are served in every project. */
  definitionsFrom(plane: string): string | undefined {
    return plane === rootPlane.plane ? undefined : rootPlane.plane;
  },
} as const;
