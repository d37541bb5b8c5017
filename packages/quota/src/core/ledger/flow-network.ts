import { matchesLabels } from "@milo-quota/kubernetes/protocol/selectors/label-selector.ts";
import { type Amount, noAmount } from "../resources/fields/amount.ts";
import type { Dimensions } from "../resources/fields/dimensions.ts";
import { least, minus, plus } from "./arithmetic.ts";
import type { Pool } from "./pools.ts";

/** The use with one set of dimensions, and the pools that it draws from. */
export interface FlowNode {
  /** Positions of the pools it may draw from. */
  readonly pools: readonly number[];
  /** What it draws from each pool, by position. */
  readonly flows: Amount[];
  demand: Amount;
  /** The part of the demand that pools cover; the rest is overage. */
  assigned: Amount;
}

/**
 * Assigns use to pools so that as much of it as possible is covered: a maximum flow from sets of dimensions to pools,
 * updated incrementally. Overlapping selectors are exact: use moves between pools when that makes room, so that the order
 * in which claims arrive strands no capacity. The cost of a change depends on the number of pools and of distinct sets of
 * dimensions, never on the number of claims.
 */
export class FlowNetwork {
  readonly #pools: readonly Pool[];
  /** The free capacity of each pool. */
  readonly #free: Amount[];
  readonly #nodes = new Set<FlowNode>();
  #uncovered = noAmount;

  constructor(pools: readonly Pool[]) {
    this.#pools = pools;
    this.#free = pools.map((pool) => pool.amount);
  }

  /** Use that no pool covers. */
  get uncovered(): Amount {
    return this.#uncovered;
  }

  /** The free capacity of all pools. */
  get free(): Amount {
    return this.#free.reduce(plus, noAmount);
  }

