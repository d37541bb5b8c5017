import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import type { Parsed } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { JsonObject, JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { allowanceBucketDefinition } from "../core/resources/allowance-bucket.ts";
import { claimCreationPolicyDefinition } from "../core/resources/claim-creation-policy.ts";
import { effectiveResourceGrantDefinition } from "../core/resources/effective-resource-grant.ts";
import { grantCreationPolicyDefinition } from "../core/resources/grant-creation-policy.ts";
import { resourceClaimDefinition } from "../core/resources/resource-claim.ts";
import { resourceGrantDefinition } from "../core/resources/resource-grant.ts";
import { resourceRegistrationDefinition } from "../core/resources/resource-registration.ts";

/** The kinds of the quota API as URLs name them. */
export const registrationsType: ResourceType = resourceRegistrationDefinition;
export const grantsType: ResourceType = resourceGrantDefinition;
export const claimsType: ResourceType = resourceClaimDefinition;
export const bucketsType: ResourceType = allowanceBucketDefinition;
export const effectiveGrantsType: ResourceType = effectiveResourceGrantDefinition;
export const grantPoliciesType: ResourceType = grantCreationPolicyDefinition;
export const claimPoliciesType: ResourceType = claimCreationPolicyDefinition;
export const namespacesType: ResourceType = { group: "", version: "v1", plural: "namespaces", scope: "Cluster" };

/** Takes an object as it comes. */
export function anyObject(value: JsonValue): Parsed<JsonObject> {
  return { ok: true, value: value as JsonObject };
}
