import { percentOf, plus } from "../core/ledger/arithmetic.ts";
import type { Figures } from "../core/ledger/page-book.ts";
import { consumerText } from "../core/resources/consumer-ref.ts";
import type { RegistrationView } from "../core/resources/registration-rules.ts";
import { displayAmount, displayNumber } from "../core/resources/units.ts";
import { type Need, needsOf, type PlacedClaim } from "./needs.ts";
import { unitOf } from "./unit-of.ts";
import type { UsageView } from "./usage-view.ts";

/** From here on it is said with every object. */
const percentMin = 80;

/** What somebody should know who was just given something: how little is left. */
export function usageWarnings(
  claims: readonly PlacedClaim[],
  usage: UsageView,
  registrations: RegistrationView,
): readonly string[] {
  return needsOf(claims).flatMap((need) => {
    const figures = usage.figuresOf(need.key, need.dimensionKey);
    return figures === undefined ? [] : (warningOf(need, figures, registrations) ?? []);
  });
}

function warningOf({ key, dimensionKey }: Need, figures: Figures, registrations: RegistrationView): string | undefined {
  const used = plus(figures.allocated, figures.reserved);
  const percent = percentOf(used, figures.limit);
  if (percent < percentMin) return undefined;
  const unit = unitOf(registrations, key.resourceType);
  const what = dimensionKey === "" ? key.resourceType : `${key.resourceType} (${dimensionKey})`;
  const amounts = `${displayNumber(used, unit)} of ${displayAmount(figures.limit, unit)}`;
  return `quota ${what} for ${consumerText(key.consumer)} is ${percent} % used: ${amounts}`;
}
