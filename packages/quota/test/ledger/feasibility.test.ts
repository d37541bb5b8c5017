import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ClaimPart } from "../../src/core/ledger/claim-knowledge.ts";
import { ConsumerLedger } from "../../src/core/ledger/consumer-ledger.ts";
import { FlowNetwork } from "../../src/core/ledger/flow-network.ts";
import { noCapacity, type Pool } from "../../src/core/ledger/pools.ts";
import { settle } from "../../src/core/ledger/settle.ts";
import type { Amount } from "../../src/core/resources/fields/amount.ts";
import { type Dimensions, dimensionKey, parseDimensionKey } from "../../src/core/resources/fields/dimensions.ts";
import { type Demand, smallestCut, sum } from "./smallest-cut.ts";

const runs = 5000;
const places = ["a", "b", "c", "d"];
const dimensionSets: readonly Dimensions[] = [{}, ...places.map((l) => ({ l }))];

const amount = fc.oneof(
  fc.integer({ min: 0, max: 6 }).map(BigInt),
  fc.constantFrom(2n ** 63n - 1n, 2n ** 62n),
) as fc.Arbitrary<Amount>;
const some = fc.subarray(places, { minLength: 1 });
const requirements: fc.Arbitrary<Pool["requirements"]> = fc.oneof(
  fc.constantFrom<Pool["requirements"][]>(
    [],
    [{ key: "l", operator: "Exists", values: [] }],
    [{ key: "l", operator: "DoesNotExist", values: [] }],
  ),
  some.map((values): Pool["requirements"] => [{ key: "l", operator: "In", values }]),
  some.map((values): Pool["requirements"] => [{ key: "l", operator: "NotIn", values }]),
);
const pools = fc.array(fc.record({ requirements, amount }), { maxLength: 4 });

describe("the flow network compared with every cut", () => {
  const step = fc.record({
    act: fc.constantFrom("raise", "raise", "raise", "set", "ask"),
    at: fc.nat({ max: dimensionSets.length - 1 }),
    by: amount,
  });

  it("covers exactly what can be covered, after any changes", () => {
    fc.assert(
      fc.property(pools, fc.array(step, { maxLength: 25 }), (given, steps) => {
        const network = new FlowNetwork(given);
        const uses = dimensionSets.map((dimensions) => ({
          node: network.createNode(dimensions),
          dimensions,
          amount: 0n,
        }));
        const withMore = (at: number, more: bigint): Demand[] =>
          uses.map((use, index) => (index === at ? { ...use, amount: use.amount + more } : use));
        for (const { act, at, by } of steps) {
          const use = uses[at] as (typeof uses)[number];
          const before = smallestCut(given, uses);
          if (act === "ask") {
            expect(network.available(use.node)).toBe(smallestCut(given, withMore(at, 2n ** 70n)) - before);
          } else if (act === "set") {
            network.setDemand(use.node, by);
            use.amount = by;
          } else {
            const fits = smallestCut(given, withMore(at, by)) === before + by;
            expect(network.tryRaise(use.node, by)).toBe(fits);
            if (fits) use.amount += by;
          }
          const covered = smallestCut(given, uses);
          expect(sum(uses.map(({ node }) => node.assigned))).toBe(covered);
          expect(network.uncovered).toBe(sum(uses.map((each) => each.amount)) - covered);
          expect(network.free).toBe(sum(given.map((pool) => pool.amount)) - covered);
        }
      }),
      { numRuns: runs },
    );
  });
});

describe("decisions compared with every cut", () => {
  const types = ["x", "y"] as const;
  const part = fc.record({
    resourceType: fc.constantFrom(...types),
    amount: amount.map((value) => (value === 0n ? 1n : value) as Amount),
    dimensionKey: fc.constantFrom(...dimensionSets.map(dimensionKey)),
  });
  const parts = fc.uniqueArray(part, {
    minLength: 1,
    maxLength: 3,
    selector: (each) => `${each.resourceType} ${each.dimensionKey}`,
  });

  /** Whether the pools cover all of the use. */
  function coversAll(given: readonly Pool[], used: readonly ClaimPart[]): boolean {
    const demands = dimensionSets.map((dimensions) => {
      const own = used.filter((each) => each.dimensionKey === dimensionKey(dimensions));
      return {
        dimensions: parseDimensionKey(dimensionKey(dimensions)) ?? {},
        amount: sum(own.map((each) => each.amount)),
      };
    });
    return smallestCut(given, demands) === sum(used.map((each) => each.amount));
  }

  it("never exceed a limit, never grant partially, and deny only what does not fit", () => {
    fc.assert(
      fc.property(pools, pools, fc.array(parts, { maxLength: 12 }), (forX, forY, lists) => {
        const given = { x: forX, y: forY };
        const ledger = new ConsumerLedger();
        for (const type of types) ledger.setCapacity(type, { ...noCapacity, pools: given[type] });
        const claims = lists.map((list, at) => ({
          claim: { uid: `c${at}`, namespace: "n", name: "c" },
          parts: list,
          forced: false,
        }));
        let held: readonly ClaimPart[] = [];
        for (const { claim, outcome } of settle(ledger, claims, () => "s")) {
          const after = [...held, ...claim.parts];
          const fits = types.every((type) =>
            coversAll(
              given[type],
              after.filter((each) => each.resourceType === type),
            ),
          );
          expect(outcome).toBe(fits ? "reserve" : "deny");
          if (fits) held = after;
        }
        for (const type of types) {
          const used = sum(held.filter((each) => each.resourceType === type).map((each) => each.amount));
          expect(ledger.ofType(type).figures().reserved).toBe(used);
          expect(used).toBeLessThanOrEqual(sum(given[type].map((pool) => pool.amount)));
        }
      }),
      { numRuns: runs },
    );
  });
});
