import { reservationsMax } from "../resources/allowance-bucket.ts";
import { type Amount, noAmount } from "../resources/fields/amount.ts";
import { parseDimensionKey } from "../resources/fields/dimensions.ts";
import { minus, minusOrNone, plus, total } from "./arithmetic.ts";
import { FlowNetwork, type FlowNode } from "./flow-network.ts";
import { type Capacity, noCapacity } from "./pools.ts";

/** Three quarters of the 64 KiB limit of a bucket: enough for the maximum number of reservations with names of usual length. */
const reservationBytesMax = 48 * 1024;

/** Whether a bucket can store this many reservations of this many bytes in total. */
export function fitsBucket(count: number, bytes: number): boolean {
  return count <= reservationsMax && bytes <= reservationBytesMax;
}

/** All use of a resource type with the same dimensions. Granted claims reference their slot instead of storing type and dimensions. */
export interface Slot {
  readonly ledger: TypeLedger;
  readonly dimensionKey: string;
  granted: Amount;
  grantedClaims: number;
  reserved: Amount;
  reservedClaims: number;
  node: FlowNode;
  /** The last one returned: nearly all claims hold the same amount, and share one object. */
  holding: Holding | undefined;
}

/** An amount of a slot. */
export interface Holding {
  readonly slot: Slot;
  readonly amount: Amount;
}

/** The reservations of one claim in one bucket. */
export interface ReservedParts {
  readonly uid: string;
  readonly holdings: readonly Holding[];
  /** Upper bound of their size in the stored bucket. */
  readonly bytes: number;
}

/** A part of a claim that did not fit, and the amount that was available. */
export interface Shortage {
  readonly holding: Holding;
  readonly available: Amount;
}

/** The figures of a bucket status. */
export interface Figures {
  readonly limit: Amount;
  readonly allocated: Amount;
  readonly reserved: Amount;
  readonly available: Amount;
  readonly overage: Amount;
  /** What one more request without dimensions could get. Only for totals, and only where it is less than `available`. */
  readonly undimensioned?: Amount;
}

/**
 * The ledger of one resource type of a consumer: allocations of granted claims, reservations of pending ones, and the
 * capacity of grants. It keeps sums, so that decisions never iterate over claims.
 */
export class TypeLedger {
  readonly resourceType: string;
  #capacity = noCapacity;
  #network = new FlowNetwork([]);
  readonly #slots = new Map<string, Slot>();
  /** Reservations of pending claims, by claim UID. */
  readonly #reservations = new Map<string, ReservedParts>();
  #reservationCount = 0;
  #reservationBytes = 0;
  #allocated = noAmount;
  #reserved = noAmount;
  #claimCount = 0;
  /** Cached until the next change. */
  #figures: Figures | undefined;

  constructor(resourceType: string) {
    this.resourceType = resourceType;
  }

  get claimCount(): number {
    return this.#claimCount;
  }

  /** The sum that granted claims hold. */
  get granted(): Amount {
    return this.#allocated;
  }

