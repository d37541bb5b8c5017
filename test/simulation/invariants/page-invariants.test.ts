import { describe, expect, it } from "vitest";
import {
  claim,
  claims,
  type Given,
  grant,
  grants,
  Planted,
  type Promised,
  page,
  pages,
  type Shown,
} from "./checking.ts";
import { decisionsStand } from "./decisions-stand.ts";
import { pageBounds } from "./page-bounds.ts";
import { pagesCountEnough } from "./pages-count-enough.ts";
import { swapsFit } from "./swaps-fit.ts";

describe("pages count at least what granted claims hold", () => {
  const cases: Record<string, [shown: Shown, held: readonly number[], isFine: boolean]> = {
    "exactly what they hold": [{ limit: 5, allocated: 3 }, [1, 2], true],
    "more than they hold, for claims that are gone": [{ limit: 5, allocated: 4 }, [1, 2], true],
    "less than they hold": [{ limit: 5, allocated: 2 }, [1, 2], false],
    "promises in place of what is not counted yet": [
      { limit: 5, allocated: 1, promised: [{ by: "c1", amount: 2 }] },
      [1, 2],
      true,
    ],
    "a promise to somebody else": [{ limit: 5, allocated: 1, promised: [{ by: "c9", amount: 2 }] }, [1, 2], false],
  };
  for (const [name, [shown, held, isFine]] of Object.entries(cases)) {
    it(`${isFine ? "accepts" : "reports"} ${name}`, () => {
      const planted = new Planted([pagesCountEnough]);
      planted.put(pages, page({ limit: 99, allocated: 99 }));
      for (const [at, amount] of held.entries()) planted.put(claims, claim(`c${at}`, "granted", [{ amount }]));
      expect(planted.put(pages, page(shown)).length === 0).toBe(isFine);
    });
  }

  it("demands nothing of a page that is not there, or was never written", () => {
    const planted = new Planted([pagesCountEnough]);
    expect(planted.put(claims, claim("c", "granted", [{ amount: 1 }]))).toEqual([]);
    expect(planted.put(pages, page({ limit: 0, allocated: 0, writer: "" }))).toEqual([]);
    expect(planted.put(pages, page({ limit: 1, allocated: 0, writer: "w.1" }))).toHaveLength(1);
  });

  it("reports a page that goes while it promises something to a claim, and only then", () => {
    const planted = new Planted([pagesCountEnough]);
    planted.put(claims, claim("c", "pending", [{ amount: 1 }]));
    planted.put(pages, page({ limit: 1, allocated: 0, promised: [{ by: "c", amount: 1 }] }));
    expect(planted.remove(pages, "x-things")).toHaveLength(1);
    planted.put(pages, page({ limit: 1, allocated: 0, promised: [{ by: "gone", amount: 1 }] }));
    expect(planted.remove(pages, "x-things")).toEqual([]);
  });
});

describe("pages promise only what fits", () => {
  const here = { place: "here" };
  const there = { place: "there" };
  const cases: Record<
    string,
    [given: readonly Given[], allocated: number, promised: readonly Promised[], isFine: boolean]
  > = {
    "a promise that takes the last of it": [[{ amount: 3 }], 2, [{ by: "a", amount: 1 }], true],
    "one beyond the limit": [[{ amount: 3 }], 3, [{ by: "a", amount: 1 }], false],
    "a forced one beyond the limit": [[{ amount: 3 }], 3, [{ by: "a", amount: 1, forced: true }], true],
    "two that do not fit together": [
      [{ amount: 1 }],
      0,
      [
        { by: "a", amount: 1 },
        { by: "b", amount: 1 },
      ],
      false,
    ],
    "one that its place has capacity for": [
      [{ amount: 1, only: here }],
      0,
      [{ by: "a", amount: 1, dimensions: here }],
      true,
    ],
    "one that another place has capacity for": [
      [{ amount: 1, only: here }],
      0,
      [{ by: "a", amount: 1, dimensions: there }],
      false,
    ],
    "two that need another order": [
      [{ amount: 1, only: here }, { amount: 1 }],
      0,
      [
        { by: "a", amount: 1, dimensions: here },
        { by: "b", amount: 1, dimensions: there },
      ],
      true,
    ],
  };
  for (const [name, [given, allocated, promised, isFine]] of Object.entries(cases)) {
    it(`${isFine ? "accepts" : "reports"} ${name}`, () => {
      const planted = new Planted([swapsFit]);
      const limit = given.reduce((sum, { amount }) => sum + amount, 0);
      planted.put(grants, grant("g", given));
      planted.put(pages, page({ limit, allocated }));
      const faults = planted.put(pages, page({ limit, allocated, promised, shares: [["g", limit, 1]] }));
      expect(faults.length === 0).toBe(isFine);
    });
  }

  it("reports a limit that no grant ever gave, and takes one that a grant gave once", () => {
    const planted = new Planted([swapsFit]);
    planted.put(grants, grant("g", [{ amount: 2 }], 1));
    planted.put(grants, grant("g", [{ amount: 1 }], 2));
    const swap = (amount: number, generation: number): readonly string[] => {
      planted.put(pages, page({ limit: 0, allocated: 0 }));
      const promised = [{ by: "a", amount }];
      return planted.put(pages, page({ limit: amount, allocated: 0, promised, shares: [["g", amount, generation]] }));
    };
    expect(swap(2, 1)).toEqual([]);
    expect(swap(2, 2)).toHaveLength(1);
    expect(swap(9, 1)).toHaveLength(1);
  });
});

