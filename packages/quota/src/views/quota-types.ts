import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { allowanceBucketDefinition } from "../core/resources/allowance-bucket.ts";
import { claimCreationPolicyDefinition } from "../core/resources/claim-creation-policy.ts";
import { effectiveResourceGrantDefinition } from "../core/resources/effective-resource-grant.ts";
import { grantCreationPolicyDefinition } from "../core/resources/grant-creation-policy.ts";
import { resourceClaimDefinition } from "../core/resources/resource-claim.ts";
import { resourceGrantDefinition } from "../core/resources/resource-grant.ts";
import { resourceRegistrationDefinition } from "../core/resources/resource-registration.ts";

/** The resource types of the quota API. */
export const registrationsType: ResourceType = resourceRegistrationDefinition;
export const grantsType: ResourceType = resourceGrantDefinition;
export const claimsType: ResourceType = resourceClaimDefinition;
export const bucketsType: ResourceType = allowanceBucketDefinition;
export const effectiveGrantsType: ResourceType = effectiveResourceGrantDefinition;
export const grantPoliciesType: ResourceType = grantCreationPolicyDefinition;
export const claimPoliciesType: ResourceType = claimCreationPolicyDefinition;
