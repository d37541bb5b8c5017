import type { ClaimPart } from "@milo-quota/quota/core/ledger/claim-knowledge.ts";
import { ConsumerLedger } from "@milo-quota/quota/core/ledger/consumer-ledger.ts";
import { type LedgerBucket, type OpenClaim, unstoredBucket } from "@milo-quota/quota/core/ledger/ledger-bucket.ts";
import { noCapacity, type Pool } from "@milo-quota/quota/core/ledger/pools.ts";
import { contentOf, noChanges } from "@milo-quota/quota/core/ledger/rewrite.ts";
import { settle } from "@milo-quota/quota/core/ledger/settle.ts";
import { amountMax, amountOf } from "../packages/quota/src/core/resources/fields/amount.ts";
import { dimensionKey } from "../packages/quota/src/core/resources/fields/dimensions.ts";
import { interleaved, type Work } from "./interleaved.ts";
import type { Figure, Suite } from "./run.ts";

const batch = 32;

/** A ledger with claims in it, through which further claims pass: seen, decided, promised, granted, counted, gone. */
class Bench {
  readonly ledger = new ConsumerLedger();
  readonly #parts: readonly ClaimPart[];
  #page: LedgerBucket = { ...unstoredBucket("x"), version: "1" };
  #next = 0;

  constructor(pools: readonly Pool[], parts: readonly ClaimPart[], granted: number) {
    this.#parts = parts;
    this.ledger.setCapacity("x", { ...noCapacity, pools });
    for (let at = 0; at < granted; at += 1) this.ledger.learn(this.#uid(), { state: "granted", parts: [this.#part()] });
  }

  /** So many decisions, in batches as a writer makes them. */
  readonly work: Work = (times) => {
    for (let done = 0; done < times; done += batch) this.#batch();
  };

  #batch(): void {
    const claims = Array.from({ length: batch }, (): OpenClaim => {
      const uid = this.#uid();
      this.ledger.learn(uid, { state: "pending", deleting: false });
      return {
        claim: { uid, namespace: "organization-acme-corp", name: `claim-${uid}` },
        parts: [this.#part()],
        standing: "waiting",
      };
    });
    let set = 0;
    const decisions = settle(this.ledger, claims, () => {
      set += 1;
      return `w.${this.#next}.${set}`;
    });
    this.#page = { ...this.#page, content: contentOf(this.ledger, this.#page, { ...noChanges, decisions }) };
    for (const { claim, outcome } of decisions) {
      if (outcome !== "reserve") throw new Error(`unexpected ${outcome}`);
      this.ledger.learn(claim.claim.uid, { state: "granted", parts: claim.parts });
    }
    this.#page = { ...this.#page, content: contentOf(this.ledger, this.#page, noChanges) };
    for (const { claim } of claims) this.ledger.learn(claim.uid, { state: "gone" });
    this.ledger.forget(claims.map(({ claim }) => claim.uid));
  }

  #part(): ClaimPart {
    return this.#parts[this.#next % this.#parts.length] as ClaimPart;
  }

  /** As long as a real one, and never the same string twice. */
  #uid(): string {
    this.#next += 1;
    const digits = this.#next.toString(16).padStart(12, "0");
    return Buffer.from(`7d0f3d0a-95b5-4a31-9d6f-${digits}`, "latin1").toString("latin1");
  }
}

const onePool: readonly Pool[] = [{ requirements: [], amount: amountMax }];
const onePart: readonly ClaimPart[] = [{ resourceType: "x", dimensionKey: "", amount: amountOf(1) }];

/** Twenty pools that overlap: each serves every request in ten locations out of the two hundred. */
const places = Array.from({ length: 200 }, (_, at) => `place-${at}`);
const twentyPools: readonly Pool[] = Array.from({ length: 20 }, (_, at) => ({
  amount: amountOf(1_000_000_000),
  requirements: [
    {
      key: "location",
      operator: "In",
      values: places.filter((_place, index) => index % 20 === at || index % 19 === at),
    },
  ],
}));
const placedParts: readonly ClaimPart[] = places.map((location) => ({
  resourceType: "x",
  dimensionKey: dimensionKey({ location }),
  amount: amountOf(1),
}));

export const suite: Suite = () => {
  const one = new Bench(onePool, onePart, 1);
  const tenThousand = new Bench(onePool, onePart, 10_000);
  const million = new Bench(onePool, onePart, 1_000_000);
  const few = interleaved(one.work, tenThousand.work);
  const many = interleaved(one.work, million.work);
  const placed = new Bench(twentyPools, placedParts, 10_000);
  const placedMany = new Bench(twentyPools, placedParts, 1_000_000);
  const dimensioned = interleaved(placed.work, placedMany.work);
  return [
    { name: "decisions with 1 claim granted before", value: many.first, unit: "a second" },
    { name: "decisions with 10,000 claims granted before", value: few.second, unit: "a second" },
    { name: "decisions with 1,000,000 claims granted before", value: many.second, unit: "a second" },
    {
      name: "time of a decision with 1,000,000 claims, against 1",
      value: many.ratio,
      unit: "x",
      budget: "ledgerGrowth",
    },
    {
      name: "decisions with 20 pools, 200 sets of dimensions, 10,000 claims",
      value: dimensioned.first,
      unit: "a second",
    },
    {
      name: "decisions with 20 pools, 200 sets of dimensions, 1,000,000 claims",
      value: dimensioned.second,
      unit: "a second",
    },
    claimAtRest(),
  ];
};

/** What a granted claim takes once it is in the ledger, its UID included. */
function claimAtRest(): Figure {
  const count = 1_000_000;
  const before = heapUsed();
  const bench = new Bench(onePool, onePart, count);
  const bytes = (heapUsed() - before) / count;
  if (bench.ledger.claimCount !== count) throw new Error("the ledger lost claims");
  return { name: "a granted claim at rest", value: bytes, unit: "bytes", budget: "ledgerClaimAtRest" };
}

function heapUsed(): number {
  if (globalThis.gc === undefined) throw new Error("run with --expose-gc, as npm run bench does");
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}
