import type { Case } from "./case.ts";
import { badInputCases } from "./cases/bad-input.ts";
import { createCases, listCases, readCases, updateCases } from "./cases/config-maps.ts";
import { customApplyCases } from "./cases/custom-apply.ts";
import { customObjectCases } from "./cases/custom-objects.ts";
import { customRuleCases, ratchetingCases } from "./cases/custom-rules.ts";
import { clusterKindCases, customVersionCases, customViewCases } from "./cases/custom-views.ts";
import { badDefinitionCases, definitionCases } from "./cases/definitions.ts";
import { deleteCases } from "./cases/deletions.ts";
import { deploymentCases } from "./cases/deployments.ts";
import { discoveryCases } from "./cases/discovery.ts";
import { eventCases, leaseCases } from "./cases/leases-and-events.ts";
import { listingCases } from "./cases/listings.ts";
import { otherKindCases } from "./cases/other-kinds.ts";
import { applyCases, patchCases } from "./cases/patches.ts";
import { podCases } from "./cases/pods.ts";
import { reviewCases } from "./cases/reviews.ts";
import { roleCases } from "./cases/roles.ts";
import { namespaceCases, secretCases } from "./cases/secrets-and-namespaces.ts";
import { serverCases } from "./cases/server.ts";
import { claimCases, serviceCases } from "./cases/services-and-claims.ts";
import { dryRunCases, headerCases, methodCases, urlCases } from "./cases/urls.ts";
import { watchCases } from "./cases/watches.ts";
import { webhookCases } from "./cases/webhooks.ts";

export const allCases: readonly Case[] = [
  ...createCases,
  ...readCases,
  ...listCases,
  ...updateCases,
  ...deleteCases,
  ...patchCases,
  ...applyCases,
  ...watchCases,
  ...serverCases,
  ...definitionCases,
  ...badDefinitionCases,
  ...customObjectCases,
  ...customRuleCases,
  ...ratchetingCases,
  ...customApplyCases,
  ...customViewCases,
  ...customVersionCases,
  ...clusterKindCases,
  ...secretCases,
  ...namespaceCases,
  ...podCases,
  ...deploymentCases,
  ...serviceCases,
  ...claimCases,
  ...leaseCases,
  ...eventCases,
  ...otherKindCases,
  ...roleCases,
  ...webhookCases,
  ...reviewCases,
  ...discoveryCases,
  ...urlCases,
  ...methodCases,
  ...headerCases,
  ...dryRunCases,
  ...badInputCases,
  ...listingCases,
];
