import { beforeEach, describe, expect, it } from "vitest";
import { Ahead } from "../../../src/controllers/writer/ahead.ts";
import type { OpenClaim } from "../../../src/core/ledger/page.ts";
import { amountOf, noAmount } from "../../../src/core/resources/amount.ts";
import type { LogPlace } from "../../../src/protocol/log-place.ts";

const plenty = amountOf(1_000);
const key = { plane: "root", resource: "allowancebuckets.quota.miloapis.com", namespace: "n", name: "page" };
const at = (revision: number): LogPlace => ({ key, revision, takenBack: 0 });

function asks(...parts: readonly (readonly [amount: number, type?: string, dimensionKey?: string])[]): OpenClaim {
  return {
    claim: { uid: "u", namespace: "n", name: "c" },
    parts: parts.map(([amount, resourceType = "x", dimensionKey = ""]) => ({
      resourceType,
      dimensionKey,
      amount: amountOf(amount),
    })),
    standing: "coming",
  };
}

let ahead: Ahead;
beforeEach(() => {
  ahead = new Ahead();
});

/** Writes the page, and tells how much it keeps. */
function write(revision: number, nowMs: number, available = plenty): bigint {
  const kept = ahead.wanted("x", available, nowMs);
  ahead.ordered("x", kept, at(revision), nowMs);
  return kept;
}

/** Claims have come to a page already. */
function busy(): void {
  write(0, 0);
  ahead.comes(asks([1]));
  write(1, 0);
}

describe("what a page keeps for claims to come", () => {
  it("is nothing before any came, for the first that come, and when the last ones came long ago", () => {
    expect(write(1, 0)).toBe(0n);
    ahead.comes(asks([2]));
    expect(write(2, 100)).toBe(0n);
    ahead.comes(asks([2]));
    expect(write(3, 5_000)).toBe(0n);
  });

  it("is four times what came since the page was written, and at most a quarter of what is left", () => {
    busy();
    ahead.comes(asks([3]));
    expect(ahead.wanted("x", amountOf(20), 1_000)).toBe(5n);
    expect(write(2, 1_000)).toBe(12n);
    expect(write(3, 1_100)).toBe(0n);
  });

  it("is nothing for claims that cannot take of it: on several pages, or with dimensions", () => {
    busy();
    ahead.comes(asks([3, "x", "zone=a"]));
    ahead.comes(asks([3], [1, "y"]));
    expect(write(2, 100)).toBe(0n);
  });

  it("is taken as long as it lasts", () => {
    busy();
    ahead.comes(asks([1]));
    write(2, 200);
    expect([3, 2, 1, 1].map((amount) => ahead.take(asks([amount])))).toEqual([true, false, true, false]);
    expect(ahead.placesOf(asks([1]))).toEqual([at(2)]);
  });

  it("still holds the place of those that are under way, when the page is written again", () => {
    busy();
    ahead.comes(asks([1]));
    write(2, 200);
    expect([ahead.take(asks([1])), ahead.take(asks([2]))]).toEqual([true, true]);
    expect(ahead.wanted("x", noAmount, 300)).toBe(3n);
    ahead.settled(asks([2]));
    expect(write(3, 300, noAmount)).toBe(1n);
    expect(ahead.take(asks([1]))).toBe(false);
    expect(ahead.placesOf(asks([1]))).toEqual([at(3)]);
  });

  const others: Record<string, OpenClaim> = {
    "with dimensions": asks([1, "x", "place=here"]),
    "on several pages": asks([1, "x"], [1, "y"]),
    "on a page that we have not written": asks([1, "y"]),
    "that asks for nothing": asks(),
  };
  for (const [which, claim] of Object.entries(others)) {
    it(`is not for a claim ${which}`, () => {
      busy();
      ahead.comes(asks([1]));
      write(2, 200);
      expect(ahead.take(claim)).toBe(false);
    });
  }

  it("is nobody's when somebody else may have written the page", () => {
    busy();
    ahead.comes(asks([1]));
    write(2, 200);
    ahead.clear();
    expect([ahead.take(asks([1])), ahead.placesOf(asks([1]))]).toEqual([false, []]);
  });
});
