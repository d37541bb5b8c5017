import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ClaimPart } from "../../src/core/ledger/claim-knowledge.ts";
import { ConsumerLedger } from "../../src/core/ledger/consumer-ledger.ts";
import type { OpenClaim } from "../../src/core/ledger/ledger-bucket.ts";
import { noCapacity, type Pool } from "../../src/core/ledger/pools.ts";
import { grantAtOnce, type ShortPart, shortParts } from "../../src/core/ledger/settle.ts";
import { type ShownFigures, tryShown } from "../../src/core/ledger/shown-trial.ts";
import { tryClaims } from "../../src/core/ledger/trial.ts";
import { type Amount, amountOf } from "../../src/core/resources/fields/amount.ts";
import { dimensionKey } from "../../src/core/resources/fields/dimensions.ts";

const types = ["x", "y"];
const places = ["a", "b", "c"];
const keys = ["", ...places.map((l) => dimensionKey({ l }))];

const amount = fc.integer({ min: 1, max: 5 }).map((value) => amountOf(value));
const part: fc.Arbitrary<ClaimPart> = fc.record({
  resourceType: fc.constantFrom(...types),
  dimensionKey: fc.constantFrom(...keys),
  amount,
});
const parts = fc.uniqueArray(part, {
  minLength: 1,
  maxLength: 4,
  selector: (each) => `${each.resourceType} ${each.dimensionKey}`,
});
const requirements: fc.Arbitrary<Pool["requirements"]> = fc
  .subarray(places)
  .map((values) => (values.length === 0 ? [] : [{ key: "l", operator: "In", values }]));
const pools = fc.array(fc.record({ requirements, amount: fc.integer({ max: 12, min: 0 }).map(amountOf) }), {
  maxLength: 4,
});

/** Requests of claims, in a ledger with existing claims within or above the limits. */
function ledgerWith(given: readonly (readonly Pool[])[], held: readonly (readonly ClaimPart[])[]): ConsumerLedger {
  const ledger = new ConsumerLedger();
  for (const [at, type] of types.entries()) ledger.setCapacity(type, { ...noCapacity, pools: given[at] ?? [] });
  for (const [at, list] of held.entries()) ledger.learn(`held-${at}`, { state: "granted", parts: list });
  return ledger;
}

const waiting = (lists: readonly (readonly ClaimPart[])[]): readonly OpenClaim[] =>
  lists.map((list, at) => ({
    claim: { uid: `c${at}`, namespace: "n", name: `c${at}` },
    parts: list,
    forced: false,
  }));

/** Grants each claim that fits before the next one is decided. */
const decided = (ledger: ConsumerLedger, lists: readonly (readonly ClaimPart[])[]) =>
  waiting(lists).map((claim) => {
    const short = shortParts(ledger, claim) ?? [];
    if (short.length === 0) expect(grantAtOnce(ledger, claim)).toBe(true);
    return short;
  });

const nameOf = ({ part: { resourceType, dimensionKey: key } }: ShortPart): string => `${resourceType} ${key}`;
const sorted = (lists: readonly (readonly ShortPart[])[]) =>
  lists.map((list) => [...list].sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1)));

const shown = (ledger: ConsumerLedger) =>
  types.map((type) => {
    const typeLedger = ledger.ofType(type);
    const figures = keys.map((key) => typeLedger.figuresFor(key));
    return {
      total: typeLedger.figures(),
      figures,
      used: [...typeLedger.dimensionKeys].sort(),
    };
  });

/** The pools of each type, the existing claims, and the requested ones. */
const situation = [
  fc.tuple(pools, pools),
  fc.array(parts, { maxLength: 6 }),
  fc.array(parts, { maxLength: 4 }),
] as const;

it("a trial has the same result and figures as a decision, and changes nothing", () => {
  fc.assert(
    fc.property(...situation, (given, held, lists) => {
      const [ledger, twin] = [ledgerWith(given, held), ledgerWith(given, held)];
      const before = shown(ledger);
      const tried = tryClaims(lists, (type) => ledger.ofType(type));
      expect(shown(ledger)).toEqual(before);
      expect(sorted(tried)).toEqual(sorted(decided(twin, lists)));
      expect(sorted(decided(ledger, lists))).toEqual(sorted(tried));
    }),
    { numRuns: 5000 },
  );
});

it("requests that share a pool are tried together", () => {
  const ledger = ledgerWith([[{ requirements: [], amount: amountOf(5) }]], []);
  const ask = (place: string): ClaimPart => ({
    resourceType: "x",
    dimensionKey: dimensionKey({ l: place }),
    amount: 3n as Amount,
  });
  const figures = { limit: 5n, allocated: 0n, reserved: 0n, available: 2n };
  const short = { part: ask("b"), figures };
  expect(tryClaims([[ask("a"), ask("b")]], (type) => ledger.ofType(type))).toMatchObject([[short]]);
  expect(tryClaims([[ask("a")], [ask("b")]], (type) => ledger.ofType(type))).toMatchObject([[], [short]]);
});

/** The bucket statuses, if every set of dimensions had a bucket. */
const buckets = (ledger: ConsumerLedger): ShownFigures => ({
  figuresOf: (type, key) => (key === "" ? ledger.ofType(type).figures() : ledger.ofType(type).figuresFor(key)),
  totalOf: (type) => ledger.ofType(type).figures(),
});

describe("with bucket statuses alone", () => {
  it("no claim that would fit is short", () => {
    fc.assert(
      fc.property(...situation, (given, held, lists) => {
        const ledger = ledgerWith(given, held);
        const fitting = tryClaims(lists, (type) => ledger.ofType(type)).every((short) => short.length === 0);
        fc.pre(fitting);
        expect(tryShown(lists, buckets(ledger)).flat()).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  it("the result equals that of the type ledgers if all requests share one pool", () => {
    const one = fc.integer({ max: 20, min: 0 }).map((all) => [{ requirements: [], amount: amountOf(all) }]);
    const short = (lists: readonly (readonly ShortPart[])[]) =>
      lists.map((list) => list.map((each) => [nameOf(each), each.figures.limit, each.figures.available]));
    fc.assert(
      fc.property(
        fc.tuple(one, one),
        fc.array(parts, { maxLength: 6 }),
        fc.array(parts, { maxLength: 4 }),
        (given, held, lists) => {
          const ledger = ledgerWith(given, held);
          const exact = tryClaims(lists, (type) => ledger.ofType(type));
          expect(short(tryShown(lists, buckets(ledger)))).toEqual(short(exact));
        },
      ),
      { numRuns: 2000 },
    );
  });
});
