import { describe, expect, it } from "vitest";
import { amountOf } from "../../../core/resources/fields/amount.ts";
import { balance, type HeldClaim } from "./balance.ts";

const consumers = { acme: consumer("acme"), other: consumer("other") };

function consumer(name: string) {
  return { apiGroup: "", kind: "Organization", namespace: "", name };
}

/** `cpu=3 memory/zone=a=5`. */
function partsOf(text: string) {
  return text.split(" ").flatMap((part) => {
    const [, resourceType = "", dimensionKey = "", amount = ""] = /^([a-z]+)(?:\/(.+))?=(\d+)$/.exec(part) ?? [];
    return resourceType === "" ? [] : [{ resourceType, dimensionKey, amount: amountOf(Number(amount)) }];
  });
}

function textOf(parts: ReturnType<typeof partsOf>): string {
  return parts
    .map(({ resourceType, dimensionKey, amount }) => `${resourceType}${dimensionKey && `/${dimensionKey}`}=${amount}`)
    .join(" ");
}

type Held = readonly [name: string, parts: string, consumer?: keyof typeof consumers];

function claimOf([name, parts, whose = "acme"]: Held): HeldClaim {
  const key = { plane: "root", namespace: "default", name };
  return { key, uid: name, version: "1", consumer: consumers[whose], parts: partsOf(parts) };
}

type Outcome = { missing?: string; superfluous?: readonly string[]; oversized?: Readonly<Record<string, string>> };

const cases: Readonly<Record<string, readonly [needed: string | undefined, held: readonly Held[], Outcome]>> = {
  "what is held is what is needed": ["cpu=3", [["a", "cpu=3"]], {}],
  "no claim holds anything": ["cpu=3 memory=5", [], { missing: "cpu=3 memory=5" }],
  "a part is missing": ["cpu=3 memory=5", [["a", "cpu=3"]], { missing: "memory=5" }],
  "a difference is missing": ["cpu=5", [["a", "cpu=3"]], { missing: "cpu=2" }],
  "several claims hold it together": ["cpu=5", [["a", "cpu=3"], ["b", "cpu=2"]], {}], // biome-ignore format: a table
  "one claim holds too much": ["cpu=2", [["a", "cpu=3"]], { oversized: { a: "cpu=2" } }],
  "one of several is not needed": ["cpu=3", [["a", "cpu=3"], ["b", "cpu=2"]], { superfluous: ["b"] , oversized: {} }], // biome-ignore format: a table
  "nothing is needed any more": [undefined, [["a", "cpu=3"], ["b", "cpu=2"]], { superfluous: ["a", "b"] }], // biome-ignore format: a table
  "a claim that is needed in part is kept": [
    "cpu=1 memory=5",
    [["a", "cpu=3 memory=5"]],
    { oversized: { a: "cpu=1 memory=5" } },
  ],
  "other dimensions do not count": [
    "cpu/zone=a=3",
    [["a", "cpu/zone=b=3"]],
    { missing: "cpu/zone=a=3", superfluous: ["a"] },
  ],
  "a claim of another consumer does not count": [
    "cpu=3",
    [["a", "cpu=3", "other"]],
    { missing: "cpu=3", superfluous: ["a"] },
  ],
  "a claim that holds nothing is not needed": ["cpu=3", [["a", "cpu=3"], ["b", ""]], { superfluous: ["b"] }], // biome-ignore format: a table
  "of two equal claims only one is released": ["cpu=3", [["b", "cpu=3"], ["a", "cpu=3"]], { superfluous: ["a"] }], // biome-ignore format: a table
};

describe("what an object holds against what it needs", () => {
  it.each(Object.entries(cases))("%s", (_, [needed, held, { missing = "", superfluous = [], oversized = {} }]) => {
    const wanted = needed === undefined ? undefined : { consumer: consumers.acme, parts: partsOf(needed) };
    for (const given of [held, [...held].reverse()]) {
      const found = balance(wanted, given.map(claimOf));
      expect(textOf([...found.missing])).toBe(missing);
      expect(found.superfluous.map(({ uid }) => uid)).toEqual(superfluous);
      expect(Object.fromEntries(found.oversized.map(({ claim, parts }) => [claim.uid, textOf([...parts])]))).toEqual(
        oversized,
      );
    }
  });
});