  /** Whether the bucket can store this many more reservations of this many bytes. */
  hasRoomFor(count: number, bytes: number): boolean {
    return fitsBucket(this.#reservationCount + count, this.#reservationBytes + bytes);
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

  /** Totals over all dimensions. Use and what is available add up to the limit, or to the limit and the overage. */
  figures(): Figures {
    this.#figures ??= this.#totals();
    return this.#figures;
  }

  #totals(): Figures {
    const available = this.#network.free;
    const undimensioned = this.#network.available(this.#nodeOf(""));
    const totals = {
      limit: this.#limit,
      allocated: this.#allocated,
      reserved: this.#reserved,
      available,
      overage: this.#network.uncovered,
    };
    return undimensioned === available ? totals : { ...totals, undimensioned };
  }

  /** The sum of all grants, whatever dimensions they are for. */
  get #limit(): Amount {
    return total(this.#capacity.pools.map((pool) => pool.amount));
  }

  /** Figures for one set of dimensions: pools that match it, use that has it. */
  figuresFor(dimensionKey: string): Figures & { readonly claimCount: number } {
    const slot = this.#slots.get(dimensionKey);
    const node = this.#nodeOf(dimensionKey);
    return {
      limit: this.#network.limitOf(node),
      allocated: slot?.granted ?? noAmount,
      reserved: slot?.reserved ?? noAmount,
      available: this.#network.available(node),
      overage: minusOrNone(node.demand, node.assigned),
      claimCount: slot?.grantedClaims ?? 0,
    };
  }

  slot(dimensionKey: string): Slot {
    const existing = this.#slots.get(dimensionKey);
    if (existing !== undefined) return existing;
    const slot: Slot = {
      ledger: this,
      dimensionKey,
      granted: noAmount,
      grantedClaims: 0,
      reserved: noAmount,
      reservedClaims: 0,
      node: this.#createNode(dimensionKey),
      holding: undefined,
    };
    this.#slots.set(dimensionKey, slot);
    return slot;
  }

  /** An amount of the slot with these dimensions. */
  holding(dimensionKey: string, amount: Amount): Holding {
    const slot = this.slot(dimensionKey);
    if (slot.holding?.amount !== amount) slot.holding = { slot, amount };
    return slot.holding;
  }

  /** A claim was granted: its holdings replace its reservations. */
  hold(uid: string, holdings: readonly Holding[]): void {
    const reserved = this.#takeReservations(uid);
    this.#addHoldings(holdings);
    this.#assignAll(holdings, reserved);
  }

  /** A granted claim is gone: frees what it held. */
  release(holdings: readonly Holding[]): void {
    this.#takeHoldings(holdings);
    this.#assignAll(holdings);
  }

  /** Whether the amount is free without moving other use between pools. False does not mean that it does not fit. */
  hasFree(dimensionKey: string, amount: Amount): boolean {
    return this.#network.hasFree(this.#nodeOf(dimensionKey), amount);
  }

  /** Reserves all that a claim requests of this type; if any part does not fit, reserves nothing and returns the shortages. */
  reserve(wanted: ReservedParts): readonly Shortage[] {
    const short: Shortage[] = [];
    for (const holding of wanted.holdings) {
      const { slot, amount } = holding;
      if (this.#network.tryRaise(slot.node, amount)) continue;
      short.push({ holding, available: this.#network.available(slot.node) });
    }
    if (short.length === 0) this.#addReservations(wanted);
    this.#assignAll(wanted.holdings);
    return short;
  }

  /** Reserves without checking the limit. */
  forceReserve(wanted: ReservedParts): void {
    this.#addReservations(wanted);
    this.#assignAll(wanted.holdings);
  }

  /** Removes the reservations of a claim. */
  withdraw(uid: string): void {
    this.#assignAll(this.#takeReservations(uid));
  }

  hasReservation(uid: string): boolean {
    return this.#reservations.has(uid);
  }

  /** Replaces all reservations with those of a bucket that was just read. */
  setReservations(reservations: Iterable<ReservedParts>): void {
    for (const uid of [...this.#reservations.keys()]) this.withdraw(uid);
    for (const reserved of reservations) this.forceReserve(reserved);
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

  #addReservations(reserved: ReservedParts): void {
    const { uid, holdings, bytes } = reserved;
    if (this.#reservations.has(uid)) throw new Error(`${this.resourceType} already has a reservation for ${uid}`);
    this.#reservations.set(uid, reserved);
    this.#reservationCount += holdings.length;
    this.#reservationBytes += bytes;
    for (const { slot, amount } of holdings) {
      slot.reserved = plus(slot.reserved, amount);
      slot.reservedClaims += 1;
      this.#reserved = plus(this.#reserved, amount);
    }
  }

  #takeReservations(uid: string): readonly Holding[] {
    const reserved = this.#reservations.get(uid);
    if (reserved === undefined) return [];
    const { holdings, bytes } = reserved;
    this.#reservations.delete(uid);
    this.#reservationCount -= holdings.length;
    this.#reservationBytes -= bytes;
    for (const { slot, amount } of holdings) {
      slot.reserved = minus(slot.reserved, amount);
      slot.reservedClaims -= 1;
      this.#reserved = minus(this.#reserved, amount);
    }
    return holdings;
  }

  #assignAll(...lists: readonly (readonly Holding[])[]): void {
    for (const list of lists) for (const { slot } of list) this.#assign(slot);
  }

  /** Updates the network with the demand of a slot, and removes an unused slot. */
  #assign(slot: Slot): void {
    this.#figures = undefined;
    this.#network.setDemand(slot.node, plus(slot.granted, slot.reserved));
    if (slot.grantedClaims === 0 && slot.reservedClaims === 0) this.#slots.delete(slot.dimensionKey);
  }

  #nodeOf(dimensionKey: string): FlowNode {
    return this.#slots.get(dimensionKey)?.node ?? this.#createNode(dimensionKey);
  }

  #createNode(dimensionKey: string): FlowNode {
    return this.#network.createNode(parseDimensionKey(dimensionKey) ?? {});
  }
}
