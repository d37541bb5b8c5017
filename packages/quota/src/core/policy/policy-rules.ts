import { type FieldIssue, forbidden, required } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { parseApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { ClaimCreationPolicy } from "../resources/claim-creation-policy.ts";
import { type GroupKind, groupKindText, sameGroupKind } from "../resources/fields/consumer-ref.ts";
import type { GrantCreationPolicy } from "../resources/grant-creation-policy.ts";
import { claimPolicyIssues, grantPolicyIssues } from "../resources/rules/object-rules.ts";
import { activeRegistration, type RegistrationView } from "../resources/rules/registration-rules.ts";
import { quotaGroup } from "../resources/well-known.ts";
import { type CompiledClaimPolicy, compileClaimPolicy } from "./claim-policy.ts";
import { type CompiledGrantPolicy, compileGrantPolicy } from "./grant-policy.ts";
import type { PolicyRules } from "./policy-index.ts";

/**
 * Kinds of the projects and organizations that objects of a kind can belong to, as far as a policy in a plane is about
 * them; none, if such objects belong to no tenant.
 */
export type TenantKinds = (plane: string, of: GroupKind) => readonly GroupKind[];

export function claimPolicyRules(
  tenantKinds: TenantKinds,
  view: RegistrationView,
): PolicyRules<ClaimCreationPolicy, CompiledClaimPolicy> {
  return {
    compile: compileClaimPolicy,
    issues: (policy, plane) => [
      ...consumerIssues(policy, tenantKinds(plane, triggerKind(policy)), view),
      ...claimPolicyIssues(policy, view),
    ],
    resourceTypes: ({ template }) => template.requests.map(({ resourceType }) => resourceType),
  };
}

/** Every object would be refused for it, and nobody who creates one could do anything about that. */
function consumerIssues(
  policy: ClaimCreationPolicy,
  tenants: readonly GroupKind[],
  view: RegistrationView,
): readonly FieldIssue[] {
  const { consumer, requests } = policy.template;
  if (consumer !== undefined) return [];
  const path = "spec.target.resourceClaimTemplate.spec.consumerRef";
  if (tenants.length === 0) {
    const kind = groupKindText(triggerKind(policy));
    return [required(path, `no ${kind} that this policy is about belongs to a project or organization`)];
  }
  const users = requests.flatMap(({ resourceType }) => activeRegistration(view, resourceType)?.consumerType ?? []);
  if (tenants.some((tenant) => users.every((user) => sameGroupKind(user, tenant)))) return [];
  const [meant, wanted] = [tenants, users].map((kinds) => [...new Set(kinds.map(groupKindText))]) as [
    string[],
    string[],
  ];
  const detail = `left out, it means ${meant.join(" or ")}; what is asked for is used by ${wanted.join(" and ")}`;
  return [required(path, detail)];
}

function triggerKind({ trigger }: ClaimCreationPolicy): GroupKind {
  return { apiGroup: parseApiVersion(trigger.apiVersion).group, kind: trigger.kind };
}

export function grantPolicyRules(
  root: string,
  view: RegistrationView,
): PolicyRules<GrantCreationPolicy, CompiledGrantPolicy> {
  return {
    compile: compileGrantPolicy,
    issues: (policy, plane) => [
      ...ownKindIssues(policy),
      ...parentIssues(policy, plane === root),
      ...grantPolicyIssues(policy, view),
    ],
    resourceTypes: ({ template }) => template.allowances.map(({ resourceType }) => resourceType),
  };
}

/** A grant for each grant would never end. */
function ownKindIssues({ trigger }: GrantCreationPolicy): readonly FieldIssue[] {
  if (parseApiVersion(trigger.apiVersion).group !== quotaGroup) return [];
  return [forbidden("spec.trigger.resource.apiVersion", `nothing is granted for objects of ${quotaGroup}`)];
}

/** Whoever may write policies in a plane must not be able to grant anything in another. */
function parentIssues({ parentContext }: GrantCreationPolicy, isInRoot: boolean): readonly FieldIssue[] {
  if (parentContext === undefined || isInRoot) return [];
  return [forbidden("spec.target.parentContext", "only policies in the root may grant in another control plane")];
}
