import type { LabelRequirements } from "@milo-quota/kubernetes/protocol/selectors/label-selector.ts";
import { describe, expect, it } from "vitest";
import type { Amount } from "../resources/fields/amount.ts";
import { FlowNetwork, type FlowNode } from "./flow-network.ts";
import type { Pool } from "./pools.ts";

const amount = (value: number | bigint): Amount => BigInt(value) as Amount;
const anywhere: LabelRequirements = [];
const inPlace = (...values: string[]): LabelRequirements => [{ key: "l", operator: "In", values }];
const somewhere: LabelRequirements = [{ key: "l", operator: "Exists", values: [] }];
const nowhere: LabelRequirements = [{ key: "l", operator: "DoesNotExist", values: [] }];

describe("pools", () => {
  it("serve all requests they match, to the last unit", () => {
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

  it("move earlier use to other pools to make room for later use", () => {
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

  it("serve a request without dimensions only if their selector matches it", () => {
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
