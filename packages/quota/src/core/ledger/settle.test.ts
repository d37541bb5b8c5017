import { describe, expect, it } from "vitest";
import { amountOf } from "../resources/fields/amount.ts";
import { dimensionKey } from "../resources/fields/dimensions.ts";
import type { ClaimPart } from "./claim-knowledge.ts";
import { ConsumerLedger } from "./consumer-ledger.ts";
import { type OpenClaim, unstoredBucket } from "./ledger-bucket.ts";
import { type Capacity, noCapacity, type Pool } from "./pools.ts";
import { adoptBucket, contentOf, noChanges } from "./rewrite.ts";
import { fits, grantAtOnce, isSettleable, settle } from "./settle.ts";

const pool = (amount: number | bigint, ...places: string[]): Pool => ({
  amount: amountOf(amount),
  requirements: places.length === 0 ? [] : [{ key: "l", operator: "In", values: places }],
});
const only = (pools: readonly Pool[]): Capacity => ({ ...noCapacity, pools });
const part = (amount: number | bigint, resourceType = "x", place = ""): ClaimPart => ({
  resourceType,
  amount: amountOf(amount),
  dimensionKey: place === "" ? "" : dimensionKey({ l: place }),
});
const claim = (uid: string, parts: readonly ClaimPart[], forced = false): OpenClaim => ({
  claim: { uid, namespace: "n", name: uid },
  parts,
  forced,
});

function attempts(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `s${count}`;
  };
}

describe("claims on one bucket", () => {
  const max = 2n ** 63n - 1n;
  // limit, allocated, requested amounts, outcomes, allocated and reserved afterwards
  const cases: Record<
    string,
    [limit: number | bigint, allocated: number | bigint, asked: (number | bigint)[], outcomes: string[], used: bigint]
  > = {
    "grants a claim that exactly fits": [10, 9, [1], ["reserve"], 10n],
    "denies a claim that is one too many": [10, 10, [1], ["deny"], 10n],
    "never grants the same capacity twice": [1, 0, [1, 1], ["reserve", "deny"], 1n],
    "grants a small claim after one that is too large": [10, 5, [6, 5, 1], ["deny", "reserve", "deny"], 10n],
    "takes claims in their order": [10, 0, [4, 4, 4, 2], ["reserve", "reserve", "deny", "reserve"], 10n],
    "grants nothing without a grant": [0, 0, [1], ["deny"], 0n],
    "grants nothing while over a lowered limit": [5, 8, [1], ["deny"], 8n],
    "reaches the largest limit there is": [max, max - 1n, [1, 1], ["reserve", "deny"], max],
    "denies the largest claim beside any other": [max, 1, [max], ["deny"], 1n],
  };
  for (const [name, [limit, allocated, asked, outcomes, used]] of Object.entries(cases)) {
    it(name, () => {
      const ledger = new ConsumerLedger();
      ledger.setCapacity("x", only([pool(limit)]));
      if (allocated > 0) ledger.learn("before", { state: "granted", parts: [part(allocated)] });
      const decisions = settle(
        ledger,
        asked.map((amount, at) => claim(`c${at}`, [part(amount)])),
        attempts(),
      );
      const { allocated: held, reserved } = ledger.ofType("x").figures();
      expect(decisions.map((decision) => decision.outcome)).toEqual(outcomes);
      expect(held + reserved).toBe(used);
    });
  }

  it("says how much was missing", () => {
    const ledger = new ConsumerLedger();
    ledger.setCapacity("x", only([pool(10)]));
    ledger.learn("a", { state: "granted", parts: [part(6)] });
    const decisions = settle(ledger, [claim("b", [part(1)]), claim("c", [part(4)])], attempts());
    expect(decisions[1]).toMatchObject({
      outcome: "deny",
      short: [{ part: part(4), figures: { limit: 10n, allocated: 6n, reserved: 1n, available: 3n } }],
    });
  });
});

