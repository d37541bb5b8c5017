import { type FieldIssue, forbidden, required } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { parseApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { ClaimCreationPolicy } from "../resources/claim-creation-policy.ts";
import { type GroupKind, groupKindText, sameGroupKind } from "../resources/fields/consumer-ref.ts";
import type { GrantCreationPolicy } from "../resources/grant-creation-policy.ts";
import { claimPolicyIssues, grantPolicyIssues } from "../resources/rules/object-rules.ts";
import { activeRegistration, type RegistrationView } from "../resources/rules/registration-rules.ts";
import { quotaGroup } from "../resources/well-known.ts";
import { type CompiledClaimPolicy, compileClaimPolicy } from "./claim-policy.ts";
import { lastEnforced } from "./enforced-generation.ts";
import { type CompiledGrantPolicy, compileGrantPolicy } from "./grant-policy.ts";
import type { PolicyRules } from "./policy-index.ts";

/**
 * The kinds of tenants (Project, Organization) that objects of a kind can belong to, among the objects that a policy in the
 * plane applies to. Empty if such objects belong to no tenant.
 */
export type TenantKinds = (plane: string, of: GroupKind) => readonly GroupKind[];

export function claimPolicyRules(
  tenantKinds: TenantKinds,
  view: RegistrationView,
): PolicyRules<ClaimCreationPolicy, CompiledClaimPolicy> {
  const issues = (policy: ClaimCreationPolicy, plane: string): readonly FieldIssue[] => [
    ...consumerIssues(policy, tenantKinds(plane, triggerKind(policy)), view),
    ...claimPolicyIssues(policy, view),
  ];
  return {
    compile: compileClaimPolicy,
    issues,
    whileInvalid: (policy, plane) => lastEnforced(policy, (earlier) => issues(earlier, plane)),
    resourceTypes: ({ template }) => template.requests.map(({ resourceType }) => resourceType),
  };
}

/** Without a consumer, the policy would reject every object, whatever its author did. */
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
    return [required(path, `no ${kind} that this policy applies to belongs to a project or organization`)];
  }
  const users = requests.flatMap(({ resourceType }) => activeRegistration(view, resourceType)?.consumerType ?? []);
  if (tenants.some((tenant) => users.every((user) => sameGroupKind(user, tenant)))) return [];
  const [defaults, consumers] = [tenants, users].map((kinds) => [...new Set(kinds.map(groupKindText))]) as [
    string[],
    string[],
  ];
  const detail = `the default is ${defaults.join(" or ")}, but the consumer of the requested quota is ${consumers.join(" and ")}`;
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
      ...quotaKindIssues(policy),
      ...parentIssues(policy, plane === root),
      ...grantPolicyIssues(policy, view),
    ],
    resourceTypes: ({ template }) => template.allowances.map(({ resourceType }) => resourceType),
  };
}

/** Grants for grants would never end. */
function quotaKindIssues({ trigger }: GrantCreationPolicy): readonly FieldIssue[] {
  if (parseApiVersion(trigger.apiVersion).group !== quotaGroup) return [];
  return [forbidden("spec.trigger.resource.apiVersion", `grants cannot be created for objects of ${quotaGroup}`)];
}

/** The right to write policies in one control plane must not allow to grant quota in another. */
function parentIssues({ parentContext }: GrantCreationPolicy, isInRoot: boolean): readonly FieldIssue[] {
  if (parentContext === undefined || isInRoot) return [];
  return [forbidden("spec.target.parentContext", "only policies in the root may grant in another control plane")];
}
