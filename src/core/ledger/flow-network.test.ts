import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LabelRequirements } from "../../protocol/label-selector.ts";
import type { Amount } from "../resources/amount.ts";
import type { Dimensions } from "../resources/dimensions.ts";
import { FlowNetwork, type FlowNode } from "./flow-network.ts";
import type { Pool } from "./pools.ts";

const amount = (value: number | bigint): Amount => BigInt(value) as Amount;
const anywhere: LabelRequirements = [];
const inPlace = (...values: string[]): LabelRequirements => [{ key: "l", operator: "In", values }];
const somewhere: LabelRequirements = [{ key: "l", operator: "Exists", values: [] }];
const nowhere: LabelRequirements = [{ key: "l", operator: "DoesNotExist", values: [] }];

describe("pools", () => {
  it("serve everybody they match, to the last unit", () => {
    const network = new FlowNetwork([
      { requirements: somewhere, amount: amount(100) },
      { requirements: inPlace("DLS"), amount: amount(500) },
    ]);
    const dls = network.createNode({ l: "DLS" });
    const dfw = network.createNode({ l: "DFW" });
    expect(network.available(dls)).toBe(600n);
    expect(network.available(dfw)).toBe(100n);
    expect(network.tryRaise(dls, amount(550))).toBe(true);
    expect(network.available(dfw)).toBe(50n);
    expect(network.tryRaise(dfw, amount(51))).toBe(false);
    expect(network.tryRaise(dfw, amount(50))).toBe(true);
    expect(network.available(dls)).toBe(0n);
  });

  it("move use out of the way: what came first does not strand what comes later", () => {
    const network = new FlowNetwork([
      { requirements: somewhere, amount: amount(100) },
      { requirements: inPlace("DLS"), amount: amount(100) },
    ]);
    const dls = network.createNode({ l: "DLS" });
    const dfw = network.createNode({ l: "DFW" });
    expect(network.tryRaise(dls, amount(100))).toBe(true);
    expect(network.tryRaise(dfw, amount(100))).toBe(true);
    expect(network.free).toBe(0n);
  });

  it("move use along a chain of pools", () => {
    const pools = ["ab", "bc", "cd", "de"].map((pair): Pool => ({ requirements: inPlace(...pair), amount: amount(1) }));
    const network = new FlowNetwork(pools);
    const node = Object.fromEntries([..."abcde"].map((l) => [l, network.createNode({ l })])) as Record<
      string,
      FlowNode
    >;
    for (const l of "abcd") expect([l, network.tryRaise(node[l] as FlowNode, amount(1))]).toEqual([l, true]);
    expect(network.tryRaise(node["e"] as FlowNode, amount(1))).toBe(false);
    network.setDemand(node["a"] as FlowNode, amount(0));
    expect(network.tryRaise(node["e"] as FlowNode, amount(1))).toBe(true);
  });

  it("do not serve a request without dimensions unless they say so", () => {
    const network = new FlowNetwork([
      { requirements: somewhere, amount: amount(5) },
      { requirements: nowhere, amount: amount(3) },
    ]);
    expect(network.available(network.createNode({}))).toBe(3n);
    expect(network.available(network.createNode({ l: "x" }))).toBe(5n);
  });

  it("show what they cannot cover, and cover it as soon as they can", () => {
    const network = new FlowNetwork([{ requirements: anywhere, amount: amount(10) }]);
    const one = network.createNode({ l: "1" });
    const two = network.createNode({ l: "2" });
    network.setDemand(one, amount(8));
    network.setDemand(two, amount(7));
    expect([network.uncovered, network.available(one)]).toEqual([5n, 0n]);
    expect(network.tryRaise(one, amount(1))).toBe(false);
    network.setDemand(one, amount(2));
    expect([network.uncovered, network.available(two)]).toEqual([0n, 1n]);
  });

  it("hold amounts up to the largest int64, and sums beyond it", () => {
    const max = amount(2n ** 63n - 1n);
    const network = new FlowNetwork([
      { requirements: anywhere, amount: max },
      { requirements: anywhere, amount: max },
    ]);
    const node = network.createNode({});
    expect(network.tryRaise(node, max)).toBe(true);
    expect(network.tryRaise(node, max)).toBe(true);
    expect(network.tryRaise(node, amount(1))).toBe(false);
  });
});

/** By the theorem of the smallest cut: over every choice of sets, what they leave out plus all that serves the rest. */
function largestFlow(pools: readonly Pool[], demands: readonly { node: FlowNode; demand: bigint }[]): bigint {
  let smallest: bigint | undefined;
  for (let choice = 0; choice < 2 ** demands.length; choice += 1) {
    const chosen = demands.filter((_, at) => (choice & (1 << at)) !== 0);
    const left = demands.filter((_, at) => (choice & (1 << at)) === 0).reduce((sum, { demand }) => sum + demand, 0n);
    const serving = new Set(chosen.flatMap(({ node }) => node.pools));
    const cut = left + [...serving].reduce((sum, pool) => sum + (pools[pool]?.amount ?? 0n), 0n);
    if (smallest === undefined || cut < smallest) smallest = cut;
  }
  return smallest ?? 0n;
}

describe("the network against every cut", () => {
  const places = ["a", "b", "c", "d"] as const;
  const requirements = fc.oneof(
    fc.constantFrom(anywhere, somewhere, nowhere),
    fc.subarray([...places], { minLength: 1 }).map((values) => inPlace(...values)),
    fc
      .subarray([...places], { minLength: 1 })
      .map((values): LabelRequirements => [{ key: "l", operator: "NotIn", values }]),
  );
  const size = fc.oneof(
    fc.integer({ min: 0, max: 6 }).map(amount),
    fc.constantFrom(amount(2n ** 63n - 1n), amount(2n ** 62n)),
  );
  const pools = fc.array(fc.record({ requirements, amount: size }), { maxLength: 4 });
  const step = fc.record({
    act: fc.constantFrom("raise", "raise", "raise", "set", "ask"),
    at: fc.integer({ min: 0, max: 4 }),
    by: size,
  });

  it("covers exactly what can be covered, after any changes", () => {
    fc.assert(
      fc.property(pools, fc.array(step, { maxLength: 25 }), (given, steps) => {
        const network = new FlowNetwork(given);
        const dimensions: Dimensions[] = [{}, ...places.map((l) => ({ l }))];
        const uses = dimensions.map((each) => ({ node: network.createNode(each), demand: 0n }));
        for (const { act, at, by } of steps) {
          const use = uses[at] as (typeof uses)[number];
          const before = largestFlow(given, uses);
          if (act === "ask") {
            const room = largestFlow(
              given,
              uses.map((each) => (each === use ? { ...use, demand: use.demand + 2n ** 70n } : each)),
            );
            expect(network.available(use.node)).toBe(room - before);
          } else if (act === "set") {
            network.setDemand(use.node, by);
            use.demand = by;
          } else {
            const raised = uses.map((each) => (each === use ? { ...use, demand: use.demand + by } : each));
            const fits = largestFlow(given, raised) === before + by;
            expect(network.tryRaise(use.node, by)).toBe(fits);
            if (fits) use.demand += by;
          }
          const covered = largestFlow(given, uses);
          const demanded = uses.reduce((sum, { demand }) => sum + demand, 0n);
          expect(uses.reduce((sum, { node }) => sum + node.assigned, 0n)).toBe(covered);
          expect(network.uncovered).toBe(demanded - covered);
          expect(network.free).toBe(given.reduce((sum, pool) => sum + pool.amount, 0n) - covered);
        }
      }),
      { numRuns: 5000 },
    );
  });
});
