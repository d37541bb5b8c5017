import { issueText, type Parsed } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { readJson } from "@milo-quota/kubernetes/protocol/json-reader.ts";
import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import { describe, expect, it } from "vitest";
import { parseAllowanceBucket } from "../resources/allowance-bucket.ts";
import { type Amount, amountMax, amountOf } from "../resources/fields/amount.ts";
import { dimensionKey } from "../resources/fields/dimensions.ts";
import { type ClaimRequest, parseResourceClaim } from "../resources/resource-claim.ts";
import { parseResourceGrant, type ResourceGrant } from "../resources/resource-grant.ts";
import { percentOf } from "./arithmetic.ts";
import { bucketStatus } from "./bucket-status.ts";
import { ConsumerLedger } from "./consumer-ledger.ts";
import { deniedStatus, grantedStatus, shortageText } from "./decision-status.ts";
import {
  type BucketContent,
  type LedgerBucket,
  type OpenClaim,
  type Reservation,
  readBucket,
  unstoredBucket,
} from "./ledger-bucket.ts";
import { type Capacity, capacityOf, noCapacity, type Pool } from "./pools.ts";
import { knowledgeOf, openClaimOf } from "./read-claim.ts";
import { dropReservations, recover } from "./recover.ts";
import { adoptBucket, contentOf, fateOf, isCurrent, noChanges } from "./rewrite.ts";
import { type ShortPart, settle, shortParts } from "./settle.ts";

function parsed<Kind>(result: Parsed<Kind>): Kind {
  if (!result.ok) throw new Error(result.issues.map(issueText).join("\n"));
  return result.value;
}

const consumerRef = { apiGroup: "g.io", kind: "Organization", name: "acme" };

function grant(name: string, allowances: unknown[]): ResourceGrant {
  const head = { apiVersion: "quota.miloapis.com/v1alpha1", kind: "ResourceGrant" };
  return parsed(
    parseResourceGrant({
      ...head,
      metadata: { name, namespace: "n", generation: 3 },
      spec: { consumerRef, allowances },
    }),
  );
}

const openClaim = (uid: string, ...parts: [type: string, amount: number, key?: string][]): OpenClaim => ({
  claim: { uid, namespace: "n", name: `name-${uid}` },
  parts: parts.map(([resourceType, amount, dimensionKey = ""]) => ({
    resourceType,
    amount: amountOf(amount),
    dimensionKey,
  })),
  forced: false,
});

const reservation = (uid: string, amount: number, attempt: string, dimensionKey = ""): Reservation => ({
  claim: { uid, namespace: "n", name: `name-${uid}` },
  amount: amountOf(amount),
  dimensionKey,
  attempt,
  forced: false,
  expirationTime: "2026-01-01T00:00:40Z",
});

const bucket = (resourceType: string, ...reservations: Reservation[]): LedgerBucket => {
  const empty = unstoredBucket(resourceType);
  return { ...empty, version: "1", content: { ...empty.content, reservations } };
};

const only = (pools: readonly Pool[]): Capacity => ({ ...noCapacity, pools });

describe("pools", () => {
  it("sum up the grants of one type; grant buckets with the same selector form one pool", () => {
    const selector = { matchLabels: { l: "a" } };
    const same = { matchExpressions: [{ key: "l", operator: "In", values: ["a", "a"] }] };
    const grants = [
      grant("one", [
        { resourceType: "x", buckets: [{ amount: 1 }, { amount: 2, dimensionSelector: selector }] },
        { resourceType: "y", buckets: [{ amount: 50 }] },
      ]),
      grant("two", [
        { resourceType: "x", buckets: [{ amount: 4, dimensionSelector: {} }] },
        { resourceType: "x", buckets: [{ amount: 8, dimensionSelector: same }] },
      ]),
    ];
    expect(capacityOf(grants, "x").pools.map((pool) => [pool.amount, pool.requirements.length])).toEqual([
      [5n, 0],
      [10n, 1],
    ]);
    expect(capacityOf(grants, "z")).toEqual(noCapacity);
  });
});

