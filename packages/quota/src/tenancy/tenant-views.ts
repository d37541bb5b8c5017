import { type AnyObject, anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { rootPlane } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import { namespacesType } from "@milo-quota/kubernetes/client/resources/namespaces.ts";
import type { Parser } from "@milo-quota/kubernetes/client/resources/read-reply.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { Informer } from "@milo-quota/kubernetes/client/watch/informer.ts";
import { type ListWatchOptions, listerWatcherFor } from "@milo-quota/kubernetes/client/watch/lister-watcher.ts";
import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";
import { type Organization, organizationDefinition, parseOrganization } from "./resources/organization.ts";
import {
  type OrganizationMembership,
  organizationMembershipDefinition,
  parseOrganizationMembership,
} from "./resources/organization-membership.ts";
import { type Project, parseProject, projectDefinition } from "./resources/project.ts";
import { organizationLabel } from "./resources/tenancy-names.ts";
import { parseUser, type User, userDefinition } from "./resources/user.ts";
import type { TenancyRuntime } from "./tenancy-runtime.ts";
import {
  isDeleting,
  type MembershipRecord,
  membershipRecord,
  type NamespaceRecord,
  namespaceRecord,
  type OrganizationRecord,
  organizationRecord,
  type ProjectRecord,
  projectRecord,
} from "./tenant-records.ts";

export interface TenantViews {
  readonly organizations: Informer<Organization, OrganizationRecord>;
  readonly projects: Informer<Project, ProjectRecord>;
  readonly memberships: Informer<OrganizationMembership, MembershipRecord>;
  readonly users: Informer<User, true>;
  /** Namespaces of organizations. */
  readonly namespaces: Informer<AnyObject, NamespaceRecord>;
}

export function createTenantViews({ client, clock, random, report }: TenancyRuntime): TenantViews {
  const informer = <Kind, Kept>(
    type: ResourceType,
    parse: Parser<Kind>,
    keep: (object: Kind) => Kept | undefined,
    selection: ListWatchOptions = {},
  ): Informer<Kind, Kept> =>
    new Informer<Kind, Kept>({
      source: listerWatcherFor(client.resource(type, parse), client.transport, selection),
      parse,
      transform: keep,
      clock,
      random,
      report: (error) => report(`informer of ${type.plural}`, error),
    });
  return {
    organizations: informer(organizationDefinition, parseOrganization, organizationRecord),
    projects: informer(projectDefinition, parseProject, projectRecord),
    memberships: informer(organizationMembershipDefinition, parseOrganizationMembership, membershipRecord),
    users: informer(userDefinition, parseUser, ({ metadata }) => (isDeleting(metadata) ? undefined : true)),
    namespaces: informer(namespacesType, anyObject, namespaceRecord, { labelSelector: organizationLabel }),
  };
}

/** The key of a cluster-scoped object in the root plane. */
export function inRoot(name: string): PlaneObjectKey {
  return { plane: rootPlane.plane, namespace: "", name };
}