describe("claims on several buckets", () => {
  const ledger = (): ConsumerLedger => {
    const made = new ConsumerLedger();
    made.setCapacity("x", only([pool(10)]));
    made.setCapacity("y", only([pool(5)]));
    return made;
  };

  it("are granted as a whole, under one attempt", () => {
    const made = ledger();
    const decisions = settle(made, [claim("a", [part(10), part(5, "y")])], attempts());
    expect(decisions).toMatchObject([{ outcome: "reserve", attempt: "s1" }]);
    expect([made.ofType("x").figures().reserved, made.ofType("y").figures().reserved]).toEqual([10n, 5n]);
  });

  it("reserve nothing when one bucket is short, and return every short part", () => {
    const made = ledger();
    const decisions = settle(
      made,
      [claim("a", [part(11), part(6, "y")]), claim("b", [part(10), part(6, "y")])],
      attempts(),
    );
    expect(
      decisions.map((each) => (each.outcome === "deny" ? each.short.map(({ part }) => part.resourceType) : [])),
    ).toEqual([["x", "y"], ["y"]]);
    expect([made.ofType("x").figures().reserved, made.ofType("y").figures().reserved]).toEqual([0n, 0n]);
    expect(made.ofType("x").dimensionKeys).toEqual([]);
  });

  it("may ask one type twice, with different dimensions", () => {
    const made = new ConsumerLedger();
    made.setCapacity("x", only([pool(5), pool(3, "a")]));
    const twice = claim("a", [part(5, "x"), part(3, "x", "a")]);
    expect(settle(made, [twice], attempts())).toMatchObject([{ outcome: "reserve" }]);
    expect(settle(made, [claim("b", [part(1, "x", "a")])], attempts())).toMatchObject([
      { outcome: "deny", short: [{ figures: { limit: 8n, allocated: 0n, reserved: 3n, available: 0n } }] },
    ]);
  });
});

describe("what is not settled", () => {
  const ledger = new ConsumerLedger();
  ledger.setCapacity("x", only([pool(100)]));
  const states: Record<string, Parameters<ConsumerLedger["learn"]>[1]> = {
    denied: { state: "denied" },
    granted: { state: "granted", parts: [part(1)] },
    gone: { state: "gone" },
    deleting: { state: "pending", deleting: true },
  };
  for (const [name, state] of Object.entries(states)) {
    it(`a claim that is ${name}`, () => {
      ledger.learn(name, state);
      expect(isSettleable(ledger, claim(name, [part(1)]))).toBe(false);
      expect(settle(ledger, [claim(name, [part(1)])], attempts())).toEqual([]);
    });
  }

  it("a claim that a bucket has reserved something", () => {
    const held = {
      claim: claim("held", []).claim,
      amount: amountOf(1),
      dimensionKey: "",
      attempt: "s",
      forced: false,
      expirationTime: "",
    };
    const empty = unstoredBucket("x");
    const bucket = { ...empty, content: { ...empty.content, reservations: [held] } };
    adoptBucket(ledger, bucket, "partial");
    expect(settle(ledger, [claim("held", [part(1)])], attempts())).toEqual([]);
    expect(settle(ledger, [claim("new", [part(1)])], attempts())).toHaveLength(1);
  });
});

describe("forced claims", () => {
  it("are never denied, are decided first, and show as overage", () => {
    const ledger = new ConsumerLedger();
    ledger.setCapacity("x", only([pool(3)]));
    const decisions = settle(ledger, [claim("a", [part(1)]), claim("b", [part(5)], true)], attempts());
    expect(decisions.map((decision) => [decision.claim.claim.uid, decision.outcome])).toEqual([
      ["b", "reserve"],
      ["a", "deny"],
    ]);
    expect(ledger.ofType("x").figures()).toMatchObject({ limit: 3n, reserved: 5n, available: 0n, overage: 2n });
  });
});

describe("claims that are granted at once", () => {
  const small = (): ConsumerLedger => {
    const ledger = new ConsumerLedger();
    ledger.setCapacity("x", only([pool(3)]));
    ledger.setCapacity("y", only([pool(1)]));
    return ledger;
  };
  const two = claim("a", [part(2)]);

  it("hold their requests without a reservation if everything fits, and leave the rest to others", () => {
    const ledger = small();
    expect(grantAtOnce(ledger, two)).toBe(true);
    expect(grantAtOnce(ledger, claim("b", [part(2)]))).toBe(false);
    expect(settle(ledger, [claim("c", [part(1)])], attempts())).toMatchObject([{ outcome: "reserve" }]);
    const { figures, claimCount, reservations } = contentOf(ledger, unstoredBucket("x"), noChanges);
    expect(figures).toMatchObject({ limit: 3n, allocated: 2n, reserved: 1n, available: 0n });
    expect([claimCount, reservations]).toEqual([1, []]);
  });

  it("hold nothing when one of their parts does not fit", () => {
    const ledger = small();
    const before = ["x", "y"].map((type) => contentOf(ledger, unstoredBucket(type), noChanges));
    expect(grantAtOnce(ledger, claim("a", [part(2), part(2, "y")]))).toBe(false);
    expect(["x", "y"].map((type) => contentOf(ledger, unstoredBucket(type), noChanges))).toEqual(before);
    expect(grantAtOnce(ledger, claim("b", [part(3)]))).toBe(true);
  });

  it("change nothing when they are observed afterwards", () => {
    const ledger = small();
    grantAtOnce(ledger, two);
    expect(ledger.ofType("x").granted).toBe(2n);
    expect(ledger.learn("a", { state: "granted", parts: two.parts })).toBe(false);
    expect(ledger.learn("a", { state: "pending", deleting: false })).toBe(false);
    expect(ledger.ofType("x").granted).toBe(2n);
  });

  it("leave nothing behind when they were never stored", () => {
    const ledger = small();
    const before = contentOf(ledger, unstoredBucket("x"), noChanges);
    grantAtOnce(ledger, two);
    ledger.learn("a", { state: "gone" });
    ledger.forget(["a"]);
    expect(contentOf(ledger, unstoredBucket("x"), noChanges)).toEqual(before);
    expect(grantAtOnce(ledger, claim("a", [part(3)]))).toBe(true);
  });

  it("are granted once, and never when they are gone", () => {
    const ledger = small();
    expect([grantAtOnce(ledger, two), grantAtOnce(ledger, two)]).toEqual([true, false]);
    ledger.learn("a", { state: "gone" });
    expect(grantAtOnce(ledger, two)).toBe(false);
  });

  it("do not take capacity that is reserved for others", () => {
    const ledger = small();
    settle(ledger, [claim("waits", [part(2)])], attempts());
    expect(grantAtOnce(ledger, two)).toBe(false);
    expect(grantAtOnce(ledger, claim("b", [part(1)]))).toBe(true);
  });
});

