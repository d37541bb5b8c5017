import { admissionWaits } from "./admission-waits.ts";
import { embeddedTransactions } from "./embedded-transactions.ts";
import { lateObjects } from "./late-objects.ts";
import type { Scenario } from "./scenario.ts";
import { staleCaches } from "./stale-caches.ts";
import { twoWriters } from "./two-writers.ts";

export const scenarios: readonly Scenario[] = [
  ...twoWriters,
  ...staleCaches,
  ...lateObjects,
  ...admissionWaits,
  ...embeddedTransactions,
];

export function scenarioNamed(name: string): Scenario {
  const found = scenarios.find((scenario) => scenario.name === name);
  if (found !== undefined) return found;
  const names = scenarios.map((scenario) => `  ${scenario.name}`).join("\n");
  throw new RangeError(`there is no scenario called "${name}"; there are:\n${names}`);
}
