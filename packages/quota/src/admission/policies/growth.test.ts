import { describe, expect, it } from "vitest";
import { renderedClaim, request } from "../../../test/claim-fixtures.ts";
import { growthOf } from "./growth.ts";

type Amounts = Readonly<Record<string, number>>;

const asking = (amounts: Amounts) =>
  renderedClaim({ requests: Object.entries(amounts).map(([type, amount]) => request(`x/${type}`, amount)) });

describe("the growth of an object's need", () => {
  const cases: Record<string, [before: Amounts | undefined, now: Amounts, more: Amounts | undefined]> = {
    "is nothing when nothing changes": [{ a: 1 }, { a: 1 }, undefined],
    "is nothing when it needs less": [{ a: 3, b: 1 }, { a: 1 }, undefined],
    "is the difference": [{ a: 1 }, { a: 4 }, { a: 3 }],
    "is a resource type that was not needed before": [{ a: 1 }, { a: 1, b: 2 }, { b: 2 }],
    "leaves out what shrinks": [{ a: 5, b: 1 }, { a: 1, b: 2 }, { b: 1 }],
    "is the whole need when nothing was needed before": [undefined, { a: 2, b: 1 }, { a: 2, b: 1 }],
  };
  for (const [name, [before, now, more]] of Object.entries(cases)) {
    it(name, () => {
      const growth = growthOf(before && asking(before), asking(now), "7");
      const found = growth?.requests.map(({ resourceType, amount }) => [resourceType.slice(2), Number(amount)]);
      expect(found && Object.fromEntries(found)).toEqual(more);
    });
  }

  it("is the whole need when the consumer changes", () => {
    const consumer = { apiGroup: "", kind: "Namespace", namespace: "", name: "other" };
    expect(growthOf(asking({ a: 2 }), { ...asking({ a: 3 }), consumer }, "7")?.requests).toMatchObject([
      { amount: 3n },
    ]);
  });

  it("is claimed under one name by every retry, and under another by the next change", () => {
    const name = (version: string) => growthOf(asking({ a: 1 }), asking({ a: 2 }), version)?.name;
    expect(name("7")).toBe(name("7"));
    expect(name("7")).not.toBe(name("8"));
    expect(name("7")).not.toBe(renderedClaim().name);
  });
});