describe("a reservation in a bucket", () => {
  const ledger = new ConsumerLedger();
  ledger.learn("granted", { state: "granted", parts: openClaim("granted", ["x", 1]).parts });
  ledger.learn("denied", { state: "denied" });
  ledger.learn("gone", { state: "gone" });
  ledger.learn("pending", { state: "pending", deleting: false });
  const fates: Record<string, string> = {
    granted: "fold",
    denied: "release",
    gone: "release",
    pending: "keep",
    unheard: "keep",
  };
  for (const [uid, fate] of Object.entries(fates)) {
    it(`of a claim that is ${uid}: ${fate}`, () => expect(fateOf(ledger, reservation(uid, 1, "s"))).toBe(fate));
  }

  it("of a claim that a complete view does not contain is released; a partial view proves nothing", () => {
    const stored = bucket("x", reservation("unheard", 2, "s"));
    const partial = new ConsumerLedger();
    adoptBucket(partial, stored, "partial");
    expect(partial.ofType("x").figures().reserved).toBe(2n);
    const complete = new ConsumerLedger();
    adoptBucket(complete, stored, "complete");
    expect(complete.ofType("x").figures().reserved).toBe(0n);
    expect(complete.knowledgeOf("unheard")).toEqual({ state: "gone" });
  });

  it("is added to allocated in the same write that removes it", () => {
    const fresh = new ConsumerLedger();
    fresh.setCapacity("x", only([{ requirements: [], amount: amountOf(10) }]));
    const stored = bucket("x", reservation("a", 2, "s1"), reservation("b", 3, "s2"));
    adoptBucket(fresh, stored, "partial");
    fresh.learn("a", { state: "granted", parts: openClaim("a", ["x", 2]).parts });
    const content = contentOf(fresh, stored, noChanges);
    expect(content.figures).toEqual({ limit: 10n, allocated: 2n, reserved: 3n, available: 5n, overage: 0n });
    expect(content.reservations.map((each) => each.claim.uid)).toEqual(["b"]);
    expect(content.claimCount).toBe(1);
  });

  it("of a claim that ended between its decision and the write is not stored", () => {
    const fresh = new ConsumerLedger();
    fresh.setCapacity("x", only([{ requirements: [], amount: amountOf(10) }]));
    const decisions = settle(fresh, [openClaim("a", ["x", 2]), openClaim("b", ["x", 3])], () => "s");
    fresh.learn("a", { state: "gone" });
    const content = contentOf(fresh, unstoredBucket("x"), { ...noChanges, decisions });
    expect(content.reservations.map((each) => each.claim.uid)).toEqual(["b"]);
    expect(content.figures.reserved).toBe(3n);
  });
});

describe("a bucket write", () => {
  const grants = [grant("g", [{ resourceType: "x", buckets: [{ amount: 10 }] }])];
  const ledger = new ConsumerLedger();
  ledger.setCapacity("x", capacityOf(grants, "x"));
  const decisions = settle(ledger, [openClaim("a", ["x", 2])], () => "s1");
  const content = contentOf(ledger, unstoredBucket("x"), { ...noChanges, decisions });
  const stored: LedgerBucket = { ...unstoredBucket("x"), version: "1", content };

  it("is not needed when nothing changed", () => {
    expect(isCurrent(stored, contentOf(ledger, stored, noChanges))).toBe(true);
  });

  const changes: Record<string, Partial<BucketContent>> = {
    ...Object.fromEntries(
      Object.keys(content.figures).map((name) => [name, { figures: { ...content.figures, [name]: amountOf(99) } }]),
    ),
    "the number of claims": { claimCount: 7 },
    "the number of grants": { grantCount: 7 },
    "which grants there are": { shares: content.shares.map((share) => ({ ...share, name: "other" })) },
    "the version of a grant": { shares: content.shares.map((share) => ({ ...share, generation: 99 })) },
    "a reservation that goes": { reservations: [] },
    "a reservation of another attempt": { reservations: [reservation("a", 2, "s2")] },
  };
  for (const [name, change] of Object.entries(changes)) {
    it(`is needed when something changed: ${name}`, () => {
      expect(isCurrent({ ...stored, content: { ...content, ...change } }, content)).toBe(false);
    });
  }

  it("is not repeated forever when grants add up to more than an int64", () => {
    const max = 9223372036854775807n;
    const large = new ConsumerLedger();
    large.setCapacity(
      "x",
      capacityOf([grant("g", [{ resourceType: "x", buckets: [{ amount: max }, { amount: 5 }] }])], "x"),
    );
    const bucket = { ...unstoredBucket("x"), content: contentOf(large, unstoredBucket("x"), noChanges) };
    expect(bucket.content.figures).toMatchObject({ limit: max, available: max });
    expect(isCurrent(bucket, contentOf(large, bucket, noChanges))).toBe(true);
    expect(settle(large, [openClaim("a", ["x", 1])], () => "s")).toMatchObject([{ outcome: "reserve" }]);
  });
});

