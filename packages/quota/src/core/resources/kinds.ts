import type { KindDefinition } from "@milo-quota/kubernetes/schema/kind-definition.ts";
import { allowanceBucketDefinition } from "./allowance-bucket.ts";
import { claimCreationPolicyDefinition } from "./claim-creation-policy.ts";
import { effectiveResourceGrantDefinition } from "./effective-resource-grant.ts";
import { grantCreationPolicyDefinition } from "./grant-creation-policy.ts";
import { resourceClaimDefinition } from "./resource-claim.ts";
import { resourceGrantDefinition } from "./resource-grant.ts";
import { resourceRegistrationDefinition } from "./resource-registration.ts";

/** All kinds of the quota API, in the order of the reference pages. */
export const quotaKinds: readonly KindDefinition[] = [
  resourceRegistrationDefinition,
  resourceGrantDefinition,
  resourceClaimDefinition,
  allowanceBucketDefinition,
  effectiveResourceGrantDefinition,
  grantCreationPolicyDefinition,
  claimCreationPolicyDefinition,
];
