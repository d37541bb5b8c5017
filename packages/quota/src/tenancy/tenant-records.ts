import { findCondition } from "@milo-quota/kubernetes/protocol/condition.ts";
import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { organizationNamespace } from "../core/resources/object-tenant.ts";
import type { Organization } from "./resources/organization.ts";
import type { OrganizationMembership } from "./resources/organization-membership.ts";
import type { Project } from "./resources/project.ts";
import { tenancyFinalizer } from "./resources/tenancy-names.ts";

/** What informers keep of objects. Small, because there may be many. */

export interface OrganizationRecord {
  readonly uid: string;
  readonly isDeleting: boolean;
  /** The object itself needs no reconcile. */
  readonly isSettled: boolean;
}

export interface ProjectRecord extends OrganizationRecord {
  readonly organization: string;
  /** UIDs of the organizations that own it. A later organization of the same name is not among them. */
  readonly owners: readonly string[];
  /** Its plane is open. */
  readonly isReady: boolean;
}

export type Role = "view" | "admin";

export interface MembershipRecord {
  readonly organization: string;
  readonly member: { readonly user: string } | { readonly group: string };
  readonly role: Role;
  /** Whether it is in the namespace of its organization. Elsewhere it has no effect. */
  readonly isInOwnNamespace: boolean;
  /** The reason of its condition, if that reflects the current generation. */
  readonly shownReason: string | undefined;
}

export interface NamespaceRecord {
  readonly uid: string;
  /** UIDs of the organizations that own it. */
  readonly owners: readonly string[];
}

export function organizationRecord({ metadata, status }: Organization): OrganizationRecord {
  const isActive = status?.phase === "Active" && isReadyNow(metadata, status);
  return {
    uid: metadata.uid ?? "",
    isDeleting: isDeleting(metadata),
    isSettled: isActive && hasTenancyFinalizer(metadata),
  };
}

export function projectRecord({ metadata, spec, status }: Project): ProjectRecord {
  const isReady = findCondition(status?.conditions, "Ready")?.status === "True";
  return {
    uid: metadata.uid ?? "",
    organization: spec.ownerRef.name,
    owners: organizationOwners(metadata),
    isDeleting: isDeleting(metadata),
    isReady,
    isSettled: isReadyNow(metadata, status) && hasTenancyFinalizer(metadata),
  };
}

export function membershipRecord({ metadata, spec, status }: OrganizationMembership): MembershipRecord | undefined {
  const { organizationRef, userRef, groupRef, roles } = spec;
  if (userRef === undefined && groupRef === undefined) return undefined;
  return {
    organization: organizationRef.name,
    member: userRef === undefined ? { group: groupRef?.name ?? "" } : { user: userRef.name },
    role: roles.includes("admin") ? "admin" : "view",
    isInOwnNamespace: metadata.namespace === organizationNamespace(organizationRef.name),
    shownReason: isCurrent(metadata, status) ? findCondition(status?.conditions, "Ready")?.reason : undefined,
  };
}

export function namespaceRecord({ metadata }: { readonly metadata: ObjectMeta }): NamespaceRecord {
  return { uid: metadata.uid ?? "", owners: organizationOwners(metadata) };
}

/** UIDs of the organizations in the owner references of an object. */
export function organizationOwners({ ownerReferences = [] }: ObjectMeta): readonly string[] {
  return ownerReferences.filter(({ kind }) => kind === "Organization").map(({ uid }) => uid);
}

export function isDeleting({ deletionTimestamp }: ObjectMeta): boolean {
  return deletionTimestamp !== undefined;
}

export function hasTenancyFinalizer({ finalizers = [] }: ObjectMeta): boolean {
  return finalizers.includes(tenancyFinalizer);
}

type Status = Organization["status"] | Project["status"] | OrganizationMembership["status"];

function isReadyNow(metadata: ObjectMeta, status: Status): boolean {
  const isTrue = findCondition(status?.conditions, "Ready")?.status === "True";
  return isTrue && !isDeleting(metadata) && isCurrent(metadata, status);
}

function isCurrent({ generation }: ObjectMeta, status: Status): boolean {
  return status?.observedGeneration !== undefined && Number(status.observedGeneration) === generation;
}