describe("a claim that is granted with less than was reserved", () => {
  it("leaves no reservation behind in any bucket", () => {
    const ledger = new ConsumerLedger();
    for (const type of ["x", "y"]) ledger.setCapacity(type, only([{ requirements: [], amount: amountOf(10) }]));
    settle(ledger, [openClaim("a", ["x", 2], ["y", 3])], () => "s");
    ledger.learn("a", { state: "granted", parts: openClaim("a", ["x", 1]).parts });
    expect(ledger.ofType("x").figures()).toMatchObject({ allocated: 1n, reserved: 0n });
    expect(ledger.ofType("y").figures()).toMatchObject({ allocated: 0n, reserved: 0n });
  });
});

describe("recovery of a claim with two buckets", () => {
  const claim = openClaim("a", ["x", 1], ["y", 2]);
  const x = reservation("a", 1, "s1");
  const y = reservation("a", 2, "s1");
  const look = (buckets: LedgerBucket[], ...fenced: string[]): unknown =>
    recover(claim, new Map(buckets.map((each) => [each.resourceType, each])), new Set(fenced));

  const cases: Record<string, [unknown, unknown]> = {
    "nothing reserved: settle": [look([bucket("x"), bucket("y", reservation("other", 1, "s"))]), { step: "settle" }],
    "everything reserved: commit": [look([bucket("x", x), bucket("y", y)]), { step: "commit", attempt: "s1" }],
    "incomplete: fence both buckets first": [
      look([bucket("x", x), bucket("y")]),
      { step: "fence", buckets: ["x", "y"] },
    ],
    "incomplete, one bucket fenced: fence the other": [
      look([bucket("x", x), bucket("y")], "x"),
      { step: "fence", buckets: ["y"] },
    ],
    "incomplete, both fenced: drop": [
      look([bucket("x", x), bucket("y")], "x", "y"),
      { step: "drop", attempts: ["s1"] },
    ],
    "parts of two attempts are not complete": [
      look([bucket("x", x), bucket("y", { ...y, attempt: "s2" })], "x", "y"),
      { step: "drop", attempts: ["s1", "s2"] },
    ],
    "a reservation of another amount is not this claim's": [
      look([bucket("x", x), bucket("y", { ...y, amount: amountOf(1) })]),
      { step: "fence", buckets: ["x", "y"] },
    ],
    "a reservation for other dimensions is not this claim's": [
      look([bucket("x", x), bucket("y", { ...y, dimensionKey: "l=a" })]),
      { step: "fence", buckets: ["x", "y"] },
    ],
    "an unread bucket is not a reservation": [look([bucket("x", x)]), { step: "fence", buckets: ["x", "y"] }],
  };
  for (const [name, [actual, expected]] of Object.entries(cases)) {
    it(name, () => expect(actual).toEqual(expected));
  }

  it("drops reservations from the type ledgers at once, and from the buckets with the next write", () => {
    const ledger = new ConsumerLedger();
    const stored = bucket("x", x, reservation("b", 4, "s9"));
    adoptBucket(ledger, stored, "partial");
    dropReservations(ledger, claim);
    const content = contentOf(ledger, stored, { ...noChanges, dropped: new Set(["s1"]) });
    expect(content.reservations.map((each) => each.claim.uid)).toEqual(["b"]);
    expect(content.figures.reserved).toBe(4n);
  });
});

interface Shown {
  readonly reservations: readonly { readonly set: string }[];
  readonly contributingGrantRefs: readonly object[];
}

