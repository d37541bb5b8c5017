import { reservationsMax } from "../resources/allowance-bucket.ts";
import { type Amount, noAmount } from "../resources/fields/amount.ts";
import { parseDimensionKey } from "../resources/fields/dimensions.ts";
import { minus, minusOrNone, plus, total } from "./arithmetic.ts";
import { FlowNetwork, type FlowNode } from "./flow-network.ts";
import { type Capacity, noCapacity } from "./pools.ts";

/** Three quarters of the 64 KiB a page may have: room for as many promises as it may hold, when their names are ordinary. */
const reservationBytesMax = 48 * 1024;

/** Whether a page can hold so many promises of so many bytes in all. */
export function fitsPage(count: number, bytes: number): boolean {
  return count <= reservationsMax && bytes <= reservationBytesMax;
}

/** All use of a page with the same dimensions. Granted claims hold a reference to their slot, and so need no more. */
export interface Slot {
  readonly book: PageBook;
  readonly dimensionKey: string;
  granted: Amount;
  grantedClaims: number;
  promised: Amount;
  promisedClaims: number;
  node: FlowNode;
  /** The last one that was asked for: nearly all claims hold the same, and then share it. */
  holding: Holding | undefined;
}

/** So much of a slot. */
export interface Holding {
  readonly slot: Slot;
  readonly amount: Amount;
}

/** What is promised to one claim on one page. */
export interface PromisedParts {
  readonly uid: string;
  readonly holdings: readonly Holding[];
  /** What the promises take if they are written down. */
  readonly bytes: number;
}

/** A part of a claim that did not fit, and what could have been had in its place. */
export interface Shortage {
  readonly holding: Holding;
  readonly available: Amount;
}

/** What a bucket shows. */
export interface Figures {
  readonly limit: Amount;
  readonly allocated: Amount;
  readonly reserved: Amount;
  readonly available: Amount;
  readonly overage: Amount;
}

/**
 * What is known of one page: what granted claims hold, what is promised to pending ones, and what the grants
 * give. Everything is kept as sums, so that the claims behind them need not be looked at again.
 */
export class PageBook {
  readonly resourceType: string;
  #capacity = noCapacity;
  #network = new FlowNetwork([]);
  readonly #slots = new Map<string, Slot>();
  /** Promises that are neither kept nor broken yet, by the UID of their claim. */
  readonly #promises = new Map<string, PromisedParts>();
  #promisedCount = 0;
  #promisedBytes = 0;
  #allocated = noAmount;
  #reserved = noAmount;
  #claimCount = 0;
  /** Until something changes: what is stored, shown and warned about is the same. */
  #figures: Figures | undefined;

  constructor(resourceType: string) {
    this.resourceType = resourceType;
  }

  get claimCount(): number {
    return this.#claimCount;
  }

  /** What granted claims hold. */
  get granted(): Amount {
    return this.#allocated;
  }