describe("decisions stand", () => {
  const both = [{ amount: 1 }, { type: "x/others", amount: 2 }];
  const promised = (set: string, amount: number): Promised => ({ by: "c", set, amount });
  const cases: Record<string, [things: readonly Promised[], others: readonly Promised[], isFine: boolean]> = {
    "all pages promise the same attempt": [[promised("s", 1)], [promised("s", 2)], true],
    "one page promises nothing": [[promised("s", 1)], [], false],
    "pages promise different attempts": [[promised("s", 1)], [promised("t", 2)], false],
    "a page promises less": [[promised("s", 1)], [promised("s", 1)], false],
    "a page promises it to another claim": [[promised("s", 1)], [{ ...promised("s", 2), by: "d" }], false],
  };
  for (const [name, [things, others, isFine]] of Object.entries(cases)) {
    it(`${isFine ? "accepts" : "reports"} a grant when ${name}`, () => {
      const planted = new Planted([decisionsStand]);
      planted.put(claims, claim("c", "pending", both));
      planted.put(pages, page({ limit: 9, allocated: 0, promised: things }));
      planted.put(pages, page({ type: "x/others", limit: 9, allocated: 0, promised: others }));
      expect(planted.put(claims, claim("c", "granted", both)).length === 0).toBe(isFine);
    });
  }

  it("reports decisions that change, and holdings that grow", () => {
    const planted = new Planted([decisionsStand]);
    planted.put(pages, page({ limit: 9, allocated: 0, promised: [promised("s", 2)] }));
    planted.put(claims, claim("c", "granted", [{ amount: 2 }]));
    expect(planted.put(claims, claim("c", "denied", [{ amount: 2 }]))).toHaveLength(1);
    expect(planted.put(claims, claim("c", "granted", [{ amount: 2 }]))).not.toHaveLength(0);
    expect(planted.put(claims, claim("c", "granted", [{ amount: 3 }]))).toHaveLength(1);
    expect(planted.put(claims, claim("c", "pending", [{ amount: 2 }]))).toHaveLength(1);
  });
});

describe("pages stay within bounds", () => {
  const many = (count: number): readonly Promised[] =>
    Array.from({ length: count }, (_, at) => ({ by: `c${at}`, amount: 1 }));
  const cases: Record<string, [shown: Shown, isFine: boolean]> = {
    "as many promises as may be": [{ limit: 0, allocated: 0, promised: many(128) }, true],
    "one promise more": [{ limit: 0, allocated: 0, promised: many(129) }, false],
    "a sum that is none": [{ limit: 0, allocated: 0, promised: many(2), more: { reserved: 1 } }, false],
    "a limit that its grants do not give": [{ limit: 3, allocated: 0, shares: [["g", 2, 1]] }, false],
    "two promises to one claim": [
      {
        limit: 0,
        allocated: 0,
        promised: [
          { by: "c", set: "s", amount: 1 },
          { by: "c", set: "t", amount: 1 },
        ],
      },
      false,
    ],
    "a stamp used before": [{ limit: 0, allocated: 1, writer: "w.1" }, false],
    "more bytes than may be": [{ limit: 0, allocated: 0, more: { padding: "x".repeat(64 * 1024) } }, false],
    "more grants than may be listed": [
      { limit: 0, allocated: 0, shares: Array.from({ length: 51 }, (_, at) => [`g${at}`, 0, 1] as const) },
      false,
    ],
  };
  for (const [name, [shown, isFine]] of Object.entries(cases)) {
    it(`${isFine ? "accepts" : "reports"} ${name}`, () => {
      const planted = new Planted([pageBounds]);
      planted.put(pages, page({ limit: 0, allocated: 0, writer: "w.1" }));
      expect(planted.put(pages, page(shown)).length === 0).toBe(isFine);
    });
  }
});
