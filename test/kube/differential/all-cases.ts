import type { Case } from "./case.ts";
import { createCases, deleteCases, listCases, readCases, updateCases } from "./cases/config-maps.ts";
import { customApplyCases } from "./cases/custom-apply.ts";
import { customObjectCases } from "./cases/custom-objects.ts";
import { customRuleCases, ratchetingCases } from "./cases/custom-rules.ts";
import { clusterKindCases, customVersionCases, customViewCases } from "./cases/custom-views.ts";
import { badDefinitionCases, definitionCases } from "./cases/definitions.ts";
import { applyCases, patchCases } from "./cases/patches.ts";
import { serverCases } from "./cases/server.ts";
import { watchCases } from "./cases/watches.ts";

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
];
