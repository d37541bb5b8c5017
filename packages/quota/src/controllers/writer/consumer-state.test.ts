import { beforeEach, describe, expect, it } from "vitest";
import type { ClaimPart } from "../../core/ledger/claim-knowledge.ts";
import { unstoredBucket } from "../../core/ledger/ledger-bucket.ts";
import { amountOf } from "../../core/resources/fields/amount.ts";
import { parseResourceClaim } from "../../core/resources/resource-claim.ts";
import { ClaimRecords } from "../../views/claim-record.ts";
import type { StoredBucket } from "./buckets/stored-bucket.ts";
import { ConsumerState } from "./consumer-state.ts";

const consumer = { apiGroup: "", kind: "Namespace", namespace: "", name: "web" };
const key = { plane: "root", namespace: "web", name: "c" };
const parts: readonly ClaimPart[] = [{ resourceType: "cpu", dimensionKey: "", amount: amountOf(2) }];

let state: ConsumerState;
beforeEach(() => {
  state = new ConsumerState({ plane: "root", consumer });
});

const held = (): bigint => state.ledger.ofType("cpu").figures().allocated;

/** A claim as the cache has it. */
function record(version: number, condition?: { readonly status: string; readonly reason: string }) {
  const lastTransitionTime = "2026-01-01T00:00:00Z";
  const granted = condition && { type: "Granted", message: "", lastTransitionTime, ...condition };
  const parsed = parseResourceClaim({
    apiVersion: "quota.miloapis.com/v1alpha1",
    kind: "ResourceClaim",
    metadata: { name: "c", namespace: "web", uid: "u", resourceVersion: `${version}`, generation: 1 },
    spec: { consumerRef: { kind: "Namespace", name: "web" }, requests: [{ resourceType: "cpu", amount: 2 }] },
    status: { conditions: granted === undefined ? [] : [granted] },
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return new ClaimRecords().of(parsed.value);
}

function bucket(version: string): StoredBucket {
  return {
    ...unstoredBucket("cpu"),
    version,
    uid: "p",
    namespace: "web",
    name: "cpu",
    generation: 1,
    conditions: [],
    finalizers: [],
    deleting: false,
  };
}

const counted = (): void => {
  state.beginCount();
  state.finishCount(0);
};

describe("whether a consumer is counted", () => {
  const cases: Readonly<Record<string, readonly [happens: () => void, isCounted: boolean]>> = {
    "before the first count": [() => undefined, false],
    "while it is being counted": [() => state.beginCount(), false],
    "when it was counted": [counted, true],
    "after another writer's bucket was observed": [
      () => {
        counted();
        state.observeBucket("cpu");
      },
      false,
    ],
    "when another writer's bucket was observed meanwhile": [
      () => {
        state.beginCount();
        state.observeBucket("cpu");
        state.finishCount(0);
      },
      false,
    ],
    "when it was invalidated meanwhile, and counted again": [
      () => {
        state.beginCount();
        state.invalidate();
        state.finishCount(0);
        counted();
      },
      true,
    ],
    "when claims come and go": [
      () => {
        counted();
        state.learn("u", { state: "granted", parts });
        state.markGone("u");
      },
      true,
    ],
  };
  for (const [when, [happens, isCounted]] of Object.entries(cases)) {
    it(`${isCounted ? "is so" : "is not so"} ${when}`, () => {
      happens();
      expect(state.isCounted).toBe(isCounted);
    });
  }

  it("determines how many reconciles in a row failed", () => {
    expect([state.endReconcile(), state.endReconcile()]).toEqual([1, 2]);
    counted();
    expect(state.endReconcile()).toBe(0);
    state.invalidate();
    expect(state.endReconcile()).toBe(1);
  });

  it("remembers when, and whether a claim has changed since", () => {
    state.learn("u", { state: "granted", parts });
    expect(state.isActive).toBe(true);
    state.beginCount();
    state.finishCount(70);
    expect([state.countedAtMs, state.isActive]).toEqual([70, false]);
    state.learn("u", { state: "granted", parts });
    expect(state.isActive).toBe(false);
    state.markGone("u");
    expect(state.isActive).toBe(true);
  });
});

describe("a claim of a consumer", () => {
  it("is pending until it is decided, and not again by an older version of it", () => {
    state.observe(key, record(7));
    expect([state.hasPending, state.openCount]).toEqual([true, 1]);
    state.learn("u", { state: "granted", parts });
    expect([state.hasPending, state.openCount, held()]).toEqual([false, 0, 2n]);
    expect(state.observe(key, record(7))).toBe(false);
    expect([state.hasPending, held()]).toEqual([false, 2n]);
  });

  it("keeps the latest version that was observed while it is open", () => {
    state.observe(key, record(9));
    state.observe(key, record(8));
    expect(state.entry("u")?.claim.metadata.resourceVersion).toBe("9");
  });

  it("is open but not pending once it was found invalid", () => {
    state.observe(key, record(8, { status: "False", reason: "ValidationFailed" }));
    expect([state.openCount, state.hasPending]).toEqual([1, false]);
  });

  it("that a transaction removed is not counted again when a late event shows it as granted", () => {
    state.learn("u", { state: "granted", parts });
    state.markRemoved("u");
    state.forgetGone();
    expect(state.observe(key, record(7, { status: "True", reason: "QuotaAvailable" }))).toBe(false);
    expect(held()).toBe(0n);
  });

  it("that a transaction removed is forgotten after the cache has shown its deletion", () => {
    state.learn("u", { state: "granted", parts });
    state.markRemoved("u");
    state.markGone("u");
    state.forgetGone();
    expect(state.ledger.knowledgeOf("u")).toBeUndefined();
  });

  it("that a transaction removed is forgotten after the next count, if the cache never showed it", () => {
    state.learn("u", { state: "granted", parts });
    state.markRemoved("u");
    counted();
    state.forgetGone();
    expect(state.ledger.knowledgeOf("u")).toBeUndefined();
  });

  it("that was never stored leaves nothing behind", () => {
    state.learn("u", { state: "granted", parts });
    state.markNeverStored("u");
    expect([held(), state.ledger.knowledgeOf("u"), state.isIdle]).toEqual([0n, undefined, true]);
  });
});

describe("the fences of a consumer", () => {
  beforeEach(() => {
    state.observe(key, record(7));
    state.putBucket("cpu", bucket("1"));
    state.fences.of("u");
  });

  const fenced = (): readonly string[] => [...state.fences.of("u")];

  it("are raised by our own writes, and lowered by reading what another writer wrote", () => {
    state.bucketWritten("cpu", bucket("2"));
    expect(fenced()).toEqual(["cpu"]);
    state.putBucket("cpu", bucket("2"));
    expect(fenced()).toEqual(["cpu"]);
    state.putBucket("cpu", bucket("3"));
    expect(fenced()).toEqual([]);
  });

  it("are dropped with the bucket, and when the claim is decided", () => {
    state.bucketWritten("cpu", bucket("2"));
    state.dropBucket("cpu");
    expect(fenced()).toEqual([]);
    state.bucketWritten("cpu", bucket("4"));
    state.learn("u", { state: "denied" });
    expect(fenced()).toEqual([]);
  });
});
