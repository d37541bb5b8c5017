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
  lookUp,
  type RegistrationView,
} from "./registration-rules.ts";

/** What a claim asks for, for whom, and by what. */
type Asking = Pick<ResourceClaim, "consumer" | "resource" | "requests">;

/** What is wrong with a claim beside registrations: nobody registered what it asks for, or not for it. */
export function claimIssues(claim: Asking, view: RegistrationView): readonly FieldIssue[] {
  const use: Use = {
    consumer: { groupKind: claim.consumer, path: "spec.consumerRef" },
    claimant: claim.resource && { groupKind: claim.resource, path: "spec.resourceRef" },
    requests: claim.requests,
    path: "spec.requests",
  };
  return useIssues(use, view);
}

/** The same for what a claim policy asks for. */
export function claimPolicyIssues(
  { trigger, template }: ClaimCreationPolicy,
  view: RegistrationView,
): readonly FieldIssue[] {
  const path = "spec.target.resourceClaimTemplate.spec";
  const groupKind = { apiGroup: parseApiVersion(trigger.apiVersion).group, kind: trigger.kind };
  const use: Use = {
    consumer: template.consumer && { groupKind: template.consumer, path: `${path}.consumerRef` },
    claimant: { groupKind, path: "spec.trigger.resource" },
    requests: template.requests,
    path: `${path}.requests`,
  };
  return useIssues(use, view);
}

/** What is wrong with a grant beside registrations. */
export function grantIssues({ consumer, allowances }: ResourceGrant, view: RegistrationView): readonly FieldIssue[] {
  return supplyIssues({ consumer, allowances, path: "spec" }, view);
}

/** The same for what a grant policy gives. */
export function grantPolicyIssues({ template }: GrantCreationPolicy, view: RegistrationView): readonly FieldIssue[] {
  return supplyIssues({ ...template, path: "spec.target.resourceGrantTemplate.spec" }, view);
}

/** A kind, and where it is written. */
interface Named {
  readonly groupKind: GroupKind;
  readonly path: string;
}

interface Use {
  /** Undefined when only the control plane will tell. */
  readonly consumer: Named | undefined;
  /** Undefined for a claim made by hand. */
  readonly claimant: Named | undefined;
  readonly requests: readonly {
    readonly resourceType: string;
    readonly dimensions: Readonly<Record<string, string>>;
  }[];
  readonly path: string;
}

function useIssues({ consumer, claimant, requests, path }: Use, view: RegistrationView): readonly FieldIssue[] {
  return requests.flatMap(({ resourceType, dimensions }, index) => {
    const at = itemPath(path, index);
    const found = lookUp(view, resourceType, childPath(at, "resourceType"));
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

interface Supply {
  readonly consumer: GroupKind;
  readonly allowances: readonly {
    readonly resourceType: string;
    readonly buckets: readonly { readonly selector: LabelSelector }[];
  }[];
  readonly path: string;
}

function supplyIssues({ consumer, allowances, path }: Supply, view: RegistrationView): readonly FieldIssue[] {
  return allowances.flatMap(({ resourceType, buckets }, index) => {
    const at = itemPath(childPath(path, "allowances"), index);
    const found = lookUp(view, resourceType, childPath(at, "resourceType"));
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
