import type { Case } from "./case.ts";
import { createCases, deleteCases, listCases, readCases, updateCases } from "./cases/config-maps.ts";
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
];