  /** Whether the page has space to write down so many further promises of so many bytes. */
  hasRoomFor(count: number, bytes: number): boolean {
    return fitsPage(this.#promisedCount + count, this.#promisedBytes + bytes);
  }

  /** Sets of dimensions in use. */
  get dimensionKeys(): readonly string[] {
    return [...this.#slots.keys()];
  }

  get capacity(): Capacity {
    return this.#capacity;
  }

  setCapacity(capacity: Capacity): void {
    this.#figures = undefined;
    this.#capacity = capacity;
    this.#network = new FlowNetwork(capacity.pools);
    for (const slot of this.#slots.values()) {
      slot.node = this.#createNode(slot.dimensionKey);
      this.#assign(slot);
    }
  }

  /** Totals over all dimensions, and what one more request without dimensions could get. */
  figures(): Figures {
    this.#figures ??= {
      limit: total(this.#capacity.pools.map((pool) => pool.amount)),
      allocated: this.#allocated,
      reserved: this.#reserved,
      available: this.#network.available(this.#nodeOf("")),
      overage: this.#network.uncovered,
    };
    return this.#figures;
  }

  /** The same for one set of dimensions: pools that match it, use that has it. */
  figuresFor(dimensionKey: string): Figures & { readonly claimCount: number } {
    const slot = this.#slots.get(dimensionKey);
    const node = this.#nodeOf(dimensionKey);
    return {
      limit: this.#network.limitOf(node),
      allocated: slot?.granted ?? noAmount,
      reserved: slot?.promised ?? noAmount,
      available: this.#network.available(node),
      overage: minusOrNone(node.demand, node.assigned),
      claimCount: slot?.grantedClaims ?? 0,
    };
  }

  /** Capacity that no use is assigned to, whatever dimensions it is for. */
  get unassigned(): Amount {
    return this.#network.free;
  }

  slot(dimensionKey: string): Slot {
    const existing = this.#slots.get(dimensionKey);
    if (existing !== undefined) return existing;
    const slot: Slot = {
      book: this,
      dimensionKey,
      granted: noAmount,
      grantedClaims: 0,
      promised: noAmount,
      promisedClaims: 0,
      node: this.#createNode(dimensionKey),
      holding: undefined,
    };
    this.#slots.set(dimensionKey, slot);
    return slot;
  }

  /** So much of the slot with these dimensions. */
  holding(dimensionKey: string, amount: Amount): Holding {
    const slot = this.slot(dimensionKey);
    if (slot.holding?.amount !== amount) slot.holding = { slot, amount };
    return slot.holding;
  }

  /** A claim is granted: it holds this from now on, in place of what was promised to it. */
  hold(uid: string, holdings: readonly Holding[]): void {
    const promised = this.#takePromises(uid);
    this.#addHoldings(holdings);
    this.#assignAll(holdings, promised);
  }

  /** A granted claim is gone: what it held is free. */
  release(holdings: readonly Holding[]): void {
    this.#takeHoldings(holdings);
    this.#assignAll(holdings);
  }

  /** Whether so much is free without moving other use between pools. False does not mean that it would not fit. */
  hasFree(dimensionKey: string, amount: Amount): boolean {
    return this.#network.hasFree(this.#nodeOf(dimensionKey), amount);
  }

  /** Promises what a claim asks of this page if all of it fits; else nothing, and tells what could not be had. */
  promise(wanted: PromisedParts): readonly Shortage[] {
    const short: Shortage[] = [];
    for (const holding of wanted.holdings) {
      const { slot, amount } = holding;
      if (this.#network.tryRaise(slot.node, amount)) continue;
      short.push({ holding, available: this.#network.available(slot.node) });
    }
    if (short.length === 0) this.#addPromises(wanted);
    this.#assignAll(wanted.holdings);
    return short;
  }

  /** Promises without asking whether it fits. */
  promiseAnyway(wanted: PromisedParts): void {
    this.#addPromises(wanted);
    this.#assignAll(wanted.holdings);
  }

  /** Takes back what is promised to a claim. */
  withdraw(uid: string): void {
    this.#assignAll(this.#takePromises(uid));
  }

  hasPromise(uid: string): boolean {
    return this.#promises.has(uid);
  }

  /** Starts over with the promises of a page that was just read. */
  setPromises(promises: Iterable<PromisedParts>): void {
    for (const uid of [...this.#promises.keys()]) this.withdraw(uid);
    for (const promised of promises) this.promiseAnyway(promised);
  }

  #addHoldings(holdings: readonly Holding[]): void {
    for (const { slot, amount } of holdings) {
      slot.granted = plus(slot.granted, amount);
      slot.grantedClaims += 1;
      this.#allocated = plus(this.#allocated, amount);
    }
    this.#claimCount += 1;
  }

  #takeHoldings(holdings: readonly Holding[]): void {
    for (const { slot, amount } of holdings) {
      slot.granted = minus(slot.granted, amount);
      slot.grantedClaims -= 1;
      this.#allocated = minus(this.#allocated, amount);
    }
    this.#claimCount -= 1;
  }

  #addPromises(promised: PromisedParts): void {
    const { uid, holdings, bytes } = promised;
    if (this.#promises.has(uid)) throw new Error(`${this.resourceType} has promised ${uid} something already`);
    this.#promises.set(uid, promised);
    this.#promisedCount += holdings.length;
    this.#promisedBytes += bytes;
    for (const { slot, amount } of holdings) {
      slot.promised = plus(slot.promised, amount);
      slot.promisedClaims += 1;
      this.#reserved = plus(this.#reserved, amount);
    }
  }

  #takePromises(uid: string): readonly Holding[] {
    const promised = this.#promises.get(uid);
    if (promised === undefined) return [];
    const { holdings, bytes } = promised;
    this.#promises.delete(uid);
    this.#promisedCount -= holdings.length;
    this.#promisedBytes -= bytes;
    for (const { slot, amount } of holdings) {
      slot.promised = minus(slot.promised, amount);
      slot.promisedClaims -= 1;
      this.#reserved = minus(this.#reserved, amount);
    }
    return holdings;
  }

  #assignAll(...lists: readonly (readonly Holding[])[]): void {
    for (const list of lists) for (const { slot } of list) this.#assign(slot);
  }

  /** Brings the network up to date with a slot, and forgets a slot that nobody refers to. */
  #assign(slot: Slot): void {
    this.#figures = undefined;
    this.#network.setDemand(slot.node, plus(slot.granted, slot.promised));
    if (slot.grantedClaims === 0 && slot.promisedClaims === 0) this.#slots.delete(slot.dimensionKey);
  }

  #nodeOf(dimensionKey: string): FlowNode {
    return this.#slots.get(dimensionKey)?.node ?? this.#createNode(dimensionKey);
  }

  #createNode(dimensionKey: string): FlowNode {
    return this.#network.createNode(parseDimensionKey(dimensionKey) ?? {});
  }
}
