import { childPath, type FieldIssue, itemPath } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { parseApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { LabelSelector } from "@milo-quota/kubernetes/protocol/selectors/label-selector.ts";
import type { ClaimCreationPolicy } from "../claim-creation-policy.ts";
import type { GroupKind } from "../fields/consumer-ref.ts";
import { selectedDimensions } from "../fields/dimension-selector.ts";
import type { GrantCreationPolicy } from "../grant-creation-policy.ts";
import type { ResourceClaim } from "../resource-claim.ts";
import type { ResourceGrant } from "../resource-grant.ts";
import {
  claimantIssues,
  consumerIssues,
  dimensionIssues,
  featureIssue,
  type RegistrationView,
  requireRegistration,
} from "./registration-rules.ts";

type ClaimFields = Pick<ResourceClaim, "consumer" | "resource" | "requests">;

/** Issues of a claim with the registrations of the requested resource types. */
export function claimIssues(claim: ClaimFields, view: RegistrationView): readonly FieldIssue[] {
  const claimed: ClaimedRequests = {
    consumer: { groupKind: claim.consumer, path: "spec.consumerRef" },
    claimant: claim.resource && { groupKind: claim.resource, path: "spec.resourceRef" },
    requests: claim.requests,
    path: "spec.requests",
  };
  return requestIssues(claimed, view);
}

export function claimPolicyIssues(
  { trigger, template }: ClaimCreationPolicy,
  view: RegistrationView,
): readonly FieldIssue[] {
  const path = "spec.target.resourceClaimTemplate.spec";
  const groupKind = { apiGroup: parseApiVersion(trigger.apiVersion).group, kind: trigger.kind };
  const claimed: ClaimedRequests = {
    consumer: template.consumer && { groupKind: template.consumer, path: `${path}.consumerRef` },
    claimant: { groupKind, path: "spec.trigger.resource" },
    requests: template.requests,
    path: `${path}.requests`,
  };
  return requestIssues(claimed, view);
}

/** Issues of a grant with the registrations of the granted resource types. */
export function grantIssues({ consumer, allowances }: ResourceGrant, view: RegistrationView): readonly FieldIssue[] {
  return allowanceIssues({ consumer, allowances, path: "spec" }, view);
}

export function grantPolicyIssues({ template }: GrantCreationPolicy, view: RegistrationView): readonly FieldIssue[] {
  return allowanceIssues({ ...template, path: "spec.target.resourceGrantTemplate.spec" }, view);
}

/** A kind, and the path of the field that names it. */
interface KindAtPath {
  readonly groupKind: GroupKind;
  readonly path: string;
}

interface ClaimedRequests {
  /** Undefined when it defaults to the tenant of the object. */
  readonly consumer: KindAtPath | undefined;
  /** Undefined for a claim without resourceRef. */
  readonly claimant: KindAtPath | undefined;
  readonly requests: readonly {
    readonly resourceType: string;
    readonly dimensions: Readonly<Record<string, string>>;
  }[];
  readonly path: string;
}

function requestIssues(
  { consumer, claimant, requests, path }: ClaimedRequests,
  view: RegistrationView,
): readonly FieldIssue[] {
  return requests.flatMap(({ resourceType, dimensions }, index) => {
    const at = itemPath(path, index);
    const found = requireRegistration(view, resourceType, childPath(at, "resourceType"));
    if ("issue" in found) return [found.issue];
    const { registration } = found;
    if (registration.type === "Feature") return [featureIssue(registration, childPath(at, "resourceType"))];
    return [
      ...(consumer === undefined ? [] : consumerIssues(registration, consumer.groupKind, consumer.path)),
      ...(claimant === undefined ? [] : claimantIssues(registration, claimant.groupKind, claimant.path)),
      ...dimensionIssues(registration, Object.keys(dimensions), childPath(at, "dimensions")),
    ];
  });
}

interface GrantedAllowances {
  readonly consumer: GroupKind;
  readonly allowances: readonly {
    readonly resourceType: string;
    readonly buckets: readonly { readonly selector: LabelSelector }[];
  }[];
  readonly path: string;
}

function allowanceIssues(
  { consumer, allowances, path }: GrantedAllowances,
  view: RegistrationView,
): readonly FieldIssue[] {
  return allowances.flatMap(({ resourceType, buckets }, index) => {
    const at = itemPath(childPath(path, "allowances"), index);
    const found = requireRegistration(view, resourceType, childPath(at, "resourceType"));
    if ("issue" in found) return [found.issue];
    return [
      ...consumerIssues(found.registration, consumer, childPath(path, "consumerRef")),
      ...buckets.flatMap(({ selector }, bucket) => {
        const selectorPath = `${at}.buckets[${bucket}].dimensionSelector`;
        return dimensionIssues(found.registration, selectedDimensions(selector), selectorPath);
      }),
    ];
  });
}