describe("the status of a bucket", () => {
  it("is read back as it was written, amounts beyond 2^53 included", () => {
    const max = 9223372036854775807n;
    const grants = [
      grant("g", [
        {
          resourceType: "x",
          buckets: [{ amount: max }, { amount: 5, dimensionSelector: { matchLabels: { l: "a" } } }],
        },
      ]),
      grant("h", [{ resourceType: "y", buckets: [{ amount: 1 }] }]),
    ];
    const ledger = new ConsumerLedger();
    ledger.setCapacity("x", capacityOf(grants, "x"));
    ledger.learn("g", { state: "granted", parts: openClaim("g", ["x", 7]).parts });
    const claims: readonly OpenClaim[] = [
      openClaim("a", ["x", 1], ["x", 2, "l=a"]),
      { ...openClaim("b", ["x", 3]), forced: true },
    ];
    const decisions = settle(ledger, claims, () => "attempt");
    const content = contentOf(ledger, unstoredBucket("x"), {
      decisions,
      dropped: new Set(),
      expirationTime: "2026-01-01T00:00:40Z",
    });
    const status = bucketStatus(content, {
      writer: "w.1",
      now: "2026-01-01T00:00:00Z",
      generation: 1,
    });
    const bucket = parsed(
      parseAllowanceBucket(
        readJson(
          writeJson({
            apiVersion: "quota.miloapis.com/v1alpha1",
            kind: "AllowanceBucket",
            metadata: { name: "b", resourceVersion: "5" },
            spec: { consumerRef, resourceType: "x" },
            status,
          }),
        ),
      ),
    );
    expect(bucket.status).toMatchObject({
      limit: max,
      allocated: 7,
      reserved: 6,
      overage: 0,
      usedPercent: 0,
      claimCount: 1,
      grantCount: 1,
      contributingGrantRefs: [{ name: "g", namespace: "n", amount: max, lastObservedGeneration: 3 }],
    });
    const read = readBucket(bucket);
    expect(read).toMatchObject({ resourceType: "x", version: "5", writer: "w.1" });
    expect(read.content).toEqual(content);
    expect(isCurrent(read, content)).toBe(true);
  });

  it("reuses the JSON objects of unchanged reservations and shares", () => {
    const ledger = new ConsumerLedger();
    ledger.setCapacity("x", capacityOf([grant("g", [{ resourceType: "x", buckets: [{ amount: 9 }] }])], "x"));
    const changes = (uid: string) => ({
      decisions: settle(ledger, [openClaim(uid, ["x", 1])], () => `attempt of ${uid}`),
      dropped: new Set<string>(),
      expirationTime: "2026-01-01T00:00:40Z",
    });
    const stamp = { writer: "w.1", now: "2026-01-01T00:00:00Z", generation: 1 };
    const first = contentOf(ledger, unstoredBucket("x"), changes("a"));
    const second = contentOf(ledger, { ...unstoredBucket("x"), content: first }, changes("b"));
    const shown = (content: BucketContent): Shown => bucketStatus(content, stamp) as unknown as Shown;
    const [before, after] = [shown(first), shown(second)];
    expect(after.reservations.map(({ set }) => set)).toEqual(["attempt of a", "attempt of b"]);
    expect(after.reservations[0]).toBe(before.reservations[0]);
    expect(after.contributingGrantRefs[0]).toBe(before.contributingGrantRefs[0]);
  });

  it("of a bucket that was never written is an empty bucket", () => {
    const value = {
      apiVersion: "quota.miloapis.com/v1alpha1",
      kind: "AllowanceBucket",
      metadata: { name: "b", resourceVersion: "1" },
      spec: { consumerRef, resourceType: "x" },
    };
    expect(readBucket(parsed(parseAllowanceBucket(value)))).toEqual({ ...unstoredBucket("x"), version: "1" });
  });

  it("lists fifty grants and counts all of them", () => {
    const grants = Array.from({ length: 60 }, (_, at) =>
      grant(`g${String(at).padStart(2, "0")}`, [{ resourceType: "x", buckets: [{ amount: 1 }] }]),
    );
    const ledger = new ConsumerLedger();
    ledger.setCapacity("x", capacityOf(grants.reverse(), "x"));
    const content = contentOf(ledger, unstoredBucket("x"), noChanges);
    const status = bucketStatus(content, {
      writer: "w.1",
      now: "2026-01-01T00:00:00Z",
      generation: 1,
    });
    expect(status).toMatchObject({ grantCount: 60, contributingGrantRefs: { length: 50, 0: { name: "g00" } } });
  });

  it("stays below 64 KiB with the maximum number of reservations and grants", () => {
    const ledger = new ConsumerLedger();
    const grants = Array.from({ length: 60 }, (_, at) =>
      grant("g".repeat(250) + at, [{ resourceType: "x", buckets: [{ amount: 1000 }] }]),
    );
    ledger.setCapacity("x", capacityOf(grants, "x"));
    const identity = { uid: "u".repeat(36), namespace: "n".repeat(63), name: "m".repeat(253) };
    const tiny = Object.fromEntries([..."abcdefghij"].map((name) => [name, "1"]));
    const claims = Array.from({ length: 128 }, (_, at) => ({
      ...openClaim("", ["x", 1, at % 2 === 0 ? "" : dimensionKey(tiny)]),
      claim: { ...identity, uid: identity.uid + at },
    }));
    const decisions = settle(ledger, claims, () => "s".repeat(48));
    const content = contentOf(ledger, unstoredBucket("x"), {
      decisions,
      dropped: new Set(),
      expirationTime: "2026-01-01T00:00:40Z",
    });
    const status = bucketStatus(content, { writer: "w".repeat(128), now: "2026-01-01T00:00:00Z", generation: 1 });
    expect(content.reservations.length).toBeGreaterThan(40);
    expect(content.shares.length).toBeGreaterThan(20);
    expect(writeJson(status).length).toBeLessThan(64 * 1024);
  });

  it("shows the usage in percent", () => {
    expect(percentOf(amountOf(1), amountOf(3))).toBe(33);
    expect(percentOf(amountOf(9), amountOf(3))).toBe(300);
    expect(percentOf(amountOf(0), amountOf(0))).toBe(0);
    expect(percentOf(amountOf(1), amountOf(0))).toBe(100);
    expect(percentOf(amountOf(9223372036854775807n), amountOf(1))).toBe(1_000_000);
  });
});

