import { percentOf, plus } from "../../core/ledger/arithmetic.ts";
import type { Figures } from "../../core/ledger/type-ledger.ts";
import { consumerText } from "../../core/resources/fields/consumer-ref.ts";
import { displayAmount, displayNumber } from "../../core/resources/fields/units.ts";
import { typeWithName } from "../../core/resources/rules/display-names.ts";
import type { RegistrationView } from "../../core/resources/rules/registration-rules.ts";
import type { Need } from "../policies/needs.ts";
import { unitOf } from "./unit-of.ts";

/** The first level that is reached gives the text of the warning. */
const levels = [
  { percentMin: 100, text: () => "used up" },
  { percentMin: 90, text: (percent: number) => `nearly used up, ${percent} %` },
  { percentMin: 80, text: (percent: number) => `${percent} % used` },
] as const;

/** Warnings for a client whose object was admitted, about buckets with little capacity left. */
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
  const type = typeWithName(registrations, key.resourceType);
  const quota = dimensionKey === "" ? type : `${type} (${dimensionKey})`;
  const amounts = `${displayNumber(used, unit)} of ${displayAmount(figures.limit, unit)}`;
  return `quota ${quota} for ${consumerText(key.consumer)} is ${level.text(percent)}: ${amounts}`;
}
