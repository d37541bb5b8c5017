import { percentOf, plus } from "../../core/ledger/arithmetic.ts";
import type { Figures } from "../../core/ledger/type-ledger.ts";
import { consumerText } from "../../core/resources/fields/consumer-ref.ts";
import { displayAmount, displayNumber } from "../../core/resources/fields/units.ts";
import type { RegistrationView } from "../../core/resources/rules/registration-rules.ts";
import type { Need } from "../policies/needs.ts";
import { unitOf } from "./unit-of.ts";

/** From each of these on it is said with every object, in words of its own. */
const levels = [
  { percentMin: 100, says: () => "used up" },
  { percentMin: 90, says: (percent: number) => `nearly used up, ${percent} %` },
  { percentMin: 80, says: (percent: number) => `${percent} % used` },
] as const;

/** What somebody should know who was just given something: how little is left. */
export function usageWarnings(
  needs: readonly Need[],
  figuresOf: (need: Need) => Figures | undefined,
  registrations: RegistrationView,
): readonly string[] {
  return needs.flatMap((need) => {
    const figures = figuresOf(need);
    return figures === undefined ? [] : (warningOf(need, figures, registrations) ?? []);
  });
}

function warningOf({ key, dimensionKey }: Need, figures: Figures, registrations: RegistrationView): string | undefined {
  const used = plus(figures.allocated, figures.reserved);
  const percent = percentOf(used, figures.limit);
  const level = levels.find(({ percentMin }) => percent >= percentMin);
  if (level === undefined) return undefined;
  const unit = unitOf(registrations, key.resourceType);
  const what = dimensionKey === "" ? key.resourceType : `${key.resourceType} (${dimensionKey})`;
  const amounts = `${displayNumber(used, unit)} of ${displayAmount(figures.limit, unit)}`;
  return `quota ${what} for ${consumerText(key.consumer)} is ${level.says(percent)}: ${amounts}`;
}