describe("the figures of a bucket", () => {
  const ledger = new ConsumerLedger();
  const requirements = [{ key: "l", operator: "Exists", values: [] }] as const;
  ledger.setCapacity(
    "x",
    only([
      { requirements, amount: amountOf(100) },
      { requirements: [{ key: "l", operator: "In", values: ["a"] }], amount: amountOf(50) },
    ]),
  );
  ledger.learn("one", { state: "granted", parts: openClaim("one", ["x", 120, "l=a"]).parts });
  ledger.learn("two", { state: "granted", parts: openClaim("two", ["x", 10, "l=b"]).parts });

  it("are totals that add up, and what one request without dimensions could get", () => {
    const figures = { limit: 150n, allocated: 130n, reserved: 0n, available: 20n, overage: 0n, undimensioned: 0n };
    expect(ledger.ofType("x").figures()).toEqual(figures);
    const bucket = contentOf(ledger, unstoredBucket("x"), noChanges);
    const status = bucketStatus(bucket, { writer: "w", now: "2026-01-01T00:00:00Z", generation: 1 });
    expect(status).toMatchObject({ limit: 150, allocated: 130, available: 20, availableWithoutDimensions: 0 });
  });

  it("tell a request without dimensions that the grants are for others", () => {
    const [short] = shortParts(ledger, openClaim("three", ["x", 1, ""])) ?? [];
    expect(short).toMatchObject({ figures: { limit: 0n, available: 0n }, grantedElsewhere: 150n });
    const unit = { baseUnit: "core", displayUnit: "core", factor: 1n };
    expect(shortageText(short as ShortPart, unit)).toBe(
      "x: requested 1 core, limit 0, allocated 0, reserved 0, available 0 (150 cores granted, for other dimensions only)",
    );
  });

  it("overlap for dimensions: each shows what it may draw from", () => {
    expect(ledger.ofType("x").figuresFor("l=a")).toEqual({
      limit: 150n,
      allocated: 120n,
      reserved: 0n,
      available: 20n,
      overage: 0n,
      claimCount: 1,
    });
    expect(ledger.ofType("x").figuresFor("l=b")).toEqual({
      limit: 100n,
      allocated: 10n,
      reserved: 0n,
      available: 20n,
      overage: 0n,
      claimCount: 1,
    });
    expect(ledger.ofType("x").figuresFor("l=c")).toEqual({
      limit: 100n,
      allocated: 0n,
      reserved: 0n,
      available: 20n,
      overage: 0n,
      claimCount: 0,
    });
  });

  it("show overage, and no debt, after a limit was lowered", () => {
    const lowered = new ConsumerLedger();
    lowered.setCapacity("x", only([{ requirements: [], amount: amountOf(10) }]));
    lowered.learn("a", { state: "granted", parts: openClaim("a", ["x", 8]).parts });
    lowered.setCapacity("x", only([{ requirements: [], amount: amountOf(5) }]));
    expect(lowered.ofType("x").figures()).toEqual({
      limit: 5n,
      allocated: 8n,
      reserved: 0n,
      available: 0n,
      overage: 3n,
    });
    lowered.setCapacity("x", only([]));
    expect(lowered.ofType("x").figures()).toMatchObject({ limit: 0n, overage: 8n });
  });
});