  /** All capacity that use with these dimensions may draw from. */
  limitOf(node: FlowNode): Amount {
    return node.pools.reduce((sum, pool) => plus(sum, this.#pools[pool]?.amount ?? noAmount), noAmount);
  }

  /** A node without demand; it takes part as soon as it has some. */
  createNode(dimensions: Dimensions): FlowNode {
    const pools = [...this.#pools.keys()].filter((at) =>
      matchesLabels(this.#pools[at]?.requirements ?? [], dimensions),
    );
    return { pools, flows: this.#pools.map(() => noAmount), demand: noAmount, assigned: noAmount };
  }

  /** Raises the demand if pools cover all of it; otherwise changes nothing. */
  tryRaise(node: FlowNode, amount: Amount): boolean {
    // A node with uncovered demand cannot reach any free capacity: the flow is at its maximum.
    if (node.assigned < node.demand) return amount === 0n;
    const covered = this.#cover(node, amount);
    if (covered < amount) {
      this.#withdraw(node, covered);
      return false;
    }
    node.demand = plus(node.demand, amount);
    if (node.demand > 0n) this.#nodes.add(node);
    return true;
  }

  /** Sets the demand, covered or not. */
  setDemand(node: FlowNode, demand: Amount): void {
    if (demand === node.demand) return;
    const missingBefore = minus(node.demand, node.assigned);
    node.demand = demand;
    if (demand > 0n) this.#nodes.add(node);
    else this.#nodes.delete(node);
    const excess = minus(node.assigned, demand);
    if (excess > 0n) this.#withdraw(node, excess);
    else this.#cover(node, minus(demand, node.assigned));
    this.#uncovered = plus(this.#uncovered, minus(minus(demand, node.assigned), missingBefore));
    if (excess > 0n) this.#coverOthers();
  }

  /** Whether the pools of a node have this much free capacity, without moving use between pools. */
  hasFree(node: FlowNode, amount: Amount): boolean {
    let missing = amount;
    for (const pool of node.pools) {
      if (missing <= 0n) break;
      missing = minus(missing, this.#freeIn(pool));
    }
    return missing <= 0n && node.assigned === node.demand;
  }

  /** The largest additional request with these dimensions that would fit. */
  available(node: FlowNode): Amount {
    if (node.assigned < node.demand) return noAmount;
    if (node.pools.length === this.#pools.length) return this.free;
    const covered = this.#cover(node, this.free);
    this.#withdraw(node, covered);
    return covered;
  }

  /** Assigns capacity that became free to nodes with uncovered demand. */
  #coverOthers(): void {
    if (this.#uncovered === 0n) return;
    for (const node of this.#nodes) {
      const missing = minus(node.demand, node.assigned);
      if (missing > 0n) this.#uncovered = minus(this.#uncovered, this.#cover(node, missing));
    }
  }

  /** Assigns up to `wanted` more to the node, moving other use between pools; returns the assigned amount. */
  #cover(node: FlowNode, wanted: Amount): Amount {
    let left = wanted;
    while (left > 0n) {
      const direct = node.pools.find((pool) => this.#freeIn(pool) > 0n);
      const moved = direct === undefined ? this.#moveOthers(node, left) : this.#draw(node, direct, left);
      if (moved === 0n) break;
      left = minus(left, moved);
    }
    return minus(wanted, left);
  }

  #draw(node: FlowNode, pool: number, wanted: Amount): Amount {
    const amount = least(wanted, this.#freeIn(pool));
    this.#free[pool] = minus(this.#freeIn(pool), amount);
    node.flows[pool] = plus(flowOn(node, pool), amount);
    node.assigned = plus(node.assigned, amount);
    return amount;
  }

  /**
   * All pools of the node are used up. Finds the shortest augmenting path to a pool that is not: other nodes that draw from
   * our pools may draw from further pools instead, and so on. Moves as much along the path as every step allows.
   */
  #moveOthers(node: FlowNode, wanted: Amount): Amount {
    const path = this.#findPath(node);
    if (path === undefined) return noAmount;
    const amount = path.steps.reduce(
      (most, { from, pool }) => least(most, flowOn(from, pool)),
      least(wanted, this.#freeIn(path.end)),
    );
    let to = path.end;
    for (const { from, pool } of path.steps) {
      from.flows[to] = plus(flowOn(from, to), amount);
      from.flows[pool] = minus(flowOn(from, pool), amount);
      to = pool;
    }
    node.flows[to] = plus(flowOn(node, to), amount);
    node.assigned = plus(node.assigned, amount);
    this.#free[path.end] = minus(this.#freeIn(path.end), amount);
    return amount;
  }

  /** Breadth-first search, so that the path is a shortest one and the algorithm terminates. */
  #findPath(source: FlowNode): { readonly end: number; readonly steps: readonly Step[] } | undefined {
    const reachedBy = new Map<number, FlowNode>();
    const heldIn = new Map<FlowNode, number>();
    const queue = [source];
    for (const node of queue) {
      for (const pool of node.pools) {
        if (reachedBy.has(pool)) continue;
        reachedBy.set(pool, node);
        if (this.#freeIn(pool) > 0n) return { end: pool, steps: stepsTo(pool, source, reachedBy, heldIn) };
        for (const other of this.#nodes) {
          if (other === source || heldIn.has(other) || flowOn(other, pool) === 0n) continue;
          heldIn.set(other, pool);
          queue.push(other);
        }
      }
    }
    return undefined;
  }

  /** Returns capacity of the node, starting with its last pool. */
  #withdraw(node: FlowNode, amount: Amount): void {
    let left = amount;
    for (let at = node.pools.length - 1; at >= 0 && left > 0n; at -= 1) {
      const pool = node.pools[at] as number;
      const given = least(left, flowOn(node, pool));
      node.flows[pool] = minus(flowOn(node, pool), given);
      this.#free[pool] = plus(this.#freeIn(pool), given);
      left = minus(left, given);
    }
    node.assigned = minus(node.assigned, minus(amount, left));
  }

  #freeIn(pool: number): Amount {
    return this.#free[pool] as Amount;
  }
}

/** A node that moves its use out of a pool to make room for the previous node of the path. */
interface Step {
  readonly from: FlowNode;
  readonly pool: number;
}

function flowOn(node: FlowNode, pool: number): Amount {
  return node.flows[pool] as Amount;
}

/** From the free pool back to the source. */
function stepsTo(
  end: number,
  source: FlowNode,
  reachedBy: ReadonlyMap<number, FlowNode>,
  heldIn: ReadonlyMap<FlowNode, number>,
): readonly Step[] {
  const steps: Step[] = [];
  let node = reachedBy.get(end);
  while (node !== undefined && node !== source) {
    const pool = heldIn.get(node) as number;
    steps.push({ from: node, pool });
    node = reachedBy.get(pool);
  }
  return steps;
}
