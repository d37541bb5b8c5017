import { childPath, type FieldIssue, forbidden, invalid, itemPath } from "../../protocol/field-issue.ts";
import { parseApiVersion } from "../../protocol/object-meta.ts";
import type { ClaimCreationPolicy } from "./claim-creation-policy.ts";
import type { GroupKind } from "./consumer-ref.ts";
import { selectedDimensions } from "./dimension-selector.ts";
import { dimensionKey } from "./dimensions.ts";
import type { GrantCreationPolicy } from "./grant-creation-policy.ts";
import {
  claimantIssues,
  consumerIssues,
  dimensionIssues,
  featureIssue,
  lookUp,
  type RegistrationView,
} from "./registration-rules.ts";
import type { ClaimRequest, ResourceClaim } from "./resource-claim.ts";
import type { ResourceGrant } from "./resource-grant.ts";

const dimensionCharactersMax = 16_384;

/** What only other objects can tell of a claim, a grant or a policy, and what no schema can say. */

export function claimIssues(claim: ResourceClaim, view: RegistrationView): readonly FieldIssue[] {
  const use: Use = {
    consumer: { groupKind: claim.consumer, path: "spec.consumerRef" },
    claimant: claim.resource && { groupKind: claim.resource, path: "spec.resourceRef" },
  };
  const requests = claim.requests.flatMap((request, index) => {
    const path = itemPath("spec.requests", index);
    const names = Object.keys(request.dimensions);
    return [
      ...requestIssues(request, path),
      ...typeIssues(view, { resourceType: request.resourceType, names, path }, use),
    ];
  });
  return [...sizeIssues(claim), ...requests];
}

export function grantIssues(grant: ResourceGrant, view: RegistrationView): readonly FieldIssue[] {
  return grant.allowances.flatMap((allowance, index) => {
    const path = itemPath("spec.allowances", index);
    const found = lookUp(view, allowance.resourceType, childPath(path, "resourceType"));
    if ("issue" in found) return [found.issue];
    return [
      ...consumerIssues(found.registration, grant.consumer, "spec.consumerRef"),
      ...allowance.buckets.flatMap(({ selector }, at) =>
        dimensionIssues(found.registration, selectedDimensions(selector), `${path}.buckets[${at}].dimensionSelector`),
      ),
    ];
  });
}

export function claimPolicyIssues(policy: ClaimCreationPolicy, view: RegistrationView): readonly FieldIssue[] {
  const template = "spec.target.resourceClaimTemplate.spec";
  const { trigger } = policy;
  const { consumer } = policy.template;
  const use: Use = {
    consumer: consumer && { groupKind: consumer, path: `${template}.consumerRef` },
    claimant: {
      groupKind: { apiGroup: parseApiVersion(trigger.apiVersion).group, kind: trigger.kind },
      path: "spec.trigger.resource",
    },
  };
  return policy.template.requests.flatMap((request, index) => {
    const path = itemPath(`${template}.requests`, index);
    const names = Object.keys(request.dimensions);
    return typeIssues(view, { resourceType: request.resourceType, names, path }, use);
  });
}

export function grantPolicyIssues(policy: GrantCreationPolicy, view: RegistrationView): readonly FieldIssue[] {
  const template = "spec.target.resourceGrantTemplate.spec";
  return policy.template.allowances.flatMap((allowance, index) => {
    const path = itemPath(`${template}.allowances`, index);
    const found = lookUp(view, allowance.resourceType, childPath(path, "resourceType"));
    if ("issue" in found) return [found.issue];
    return [
      ...consumerIssues(found.registration, policy.template.consumer, `${template}.consumerRef`),
      ...allowance.buckets.flatMap(({ selector }, at) =>
        dimensionIssues(found.registration, selectedDimensions(selector), `${path}.buckets[${at}].dimensionSelector`),
      ),
    ];
  });
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
}

interface Requested {
  readonly resourceType: string;
  readonly names: readonly string[];
  readonly path: string;
}

function typeIssues(view: RegistrationView, { resourceType, names, path }: Requested, use: Use): readonly FieldIssue[] {
  const typePath = childPath(path, "resourceType");
  const found = lookUp(view, resourceType, typePath);
  if ("issue" in found) return [found.issue];
  const { registration } = found;
  const { consumer, claimant } = use;
  if (registration.type === "Feature") return [featureIssue(registration, typePath)];
  return [
    ...(consumer === undefined ? [] : consumerIssues(registration, consumer.groupKind, consumer.path)),
    ...(claimant === undefined ? [] : claimantIssues(registration, claimant.groupKind, claimant.path)),
    ...dimensionIssues(registration, names, childPath(path, "dimensions")),
  ];
}

/** All promises to a claim must fit onto a page at once. */
function sizeIssues(claim: ResourceClaim): readonly FieldIssue[] {
  const characters = claim.requests.reduce((sum, request) => sum + dimensionKey(request.dimensions).length, 0);
  if (characters <= dimensionCharactersMax) return [];
  return [
    forbidden(
      "spec.requests",
      `the dimensions of all requests may take ${dimensionCharactersMax} characters together, these take ${characters}`,
    ),
  ];
}

function requestIssues(request: ClaimRequest, path: string): readonly FieldIssue[] {
  const issues: FieldIssue[] = [];
  if (request.amount === 0n) {
    issues.push(invalid(childPath(path, "amount"), 0, "must be greater than 0: a claim asks for something"));
  }
  if (request.dimensionKey !== "" && request.dimensionKey !== dimensionKey(request.dimensions)) {
    const detail = `must be empty, or the dimensions in order: ${JSON.stringify(dimensionKey(request.dimensions))}`;
    issues.push(invalid(childPath(path, "dimensionKey"), request.dimensionKey, detail));
  }
  return issues;
}
