import { organizationNamespace } from "../core/resources/object-tenant.ts";
import { quotaGroup, systemNamespace } from "../core/resources/well-known.ts";
import { iamGroup, resourceManagerGroup } from "./resources/tenancy-names.ts";
import type { Role } from "./tenant-records.ts";

/** What a member wants to do with objects. */
export interface WantedAccess {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  /** Empty: at the scope of the cluster, or in all namespaces that are in sight. */
  readonly namespace: string;
}

const reads: ReadonlySet<string> = new Set(["get", "list", "watch"]);
const makes: ReadonlySet<string> = new Set(["create", "delete", "deletecollection"]);
const writes: ReadonlySet<string> = new Set([...makes, "update", "patch"]);

const claims = `resourceclaims.${quotaGroup}`;

const inQuota = (...plurals: readonly string[]) => plurals.map((plural) => `${plural}.${quotaGroup}`);
const inResourceManager = (...plurals: readonly string[]) =>
  plurals.map((plural) => `${plural}.${resourceManagerGroup}`);

/** Of these a question may name any namespace, and means none. */
const inNoNamespace: ReadonlySet<string> = new Set([
  ...inQuota("resourceregistrations", "grantcreationpolicies", "claimcreationpolicies"),
  ...inResourceManager("organizations", "projects"),
]);

/** What members see of their organization's part of the root. */
const readableInOrganization: ReadonlySet<string> = new Set([
  ...inNoNamespace,
  ...inQuota("resourcegrants", "resourceclaims", "allowancebuckets", "effectiveresourcegrants"),
  ...inResourceManager("organizationmemberships"),
  "namespaces",
  "events",
  "events.events.k8s.io",
]);

const administeredInOrganization: ReadonlySet<string> = new Set(
  inResourceManager("projects", "organizationmemberships"),
);

/** Whoever could write these in a project would give themselves quota, or whatever rights they like. */
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

/** Whether a role allows something in the organization's own control plane. */
export function mayInOrganization(role: Role, organization: string, wanted: WantedAccess): boolean {
  const { verb, subresource, namespace } = wanted;
  const resource = resourceText(wanted);
  const isOwn = namespace === "" || namespace === organizationNamespace(organization);
  if (!isOwn && !inNoNamespace.has(resource)) return false;
  if (reads.has(verb)) return readableInOrganization.has(resource) && ["", "status"].includes(subresource);
  if (role !== "admin" || subresource !== "") return false;
  if (resource === claims) return makes.has(verb);
  return administeredInOrganization.has(resource) && writes.has(verb);
}

/** Whether a role allows something in the control plane of one of the organization's projects. */
export function mayInProject(role: Role, wanted: WantedAccess): boolean {
  const { verb, group, subresource, namespace } = wanted;
  const resource = resourceText(wanted);
  if (!["", "status", "scale"].includes(subresource)) return false;
  if (reads.has(verb)) return role === "admin" || resource !== "secrets";
  // What is counted is kept in here: nobody whom it is counted against may touch it.
  if (role !== "admin" || namespace === systemNamespace) return false;
  if (resource === claims) return subresource === "" && makes.has(verb);
  return writes.has(verb) && !guardedGroups.has(group);
}

function resourceText({ group, resource }: WantedAccess): string {
  return group === "" ? resource : `${resource}.${group}`;
}
