import type { KindDefinition } from "@milo-quota/kubernetes/schema/kind-definition.ts";
import { claimCreationPolicyDefinition } from "./claim-creation-policy.ts";
import { grantCreationPolicyDefinition } from "./grant-creation-policy.ts";
import { quotaKinds } from "./kinds.ts";
import { resourceClaimDefinition } from "./resource-claim.ts";
import { resourceGrantDefinition } from "./resource-grant.ts";
import { resourceRegistrationDefinition } from "./resource-registration.ts";
import { quotaGroup } from "./well-known.ts";

/** A ClusterRole, as in a manifest; no interface, because it is JSON. */
type QuotaRole = {
  readonly apiVersion: "rbac.authorization.k8s.io/v1";
  readonly kind: "ClusterRole";
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly rules: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }[];
};

const reads = ["get", "list", "watch"];
const readsAndWrites = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** The role `view`, from which `edit` and `admin` aggregate in turn. */
const aggregatedToView = { "rbac.authorization.k8s.io/aggregate-to-view": "true" };

/**
 * The ClusterRoles of the quota API. Reading is part of view, edit and admin. Writing is in roles that nothing aggregates:
 * the admin of a namespace would otherwise raise its quota.
 */
export const quotaRoles: readonly QuotaRole[] = [
  { ...role("milo-quota-view", quotaKinds, reads), metadata: { name: "milo-quota-view", labels: aggregatedToView } },
  role("milo-quota-grants-editor", [resourceGrantDefinition], readsAndWrites),
  role("milo-quota-claims-editor", [resourceClaimDefinition], readsAndWrites),
  role("milo-quota-registrations-editor", [resourceRegistrationDefinition], readsAndWrites),
  role("milo-quota-policies-editor", [claimCreationPolicyDefinition, grantCreationPolicyDefinition], readsAndWrites),
];

function role(name: string, kinds: readonly Pick<KindDefinition, "plural">[], verbs: readonly string[]): QuotaRole {
  const rule = { apiGroups: [quotaGroup], resources: kinds.map(({ plural }) => plural), verbs };
  return { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name }, rules: [rule] };
}