describe("the status of a decision", () => {
  const units = {
    "x/projects": { baseUnit: "project", displayUnit: "project", factor: 1n },
    "x/storage": { baseUnit: "byte", displayUnit: "GiB", factor: 1073741824n },
  } as const;
  const context = {
    unitOf: (type: string) => units[type as keyof typeof units],
    bucketOf: (type: string) => `bucket-${type.slice(2)}`,
  };
  const requests: ClaimRequest[] = [
    { resourceType: "x/projects", amount: amountOf(1), dimensions: {}, dimensionKey: "" },
    { resourceType: "x/storage", amount: amountOf(8589934592), dimensions: { l: "a" }, dimensionKey: "l=a" },
  ];

  it("that grants names amounts and buckets", () => {
    expect(grantedStatus(requests, context)).toEqual({
      condition: {
        type: "Granted",
        status: "True",
        reason: "QuotaAvailable",
        message: "All 2 resource requests have been granted",
      },
      allocations: [
        {
          resourceType: "x/projects",
          status: "Granted",
          reason: "QuotaAvailable",
          allocatedAmount: 1,
          allocatingBucket: "bucket-projects",
          message: "Allocated 1 project from bucket bucket-projects",
        },
        {
          resourceType: "x/storage",
          dimensions: { l: "a" },
          status: "Granted",
          reason: "QuotaAvailable",
          allocatedAmount: 8589934592,
          allocatingBucket: "bucket-storage",
          message: "Allocated 8 GiB from bucket bucket-storage",
        },
      ],
    });
  });

  it("that denies shows all figures, and tells the requests that fit which did not", () => {
    const short = [
      {
        part: { resourceType: "x/projects", amount: amountOf(1), dimensionKey: "" },
        figures: {
          limit: amountOf(3),
          allocated: amountOf(3),
          reserved: amountOf(0),
          available: amountOf(0),
          overage: amountOf(0),
        },
      },
    ];
    const message = "x/projects: requested 1 project, limit 3, allocated 3, reserved 0, available 0";
    expect(deniedStatus(requests, short, context)).toEqual({
      condition: { type: "Granted", status: "False", reason: "QuotaExceeded", message },
      allocations: [
        {
          resourceType: "x/projects",
          status: "Denied",
          reason: "QuotaExceeded",
          allocatedAmount: 0,
          limit: 3,
          message,
        },
        {
          resourceType: "x/storage",
          dimensions: { l: "a" },
          status: "Denied",
          reason: "QuotaExceeded",
          allocatedAmount: 0,
          message: "Would fit; not granted because x/projects did not",
        },
      ],
    });
  });

  it("that denies caps the limit to int64", () => {
    const figures = {
      limit: (amountMax + 1n) as Amount,
      allocated: amountMax,
      reserved: amountOf(0),
      available: amountOf(1),
      overage: amountOf(0),
    };
    const part = { resourceType: "x/projects", amount: amountOf(2), dimensionKey: "" };
    expect(deniedStatus(requests, [{ part, figures }], context).allocations[0]).toMatchObject({ limit: amountMax });
  });

  it("names units that are symbols each time", () => {
    const figures = {
      limit: amountOf(4294967296),
      allocated: amountOf(4294967296),
      reserved: amountOf(0),
      available: amountOf(0),
      overage: amountOf(0),
    };
    const part = { resourceType: "x/storage", amount: amountOf(2147483648), dimensionKey: "" };
    expect(shortageText({ part, figures }, units["x/storage"])).toBe(
      "x/storage: requested 2 GiB, limit 4 GiB, allocated 4 GiB, reserved 0 GiB, available 0 GiB",
    );
  });

  it("says that other requests have taken the capacity, and never shows more than is available", () => {
    const figures = {
      limit: amountOf(4294967296),
      allocated: amountOf(1073741824),
      reserved: amountOf(0),
      available: amountOf(1073741823),
      overage: amountOf(0),
    };
    for (const [key, shown] of [
      ["l=a", "x/storage (l=a)"],
      ["", "x/storage"],
    ] as const) {
      const part = { resourceType: "x/storage", amount: amountOf(1073741824), dimensionKey: key };
      expect(shortageText({ part, figures }, units["x/storage"])).toBe(
        `${shown}: requested 1 GiB, limit 4 GiB, allocated 1 GiB, reserved 0 GiB, available 0.999 GiB (2 GiB taken by other dimensions or requests)`,
      );
    }
  });
});

