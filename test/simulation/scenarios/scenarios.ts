import { inOneProcess } from "./in-one-process.ts";
import { lateNews } from "./late-news.ts";
import { lateObjects } from "./late-objects.ts";
import type { Scenario } from "./scenario.ts";
import { twoWriters } from "./two-writers.ts";
import { waitingDoors } from "./waiting-doors.ts";

export const scenarios: readonly Scenario[] = [
  ...twoWriters,
  ...lateNews,
  ...lateObjects,
  ...waitingDoors,
  ...inOneProcess,
];

export function scenarioNamed(name: string): Scenario {
  const found = scenarios.find((scenario) => scenario.name === name);
  if (found !== undefined) return found;
  const names = scenarios.map((scenario) => `  ${scenario.name}`).join("\n");
  throw new RangeError(`there is no scenario called "${name}"; there are:\n${names}`);
}
