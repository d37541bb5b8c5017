import { describe, expect, it } from "vitest";
import { request, wanted } from "../../../test/made-claims.ts";
import { growthOf } from "./growth.ts";

type Amounts = Readonly<Record<string, number>>;

const asking = (amounts: Amounts) =>
  wanted({ requests: Object.entries(amounts).map(([type, amount]) => request(`x/${type}`, amount)) });

describe("what an object needs more", () => {
  const cases: Record<string, [before: Amounts | undefined, now: Amounts, more: Amounts | undefined]> = {
    "is nothing when nothing changes": [{ a: 1 }, { a: 1 }, undefined],
    "is nothing when it needs less": [{ a: 3, b: 1 }, { a: 1 }, undefined],
    "is the difference": [{ a: 1 }, { a: 4 }, { a: 3 }],
    "is what is new": [{ a: 1 }, { a: 1, b: 2 }, { b: 2 }],
    "is only what grows where other things shrink": [{ a: 5, b: 1 }, { a: 1, b: 2 }, { b: 1 }],
    "is all of it when nothing was needed before": [undefined, { a: 2, b: 1 }, { a: 2, b: 1 }],
  };
  for (const [name, [before, now, more]] of Object.entries(cases)) {
    it(name, () => {
      const growth = growthOf(before && asking(before), asking(now), "7");
      const found = growth?.requests.map(({ resourceType, amount }) => [resourceType.slice(2), Number(amount)]);
      expect(found && Object.fromEntries(found)).toEqual(more);
    });
  }

  it("is all of it when somebody else pays for it from now on", () => {
    const consumer = { apiGroup: "", kind: "Namespace", namespace: "", name: "other" };
    expect(growthOf(asking({ a: 2 }), { ...asking({ a: 3 }), consumer }, "7")?.requests).toMatchObject([
      { amount: 3n },
    ]);
  });

  it("is claimed under one name by every retry, and under another by the next change", () => {
    const name = (version: string) => growthOf(asking({ a: 1 }), asking({ a: 2 }), version)?.name;
    expect(name("7")).toBe(name("7"));
    expect(name("7")).not.toBe(name("8"));
    expect(name("7")).not.toBe(wanted().name);
  });
});
