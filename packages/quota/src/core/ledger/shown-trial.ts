import { type Amount, noAmount } from "../resources/fields/amount.ts";
import { least, minusOrNone, plus } from "./arithmetic.ts";
import type { ClaimPart } from "./claim-knowledge.ts";
import type { ShortPart } from "./settle.ts";
import type { Figures } from "./type-ledger.ts";

/** Figures from the bucket statuses of a consumer. */
export interface ShownFigures {
  /** Of a set of dimensions. */
  figuresOf(resourceType: string, dimensionKey: string): Figures;
  /** Of all of a resource type. */
  totalOf(resourceType: string): Figures;
}

/**
 * Tries hypothetical claims against the figures of buckets alone, and returns what would not fit: each part has to fit the
 * bucket of its dimensions, and all parts of a resource type together what is left of it. Where only some of them share a
 * pool this may overestimate what is available.
 */
export function tryShown(
  claims: readonly (readonly ClaimPart[])[],
  shown: ShownFigures,
): readonly (readonly ShortPart[])[] {
  let taken: Taken = new Map();
  return claims.map((parts) => {
    const wanted = new Map(taken);
    const tried = parts.map((part) => ({ part, available: take(part, wanted, shown) }));
    const short = tried.flatMap(({ part, available }) =>
      available === undefined ? [] : [{ part, figures: { ...figuresBeside(part, taken, shown), available } }],
    );
    if (short.length === 0) taken = wanted;
    return short;
  });
}

/** Amounts taken so far, by resource type, and by resource type and dimensions. */
type Taken = Map<string, Amount>;

const idOf = ({ resourceType, dimensionKey }: ClaimPart): string => `${resourceType}\n${dimensionKey}`;

/** Takes a part if it fits; else returns what is available. */
function take(part: ClaimPart, taken: Taken, shown: ShownFigures): Amount | undefined {
  const { resourceType, dimensionKey, amount } = part;
  const ids = [resourceType, idOf(part)] as const;
  const [ofType, ofKey] = ids.map((id) => taken.get(id) ?? noAmount) as [Amount, Amount];
  const own = minusOrNone(shown.figuresOf(resourceType, dimensionKey).available, ofKey);
  const available = least(own, minusOrNone(leftOf(shown.totalOf(resourceType)), ofType));
  if (amount > available) return available;
  for (const id of ids) taken.set(id, plus(taken.get(id) ?? noAmount, amount));
  return undefined;
}

/** Adds overage: use that no pool covers takes no room in the pools. */
function leftOf({ limit, allocated, reserved, overage }: Figures): Amount {
  return minusOrNone(plus(limit, overage), plus(allocated, reserved));
}

/** The figures of a part, including what earlier claims of the trial would take. */
function figuresBeside(part: ClaimPart, taken: Taken, shown: ShownFigures): Figures {
  const figures = shown.figuresOf(part.resourceType, part.dimensionKey);
  return { ...figures, reserved: plus(figures.reserved, taken.get(idOf(part)) ?? noAmount) };
}
