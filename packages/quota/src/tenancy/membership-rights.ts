import { organizationNamespace } from "../core/resources/object-tenant.ts";
import { quotaGroup, systemNamespace } from "../core/resources/well-known.ts";
import { iamGroup, resourceManagerGroup } from "./resources/tenancy-names.ts";
import type { Role } from "./tenant-records.ts";

export interface AccessRequest {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  /** Empty for cluster-scoped resources, and for requests in all visible namespaces. */
  readonly namespace: string;
}

const reads: ReadonlySet<string> = new Set(["get", "list", "watch"]);
const createsAndDeletes: ReadonlySet<string> = new Set(["create", "delete", "deletecollection"]);
const writes: ReadonlySet<string> = new Set([...createsAndDeletes, "update", "patch"]);

const claims = `resourceclaims.${quotaGroup}`;

const inQuota = (...plurals: readonly string[]) => plurals.map((plural) => `${plural}.${quotaGroup}`);
const inResourceManager = (...plurals: readonly string[]) =>
  plurals.map((plural) => `${plural}.${resourceManagerGroup}`);

/** Cluster-scoped resources. The namespace of an access review does not matter for them. */
const clusterScoped: ReadonlySet<string> = new Set([
  ...inQuota("resourceregistrations", "grantcreationpolicies", "claimcreationpolicies"),
  ...inResourceManager("organizations", "projects"),
]);

/** Resources that members can read in their organization's own control plane. */
const readableInOrganization: ReadonlySet<string> = new Set([
  ...clusterScoped,
  ...inQuota("resourcegrants", "resourceclaims", "allowancebuckets", "effectiveresourcegrants"),
  ...inResourceManager("organizationmemberships"),
  "namespaces",
  "events",
  "events.events.k8s.io",
]);

const administeredInOrganization: ReadonlySet<string> = new Set(
  inResourceManager("projects", "organizationmemberships"),
);

/** Groups that members may not write in a project, because they could grant themselves quota or rights. */
const guardedGroups: ReadonlySet<string> = new Set([
  quotaGroup,
  resourceManagerGroup,
  iamGroup,
  "rbac.authorization.k8s.io",
  "authentication.k8s.io",
  "authorization.k8s.io",
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
  "apiregistration.k8s.io",
  "certificates.k8s.io",
  "flowcontrol.apiserver.k8s.io",
]);

/** In the organization's own control plane. */
export function isAllowedInOrganization(role: Role, organization: string, request: AccessRequest): boolean {
  const { verb, subresource, namespace } = request;
  const resource = resourceText(request);
  const isOwn = namespace === "" || namespace === organizationNamespace(organization);
  if (!isOwn && !clusterScoped.has(resource)) return false;
  if (reads.has(verb)) return readableInOrganization.has(resource) && ["", "status"].includes(subresource);
  if (role !== "admin" || subresource !== "") return false;
  if (resource === claims) return createsAndDeletes.has(verb);
  return administeredInOrganization.has(resource) && writes.has(verb);
}

/** In the control plane of a project of the organization. */
export function isAllowedInProject(role: Role, request: AccessRequest): boolean {
  const { verb, group, subresource, namespace } = request;
  const resource = resourceText(request);
  if (!["", "status", "scale"].includes(subresource)) return false;
  if (reads.has(verb)) return role === "admin" || resource !== "secrets";
  // The quota objects of the project are in the system namespace.
  if (role !== "admin" || namespace === systemNamespace) return false;
  if (resource === claims) return subresource === "" && createsAndDeletes.has(verb);
  return writes.has(verb) && !guardedGroups.has(group);
}

function resourceText({ group, resource }: AccessRequest): string {
  return group === "" ? resource : `${resource}.${group}`;
}
