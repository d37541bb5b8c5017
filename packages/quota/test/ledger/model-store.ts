// A model of an API server for the ledger: claims, grants and buckets with versions, with atomic operations. It checks the
// invariants after every write.
import type { ClaimPart } from "../../src/core/ledger/claim-knowledge.ts";
import { FlowNetwork } from "../../src/core/ledger/flow-network.ts";
import {
  type BucketContent,
  type LedgerBucket,
  type OpenClaim,
  type Reservation,
  unstoredBucket,
} from "../../src/core/ledger/ledger-bucket.ts";
import type { Pool } from "../../src/core/ledger/pools.ts";
import { isComplete } from "../../src/core/ledger/recover.ts";
import type { Amount } from "../../src/core/resources/fields/amount.ts";
import { parseDimensionKey } from "../../src/core/resources/fields/dimensions.ts";
import { sum } from "./smallest-cut.ts";

export interface StoredClaim {
  readonly open: OpenClaim;
  readonly version: number;
  readonly state: "pending" | "granted" | "denied";
  readonly deleting: boolean;
}

/** One change of a claim, as a watch reports it. */
export interface ClaimEvent {
  readonly uid: string;
  /** Undefined: deleted. */
  readonly claim: StoredClaim | undefined;
}

export interface StoreView {
  /** Everything up to this version is in it, nothing after. */
  readonly version: number;
  readonly claims: readonly StoredClaim[];
  readonly pools: ReadonlyMap<string, readonly Pool[]>;
  readonly poolsVersion: number;
}

export class ModelStore {
  readonly buckets = new Map<string, LedgerBucket>();
  readonly claims = new Map<string, StoredClaim>();
  readonly pools = new Map<string, readonly Pool[]>();
  /** Changes with every grant. */
  poolsVersion = 0;
  /** Claims that would have fit at every moment so far: denying one of these would be wrong. */
  readonly alwaysFit = new Set<string>();
  #version = 0;
  #events: ((event: ClaimEvent) => void)[] = [];

  subscribe(listener: (event: ClaimEvent) => void): void {
    this.#events.push(listener);
  }

  unsubscribe(listener: (event: ClaimEvent) => void): void {
    this.#events = this.#events.filter((each) => each !== listener);
  }

