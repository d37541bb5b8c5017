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

/** A ledger with granted claims through which more claims pass: learned, decided, reserved, granted, counted, deleted. */
class Bench {
  readonly ledger = new ConsumerLedger();
  readonly #parts: readonly ClaimPart[];
  #bucket: LedgerBucket = { ...unstoredBucket("x"), version: "1" };
  #next = 0;

  constructor(pools: readonly Pool[], parts: readonly ClaimPart[], granted: number) {
    this.#parts = parts;
    this.ledger.setCapacity("x", { ...noCapacity, pools });
    for (let at = 0; at < granted; at += 1) this.ledger.learn(this.#uid(), { state: "granted", parts: [this.#part()] });
  }

  /** Decides claims in batches, as the bucket writer does. */
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
        forced: false,
      };
    });
    let attempts = 0;
    const decisions = settle(this.ledger, claims, () => {
      attempts += 1;
      return `w.${this.#next}.${attempts}`;
    });
    this.#bucket = { ...this.#bucket, content: contentOf(this.ledger, this.#bucket, { ...noChanges, decisions }) };
    for (const { claim, outcome } of decisions) {
      if (outcome !== "reserve") throw new Error(`unexpected ${outcome}`);
      this.ledger.learn(claim.claim.uid, { state: "granted", parts: claim.parts });
    }
    this.#bucket = { ...this.#bucket, content: contentOf(this.ledger, this.#bucket, noChanges) };
    for (const { claim } of claims) this.ledger.learn(claim.uid, { state: "gone" });
    this.ledger.forget(claims.map(({ claim }) => claim.uid));
  }

  #part(): ClaimPart {
    return this.#parts[this.#next % this.#parts.length] as ClaimPart;
  }

  /** As long as a real UID, and a new string each time. */
  #uid(): string {
    this.#next += 1;
    const digits = this.#next.toString(16).padStart(12, "0");
    return Buffer.from(`7d0f3d0a-95b5-4a31-9d6f-${digits}`, "latin1").toString("latin1");
  }
}

const onePool: readonly Pool[] = [{ requirements: [], amount: amountMax }];
const onePart: readonly ClaimPart[] = [{ resourceType: "x", dimensionKey: "", amount: amountOf(1) }];

/** Twenty overlapping pools, each for some of the 200 locations. */
const locations = Array.from({ length: 200 }, (_, at) => `location-${at}`);
const twentyPools: readonly Pool[] = Array.from({ length: 20 }, (_, at) => ({
  amount: amountOf(1_000_000_000),
  requirements: [
    {
      key: "location",
      operator: "In",
      values: locations.filter((_location, index) => index % 20 === at || index % 19 === at),
    },
  ],
}));
const partsByLocation: readonly ClaimPart[] = locations.map((location) => ({
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
  const byLocation = new Bench(twentyPools, partsByLocation, 10_000);
  const manyByLocation = new Bench(twentyPools, partsByLocation, 1_000_000);
  const dimensioned = interleaved(byLocation.work, manyByLocation.work);
  return [
    { name: "decisions with 1 claim granted before", value: many.first, unit: "/s" },
    { name: "decisions with 10,000 claims granted before", value: few.second, unit: "/s" },
    { name: "decisions with 1,000,000 claims granted before", value: many.second, unit: "/s" },
    {
      name: "time of a decision with 1,000,000 claims, against 1 claim",
      value: many.ratio,
      unit: "x",
      budget: "ledgerGrowth",
    },
    {
      name: "decisions with 20 pools, 200 sets of dimensions, 10,000 claims",
      value: dimensioned.first,
      unit: "/s",
    },
    {
      name: "decisions with 20 pools, 200 sets of dimensions, 1,000,000 claims",
      value: dimensioned.second,
      unit: "/s",
    },
    claimMemory(),
  ];
};

/** Memory of a granted claim in the ledger, its UID included. */
function claimMemory(): Figure {
  const count = 1_000_000;
  const before = heapUsed();
  const bench = new Bench(onePool, onePart, count);
  const bytes = (heapUsed() - before) / count;
  if (bench.ledger.claimCount !== count) throw new Error("the ledger lost claims");
  return { name: "memory of a granted claim", value: bytes, unit: "bytes", budget: "ledgerClaimMemory" };
}

function heapUsed(): number {
  if (globalThis.gc === undefined) throw new Error("run with --expose-gc, as npm run bench does");
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}