describe("space in a bucket", () => {
  it("is limited to 128 reservations; further claims wait in order", () => {
    const ledger = new ConsumerLedger();
    ledger.setCapacity("x", only([pool(1000)]));
    ledger.setCapacity("y", only([pool(1000)]));
    const many = Array.from({ length: 130 }, (_, at) => claim(`c${at}`, [part(1)]));
    const decisions = settle(
      ledger,
      [...many, claim("other", [part(1, "y")]), claim("both", [part(1), part(1, "y")])],
      attempts(),
    );
    const outcomes = decisions.map((decision) => decision.outcome);
    expect(outcomes.slice(126, 130)).toEqual(["reserve", "reserve", "wait", "wait"]);
    expect(outcomes.slice(130)).toEqual(["reserve", "wait"]);
  });

  it("is bounded in bytes, and a claim that does not wait behind a larger one would starve it", () => {
    const ledger = new ConsumerLedger();
    ledger.setCapacity("x", only([pool(1000)]));
    const place = (at: number): ClaimPart => ({
      ...part(1),
      dimensionKey: dimensionKey(
        Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`${"d".repeat(80)}${i}`, `v${at}`])),
      ),
    });
    const large = (uid: string): OpenClaim =>
      claim(
        uid,
        Array.from({ length: 8 }, (_, at) => place(at)),
      );
    const outcomes = settle(
      ledger,
      [large("a"), large("b"), large("c"), large("d"), claim("small", [part(1)])],
      attempts(),
    ).map((decision) => decision.outcome);
    expect(outcomes).toEqual(["reserve", "reserve", "wait", "wait", "wait"]);
    const written = contentOf(ledger, unstoredBucket("x"), noChanges);
    expect(written.figures.reserved).toBe(16n);
  });
});

describe("a claim too large for any bucket", () => {
  it("has its own outcome, and does not delay other claims", () => {
    const ledger = new ConsumerLedger();
    ledger.setCapacity("x", only([pool(1000)]));
    const parts = Array.from({ length: 129 }, (_, at) => part(1, "x", `p${at}`));
    const outcomes = settle(ledger, [claim("huge", parts), claim("small", [part(1)])], attempts()).map(
      ({ outcome }) => outcome,
    );
    expect(outcomes).toEqual(["oversized", "reserve"]);
  });
});

describe("whether a claim would fit", () => {
  it("is found out without leaving a trace", () => {
    const ledger = new ConsumerLedger();
    ledger.setCapacity("x", only([pool(5)]));
    expect(fits(ledger, claim("a", [part(5)]))).toBe(true);
    expect(fits(ledger, claim("a", [part(6)]))).toBe(false);
    settle(ledger, [claim("b", [part(1)])], attempts());
    expect(fits(ledger, claim("b", [part(1)]))).toBe(false);
    ledger.learn("b", { state: "gone" });
    expect(ledger.ofType("x").figures()).toMatchObject({ reserved: 0n, available: 5n });
    expect(ledger.ofType("x").dimensionKeys).toEqual([]);
  });
});

describe("a denial", () => {
  it("is dropped when the claim fits by the time the buckets are written", () => {
    const ledger = new ConsumerLedger();
    ledger.setCapacity("x", only([pool(5)]));
    const late = claim("b", [part(5)]);
    const decisions = settle(ledger, [claim("a", [part(1)]), late], attempts());
    expect(decisions.map((decision) => decision.outcome)).toEqual(["reserve", "deny"]);
    expect(fits(ledger, late)).toBe(false);
    ledger.learn("a", { state: "gone" });
    expect(fits(ledger, late)).toBe(true);
  });
});
