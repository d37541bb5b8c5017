import { sleep } from "@milo-quota/kubernetes/client/sleep.ts";
import { plus } from "../../core/ledger/arithmetic.ts";
import { type Amount, noAmount } from "../../core/resources/fields/amount.ts";
import type { Runtime } from "../../views/runtime.ts";
import type { Views } from "../../views/views.ts";
import { type ConsumerKey, type ConsumerState, consumerId } from "./consumer-state.ts";

/** How many claims are added up before the event loop gets a turn. */
const sliceSize = 20_000;

/** Amounts that claims hold, by consumer ID and resource type. */
type Sums = Map<string, Map<string, Amount>>;

export interface Drift {
  readonly state: ConsumerState;
  readonly resourceType: string;
  readonly by: bigint;
}

/**
 * Adds up all claims from scratch, and compares the sums with the ledger of each consumer state. Skips states that changed
 * meanwhile or are being written, and those for which the claim cache was behind: a state knows of our own writes before
 * the cache does.
 */
export async function detectDrift(
  states: ReadonlyMap<string, ConsumerState>,
  { clock }: Pick<Runtime, "clock">,
  { claims }: Pick<Views, "claims">,
  signal: AbortSignal,
): Promise<readonly Drift[]> {
  const changes = new Map([...states].map(([id, state]) => [id, state.changes]));
  const sums: Sums = new Map();
  let count = 0;
  for (const [{ plane }, { consumer, parts }] of claims.entries()) {
    for (const { resourceType, amount } of parts) add(sums, { plane, consumer }, resourceType, amount);
    count += 1;
    if (count % sliceSize === 0) await sleep(clock, 1, signal);
  }
  const isUnchanged = (id: string, state: ConsumerState): boolean =>
    state.turns.isFree && state.changes === changes.get(id);
  const drifts = [...states].flatMap(([id, state]) => (isUnchanged(id, state) ? driftsOf(state, sums.get(id)) : []));
  if (drifts.length > 0) await claims.waitUntilFresh(signal);
  return drifts.filter(({ state }) => isUnchanged(consumerId(state.key), state));
}

function add(sums: Sums, key: ConsumerKey, resourceType: string, amount: Amount): void {
  const id = consumerId(key);
  const own = sums.get(id) ?? new Map<string, Amount>();
  own.set(resourceType, plus(own.get(resourceType) ?? noAmount, amount));
  sums.set(id, own);
}

function driftsOf(state: ConsumerState, held: ReadonlyMap<string, Amount> = new Map()): readonly Drift[] {
  const types = new Set([...state.types(), ...held.keys()]);
  return [...types].flatMap((resourceType) => {
    const by = state.ledger.ofType(resourceType).granted - (held.get(resourceType) ?? noAmount);
    return by === 0n ? [] : [{ state, resourceType, by: by < 0n ? -by : by }];
  });
}
