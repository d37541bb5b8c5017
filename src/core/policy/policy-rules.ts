import { type FieldIssue, forbidden, required } from "../../protocol/field-issue.ts";
import { parseApiVersion } from "../../protocol/object-meta.ts";
import type { ClaimCreationPolicy } from "../resources/claim-creation-policy.ts";
import type { ConsumerRef } from "../resources/consumer-ref.ts";
import type { GrantCreationPolicy } from "../resources/grant-creation-policy.ts";
import { claimPolicyIssues, grantPolicyIssues } from "../resources/object-rules.ts";
import type { RegistrationView } from "../resources/registration-rules.ts";
import { quotaGroup } from "../resources/well-known.ts";
import { type CompiledClaimPolicy, compileClaimPolicy } from "./claim-policy.ts";
import { type CompiledGrantPolicy, compileGrantPolicy } from "./grant-policy.ts";
import type { PolicyRules } from "./policy-index.ts";

/** What policies need to know of control planes. */
export interface PolicyPlanes {
  readonly root: string;
  /** The project or organization that a plane belongs to. */
  ownerOf(plane: string): ConsumerRef | undefined;
  /** Whether there are planes that belong to somebody. */
  readonly hasOwnedPlanes?: boolean;
}

export function claimPolicyRules(
  planes: PolicyPlanes,
  view: RegistrationView,
): PolicyRules<ClaimCreationPolicy, CompiledClaimPolicy> {
  return {
    compile: compileClaimPolicy,
    issues: (policy, plane) => [...consumerIssues(policy, plane, planes), ...claimPolicyIssues(policy, view)],
    resourceTypes: ({ template }) => template.requests.map(({ resourceType }) => resourceType),
  };
}

/**
 * Every object would be refused for it, and nobody who creates one could do anything about that. A policy in the root is
 * about all planes, and may well mean those that belong to somebody.
 */
function consumerIssues(
  { template }: ClaimCreationPolicy,
  plane: string,
  { root, ownerOf, hasOwnedPlanes = false }: PolicyPlanes,
): readonly FieldIssue[] {
  const isMeant = ownerOf(plane) !== undefined || (plane === root && hasOwnedPlanes);
  if (template.consumer !== undefined || isMeant) return [];
  const path = "spec.target.resourceClaimTemplate.spec.consumerRef";
  return [required(path, "the control plane of this policy belongs to no project or organization that could be meant")];
}

export function grantPolicyRules(
  planes: PolicyPlanes,
  view: RegistrationView,
): PolicyRules<GrantCreationPolicy, CompiledGrantPolicy> {
  return {
    compile: compileGrantPolicy,
    issues: (policy, plane) => [
      ...ownKindIssues(policy),
      ...parentIssues(policy, plane === planes.root),
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
