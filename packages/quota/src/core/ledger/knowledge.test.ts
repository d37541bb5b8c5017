import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { amountOf } from "../resources/fields/amount.ts";
import { type ClaimKnowledge, type ClaimPart, mergeKnowledge } from "./claim-knowledge.ts";
import { ConsumerLedger } from "./consumer-ledger.ts";

const part = (amount: number, resourceType = "x", dimensionKey = ""): ClaimPart => ({
  resourceType,
  dimensionKey,
  amount: amountOf(amount),
});
const granted = (...parts: ClaimPart[]): ClaimKnowledge => ({ state: "granted", parts });
const pending: ClaimKnowledge = { state: "pending", deleting: false };
const deleting: ClaimKnowledge = { state: "pending", deleting: true };
const denied: ClaimKnowledge = { state: "denied" };
const gone: ClaimKnowledge = { state: "gone" };

describe("merging observations of a claim", () => {
  const cases: Record<string, [known: ClaimKnowledge, learned: ClaimKnowledge, result: ClaimKnowledge]> = {
    "a decision follows pending": [pending, granted(part(1)), granted(part(1))],
    "a late pending does not undo a decision": [granted(part(1)), pending, granted(part(1))],
    "a late decision does not resurrect a claim": [gone, granted(part(1)), gone],
    "gone is final": [granted(part(1)), gone, gone],
    "a claim that is being deleted stays so": [deleting, pending, deleting],
    "a claim that is being deleted may still be granted": [deleting, granted(part(1)), granted(part(1))],
    "a granted claim may shrink": [granted(part(5)), granted(part(3)), granted(part(3))],
    "a late event does not make it grow again": [granted(part(3)), granted(part(5)), granted(part(3))],
    "a part may be removed": [granted(part(5), part(2, "y")), granted(part(5)), granted(part(5))],
    "each part by itself: some less, none more": [
      granted(part(3), part(5, "y")),
      granted(part(9), part(4, "y")),
      granted(part(3), part(4, "y")),
    ],
    "denied stays denied": [denied, pending, denied],
    "if a status is edited by hand, granted outranks denied": [denied, granted(part(1)), granted(part(1))],
  };
  for (const [name, [known, learned, result]] of Object.entries(cases)) {
    it(name, () => expect(mergeKnowledge(known, learned)).toEqual(result));
  }
});

describe("a ledger", () => {
  it("shares one holding among claims that hold the same", () => {
    const ledger = new ConsumerLedger();
    const [one] = ledger.holdings([part(3)]);
    expect(ledger.holdings([part(3)])[0]).toBe(one);
    const [other] = ledger.holdings([part(3, "x", "l=a")]);
    expect(ledger.holdings([part(4)])[0]?.amount).toBe(4n);
    expect([one?.amount, one?.slot.dimensionKey, other?.slot.dimensionKey]).toEqual([3n, "", "l=a"]);
  });

  // The history of one claim in the store; a ledger may observe it in any order, and more than once.
  const history = fc
    .record({
      parts: fc.uniqueArray(
        fc.record({
          type: fc.constantFrom("x", "y"),
          key: fc.constantFrom("", "l=a"),
          amount: fc.integer({ min: 1, max: 9 }),
        }),
        {
          minLength: 1,
          maxLength: 3,
          selector: ({ type, key }) => `${type} ${key}`,
        },
      ),
      end: fc.constantFrom("pending", "deleting", "denied", "granted", "shrunk", "gone"),
    })
    .map(({ parts, end }) => {
      const full = parts.map(({ type, key, amount }) => part(amount, type, key));
      const less = full.map((each) => ({ ...each, amount: amountOf(each.amount / 2n) }));
      const steps: Record<string, ClaimKnowledge[]> = {
        pending: [pending],
        deleting: [pending, deleting],
        denied: [pending, denied],
        granted: [pending, granted(...full)],
        shrunk: [pending, granted(...full), granted(...less)],
        gone: [pending, granted(...full), gone],
      };
      const observations = steps[end] as ClaimKnowledge[];
      return { observations, last: observations.at(-1) as ClaimKnowledge };
    });
  const observed = fc.array(history, { maxLength: 8 }).chain((claims) => {
    const all = claims.flatMap(({ observations }, at) =>
      observations.map((knowledge) => ({ uid: `c${at}`, knowledge })),
    );
    return fc.tuple(fc.constant(claims), fc.shuffledSubarray([...all, ...all], { minLength: all.length * 2 }));
  });

  it("counts the holdings of claims, whatever the order and repetition of observations", () => {
    fc.assert(
      fc.property(observed, ([claims, order]) => {
        const ledger = new ConsumerLedger();
        for (const { uid, knowledge } of order) ledger.learn(uid, knowledge);
        for (const type of ["x", "y"]) {
          const parts = claims.flatMap(({ last }) =>
            last.state === "granted" ? last.parts.filter((each) => each.resourceType === type) : [],
          );
          const holders = claims.filter(
            ({ last }) => last.state === "granted" && last.parts.some((each) => each.resourceType === type),
          );
          const typeLedger = ledger.ofType(type);
          expect(typeLedger.figures().allocated).toBe(parts.reduce((sum, each) => sum + each.amount, 0n));
          expect(typeLedger.claimCount).toBe(holders.length);
          for (const key of ["", "l=a"]) {
            const own = parts.filter((each) => each.dimensionKey === key);
            expect(typeLedger.figuresFor(key)).toMatchObject({
              allocated: own.reduce((sum, each) => sum + each.amount, 0n),
              claimCount: own.length,
            });
          }
        }
      }),
      { numRuns: 5000 },
    );
  });

  it("forgets claims that ended, and only these", () => {
    const ledger = new ConsumerLedger();
    ledger.learn("a", gone);
    ledger.learn("b", denied);
    ledger.learn("c", granted(part(1)));
    ledger.learn("d", pending);
    ledger.forget(["a", "b", "c", "d", "e"]);
    expect([...ledger.claims]).toEqual(["c", "d"]);
    expect(ledger.claimCount).toBe(2);
  });

  it("drops dimensions that are no longer in use", () => {
    const ledger = new ConsumerLedger();
    for (let at = 0; at < 50; at += 1) ledger.learn(`c${at}`, granted(part(1, "x", `l=v${at}`)));
    expect(ledger.ofType("x").dimensionKeys).toHaveLength(50);
    for (let at = 0; at < 50; at += 1) ledger.learn(`c${at}`, gone);
    expect(ledger.ofType("x").dimensionKeys).toEqual([]);
  });

  it("returns the known state of a claim", () => {
    const ledger = new ConsumerLedger();
    const two = granted(part(1), part(2, "y", "l=a"));
    ledger.learn("two", two);
    ledger.learn("going", deleting);
    expect(ledger.knowledgeOf("two")).toEqual(two);
    expect(ledger.knowledgeOf("going")).toEqual(deleting);
    expect(ledger.knowledgeOf("unknown")).toBeUndefined();
    expect([...ledger.typeLedgers].map((typeLedger) => typeLedger.resourceType)).toEqual(["x", "y"]);
  });
});
