import { plus } from "../../core/ledger/arithmetic.ts";
import { type Amount, noAmount } from "../../core/resources/amount.ts";
import { pause } from "../../kube/pause.ts";
import type { Runtime } from "../runtime.ts";
import type { Views } from "../views/views.ts";
import { type Desk, type DeskKey, deskId } from "./desk.ts";

/** How many claims are added up before others have their turn. */
const sliceSize = 20_000;

/** What the claims of a desk hold, added up claim by claim. */
type Sums = Map<string, Map<string, Amount>>;

export interface Drift {
  readonly desk: Desk;
  readonly resourceType: string;
  readonly by: bigint;
}

/**
 * Adds up all claims from scratch, and compares with what each desk has kept count of. Desks at which something happened
 * meanwhile are left for the next time. So are those of which the view was late: what we wrote ourselves a desk knows
 * before any view does.
 */
export async function audit(
  desks: ReadonlyMap<string, Desk>,
  { clock }: Pick<Runtime, "clock">,
  { claims }: Pick<Views, "claims">,
  signal: AbortSignal,
): Promise<readonly Drift[]> {
  const changes = new Map([...desks].map(([id, desk]) => [id, desk.changes]));
  const sums: Sums = new Map();
  let count = 0;
  for (const [{ plane }, { consumer, parts }] of claims.entries()) {
    for (const { resourceType, amount } of parts) add(sums, { plane, consumer }, resourceType, amount);
    count += 1;
    if (count % sliceSize === 0) await pause(clock, 1, signal);
  }
  const isSame = (id: string, desk: Desk): boolean => desk.changes === changes.get(id);
  const drifts = [...desks].flatMap(([id, desk]) => (isSame(id, desk) ? driftsOf(desk, sums.get(id)) : []));
  if (drifts.length > 0) await claims.fresh(signal);
  return drifts.filter(({ desk }) => isSame(deskId(desk.key), desk));
}

function add(sums: Sums, key: DeskKey, resourceType: string, amount: Amount): void {
  const id = deskId(key);
  const own = sums.get(id) ?? new Map<string, Amount>();
  own.set(resourceType, plus(own.get(resourceType) ?? noAmount, amount));
  sums.set(id, own);
}

function driftsOf(desk: Desk, held: ReadonlyMap<string, Amount> = new Map()): readonly Drift[] {
  const types = new Set([...desk.types(), ...held.keys()]);
  return [...types].flatMap((resourceType) => {
    const by = desk.ledger.book(resourceType).granted - (held.get(resourceType) ?? noAmount);
    return by === 0n ? [] : [{ desk, resourceType, by: by < 0n ? -by : by }];
  });
}