describe("a parsed claim", () => {
  const head = { apiVersion: "quota.miloapis.com/v1alpha1", kind: "ResourceClaim" };
  const metadata = { name: "c", namespace: "n", uid: "u1" };
  const requests = [
    { resourceType: "x", amount: 5, dimensions: { b: "2", a: "1" } },
    { resourceType: "x", amount: 1, dimensions: { a: "9" }, dimensionKey: "a=9" },
  ];
  const read = (status: unknown, more: object = {}) =>
    parsed(
      parseResourceClaim({
        ...head,
        metadata: { ...metadata, ...more },
        spec: { consumerRef, requests },
        ...(status === undefined ? {} : { status }),
      }),
    );
  const condition = (status: string, reason: string) => ({
    type: "Granted",
    status,
    reason,
    message: "",
    lastTransitionTime: "2026-01-01T00:00:00Z",
  });

  it("has canonical dimension keys", () => {
    expect(openClaimOf(read(undefined), true)).toEqual({
      claim: { namespace: "n", name: "c", uid: "u1" },
      parts: [
        { resourceType: "x", dimensionKey: "a=1,b=2", amount: 5n },
        { resourceType: "x", dimensionKey: "a=9", amount: 1n },
      ],
      forced: true,
    });
  });

  it("holds its allocations, not its requests", () => {
    const allocation = (key: string, allocatedAmount: number) => ({
      resourceType: "x",
      dimensionKey: key,
      status: "Granted",
      allocatedAmount,
      lastTransitionTime: "2026-01-01T00:00:00Z",
    });
    const claim = read({
      conditions: [condition("True", "QuotaAvailable")],
      allocations: [allocation("", 3), allocation("a=9", 1)],
    });
    expect(knowledgeOf(claim)).toEqual({
      state: "granted",
      parts: [
        { resourceType: "x", dimensionKey: "a=1,b=2", amount: 3n },
        { resourceType: "x", dimensionKey: "a=9", amount: 1n },
      ],
    });
  });

  it("is pending, also while it is not valid, and knows when it is being deleted", () => {
    expect(knowledgeOf(read(undefined))).toEqual({ state: "pending", deleting: false });
    expect(
      knowledgeOf(
        read({ conditions: [condition("False", "ValidationFailed")] }, { deletionTimestamp: "2026-01-01T00:00:00Z" }),
      ),
    ).toEqual({ state: "pending", deleting: true });
    expect(knowledgeOf(read({ conditions: [condition("False", "QuotaExceeded")] }))).toEqual({ state: "denied" });
  });
});

describe("a bucket of an earlier version", () => {
  const figures = { limit: 10, allocated: 4, reserved: 0, available: 6, overage: 0, usedPercent: 40 };
  const stored = (status: object): unknown => ({
    apiVersion: "quota.miloapis.com/v1alpha1",
    kind: "AllowanceBucket",
    metadata: { name: "p", namespace: "n", resourceVersion: "7" },
    spec: { consumerRef, resourceType: "x" },
    status: { ...figures, claimCount: 1, grantCount: 1, writer: "one.1", ...status },
  });

  it("with reserved headroom has no writer, so that it is rewritten before any decision", () => {
    const outdated = parsed(parseAllowanceBucket(stored({ ahead: 3 })));
    expect([outdated.isOutdated, readBucket(outdated).writer]).toEqual([true, ""]);
    expect(readBucket(outdated).content.figures).toMatchObject({ limit: 10n, allocated: 4n });
  });

  it("without headroom keeps its writer", () => {
    const current = parsed(parseAllowanceBucket(stored({})));
    expect([current.isOutdated, readBucket(current).writer]).toEqual([false, "one.1"]);
  });
});