  view(): StoreView {
    const { poolsVersion } = this;
    return { version: this.#version, claims: [...this.claims.values()], pools: new Map(this.pools), poolsVersion };
  }

  bucket(resourceType: string): LedgerBucket {
    return this.buckets.get(resourceType) ?? unstoredBucket(resourceType);
  }

  createClaim(open: OpenClaim): void {
    this.alwaysFit.add(open.claim.uid);
    this.#put({ open, version: this.#next(), state: "pending", deleting: false });
  }

  deleteClaim(uid: string): void {
    if (this.claims.delete(uid)) this.#emit({ uid, claim: undefined });
    this.#check();
  }

  /** The object of a claim has shrunk: the claim holds less of every part, or loses a part. */
  shrinkClaim(uid: string, keepsFirstOnly: boolean): void {
    const claim = this.claims.get(uid);
    if (claim?.state !== "granted") return;
    const less = claim.open.parts.map((part) => ({ ...part, amount: ((part.amount + 1n) / 2n) as Amount }));
    const open = { ...claim.open, parts: keepsFirstOnly ? less.slice(0, 1) : less };
    this.#put({ ...claim, open, version: this.#next() });
  }

  /** Counts all writes. */
  get version(): number {
    return this.#version;
  }

  markDeleting(uid: string): void {
    const claim = this.claims.get(uid);
    if (claim !== undefined) this.#put({ ...claim, version: this.#next(), deleting: true });
  }

  setPools(resourceType: string, pools: readonly Pool[]): void {
    this.pools.set(resourceType, pools);
    this.poolsVersion += 1;
    this.#check();
  }

  /** Compare and swap; undefined on a conflict. */
  swapBucket(
    base: LedgerBucket,
    content: BucketContent,
    writer: string,
    pools: readonly Pool[],
  ): LedgerBucket | undefined {
    const before = this.bucket(base.resourceType);
    if (before.version !== base.version) return undefined;
    const after: LedgerBucket = {
      resourceType: base.resourceType,
      version: String(this.#next()),
      writer,
      content,
    };
    this.#checkSwap(before, after, content, pools);
    this.buckets.set(base.resourceType, after);
    this.#check();
    return after;
  }

  /** Decides a claim on the version it was settled on; undefined on a conflict. */
  decide(uid: string, version: number, state: "granted" | "denied"): StoredClaim | undefined {
    const claim = this.claims.get(uid);
    if (claim === undefined || claim.version !== version) return undefined;
    must(claim.state === "pending", `I3: ${uid} was ${claim.state} and is decided again`);
    if (state === "granted") {
      const own = [...this.buckets.values()].flatMap((bucket) =>
        bucket.content.reservations.filter((each) => each.claim.uid === uid),
      );
      const isWhole = own.some((reservation) => isComplete(claim.open, reservation.attempt, this.buckets));
      must(isWhole, `I3: ${uid} is granted without a complete attempt`);
    } else {
      must(!this.alwaysFit.has(uid), `I6: ${uid} is denied although it always had room`);
    }
    const decided = { ...claim, version: this.#next(), state };
    this.#put(decided);
    return decided;
  }

  /** Granted use of a resource type, by dimensions. */
  grantedParts(resourceType: string, without: ReadonlySet<string> = new Set()): readonly ClaimPart[] {
    return [...this.claims.values()]
      .filter((claim) => claim.state === "granted" && !without.has(claim.open.claim.uid))
      .flatMap((claim) => claim.open.parts.filter((part) => part.resourceType === resourceType));
  }

  #put(claim: StoredClaim): void {
    this.claims.set(claim.open.claim.uid, claim);
    this.#emit({ uid: claim.open.claim.uid, claim });
    this.#check();
  }

  #emit(event: ClaimEvent): void {
    for (const listener of this.#events) listener(event);
  }

  #next(): number {
    this.#version += 1;
    return this.#version;
  }

  /** Invariants of one swap. */
  #checkSwap(before: LedgerBucket, after: LedgerBucket, { figures }: BucketContent, pools: readonly Pool[]): void {
    const reserved = sum(after.content.reservations.map((each) => each.amount));
    must(
      figures.reserved === reserved,
      `a bucket says ${figures.reserved} is reserved, its reservations say ${reserved}`,
    );
    must(after.content.reservations.length <= 128, "I8: more than 128 reservations");
    const known = new Set(before.content.reservations.map((each) => each.attempt));
    const added = after.content.reservations.filter((each) => !known.has(each.attempt) && !each.forced);
    if (added.length === 0) return;
    const isPlain = pools.every((pool) => pool.requirements.length === 0);
    if (isPlain) must(figures.allocated + reserved <= figures.limit, "I2: reserved more than the limit");
    else must(risesByAll(after, added, pools, this.#unreserved(after)), "I2: reserved what no pool covers");
  }

  /** Invariants after every step. */
  #check(): void {
    for (const bucket of this.buckets.values()) {
      const granted = sum(this.#unreserved(bucket).map((part) => part.amount));
      must(
        granted <= bucket.content.figures.allocated,
        `I1: ${bucket.resourceType} counts ${bucket.content.figures.allocated}, granted claims hold ${granted}`,
      );
    }
    for (const uid of this.alwaysFit) {
      const claim = this.claims.get(uid);
      if (claim === undefined || !this.#fits(claim.open)) this.alwaysFit.delete(uid);
    }
  }

  /** What granted claims hold of a bucket, without those that still have a reservation in it. */
  #unreserved(bucket: LedgerBucket): readonly ClaimPart[] {
    return this.grantedParts(bucket.resourceType, new Set(bucket.content.reservations.map((each) => each.claim.uid)));
  }

  /** Whether the stored buckets have room for each single part of a claim. */
  #fits({ parts }: OpenClaim): boolean {
    return parts.every((part) => {
      const bucket = this.bucket(part.resourceType);
      const network = new FlowNetwork(this.pools.get(part.resourceType) ?? []);
      const use = new Map<string, bigint>();
      for (const granted of this.#unreserved(bucket)) add(use, granted.dimensionKey, granted.amount);
      for (const reservation of bucket.content.reservations) add(use, reservation.dimensionKey, reservation.amount);
      const total = [...use.values()].reduce((left, right) => left + right, 0n);
      // The bucket may still count claims that are gone, and then has less room than the claims imply.
      const stale =
        bucket.content.figures.allocated + sum(bucket.content.reservations.map((each) => each.amount)) - total;
      for (const [key, amount] of use)
        network.setDemand(network.createNode(parseDimensionKey(key) ?? {}), amount as Amount);
      const room = network.available(network.createNode(parseDimensionKey(part.dimensionKey) ?? {}));
      const others = parts.filter((each) => each !== part && each.resourceType === part.resourceType);
      return room >= part.amount + sum(others.map((each) => each.amount)) + (stale > 0n ? stale : 0n);
    });
  }
}

/** Whether the reservations that a swap adds are covered in full, over and above what was covered without them. */
function risesByAll(
  after: LedgerBucket,
  added: readonly Reservation[],
  pools: readonly Pool[],
  granted: readonly ClaimPart[],
): boolean {
  const covered = (reservations: readonly Reservation[]): bigint => {
    const use = new Map<string, bigint>();
    for (const part of granted) add(use, part.dimensionKey, part.amount);
    for (const reservation of reservations) add(use, reservation.dimensionKey, reservation.amount);
    const network = new FlowNetwork(pools);
    const nodes = [...use].map(([key, amount]) => {
      const node = network.createNode(parseDimensionKey(key) ?? {});
      network.setDemand(node, amount as Amount);
      return node;
    });
    return nodes.reduce((left, node) => left + node.assigned, 0n);
  };
  const kept = after.content.reservations.filter((each) => !added.includes(each));
  return covered(after.content.reservations) === covered(kept) + sum(added.map((each) => each.amount));
}

export function must(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise);
}

function add(use: Map<string, bigint>, key: string, amount: bigint): void {
  use.set(key, (use.get(key) ?? 0n) + amount);
}
