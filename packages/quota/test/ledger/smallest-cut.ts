import { matchesLabels } from "@milo-quota/kubernetes/protocol/selectors/label-selector.ts";
import type { Pool } from "../../src/core/ledger/pools.ts";
import type { Dimensions } from "../../src/core/resources/fields/dimensions.ts";

/** An amount of use with these dimensions. */
export interface Demand {
  readonly dimensions: Dimensions;
  readonly amount: bigint;
}

/**
 * How much use the pools can cover, computed without a network by the max-flow min-cut theorem: the minimum over all subsets
 * of demands. Exponential in the number of demands.
 */
export function smallestCut(pools: readonly Pool[], demands: readonly Demand[]): bigint {
  const cuts = Array.from({ length: 2 ** demands.length }, (_, choice) => {
    const chosen = demands.filter((_demand, at) => (choice & (1 << at)) !== 0);
    const left = demands.filter((_demand, at) => (choice & (1 << at)) === 0);
    const serving = pools.filter(({ requirements }) =>
      chosen.some(({ dimensions }) => matchesLabels(requirements, dimensions)),
    );
    return sum(left.map(({ amount }) => amount)) + sum(serving.map(({ amount }) => amount));
  });
  return cuts.reduce((least, cut) => (cut < least ? cut : least));
}

export function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((left, right) => left + right, 0n);
}
