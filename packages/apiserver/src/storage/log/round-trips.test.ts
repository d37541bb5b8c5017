import { FakeClock } from "@milo-quota/kubernetes/protocol/fake-clock.ts";
import { readJson } from "@milo-quota/kubernetes/protocol/json-reader.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openStore } from "../store.ts";
import { MemoryLog } from "./memory-log.ts";
import { roundTrips } from "./round-trips.ts";

const safest = BigInt(Number.MAX_SAFE_INTEGER);

/** Numbers of every kind, mostly at the boundaries between kinds. */
const number = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
  fc.constantFrom(-0, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 1e20, 1e21, 5e-324, safest, safest + 1n, 7n),
);

/** Any value that code may produce, JSON or not. */
const { value: anything, object: anyObject } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(null, true, false, undefined),
    fc.string({ unit: "binary" }),
    number,
    fc.array(tie("value"), { maxLength: 4 }),
    tie("object"),
  ),
  object: fc.dictionary(fc.oneof(fc.string(), fc.constantFrom("metadata", "7", "__proto__", "toJSON")), tie("value"), {
    maxKeys: 4,
  }),
}));

/** Compares bit by bit, including the order of members. */
function expectSame(left: unknown, right: unknown): void {
  expect(left).toStrictEqual(right);
  expect(writeJson(left)).toBe(writeJson(right));
}

describe("a value that round-trips", () => {
  it("equals its parsed text", () => {
    let count = 0;
    const check = fc.property(anything, (value) => {
      if (!roundTrips(value)) return;
      count += 1;
      expectSame(value, readJson(writeJson(value)));
    });
    fc.assert(check, { numRuns: 5_000 });
    expect(count).toBeGreaterThan(1_000);
  });

  it("includes every parsed value", () => {
    fc.assert(
      fc.property(anything, (value) => {
        expect(roundTrips(readJson(writeJson(value) ?? "null"))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each<[string, unknown]>([
    ["an undefined member", { a: { b: undefined } }],
    ["a hole in a list", { a: new Array(1) }],
    ["an inherited member", Object.create({ a: 1 })],
    ["a double beyond the safe integers", { a: 2 ** 60 }],
    ["a bigint within the safe integers", { a: 5n }],
    ["minus zero", [-0]],
    ["NaN", [Number.NaN]],
    ["a date", { at: new Date(0) }],
  ])("has not: %s", (_, value) => {
    expect(roundTrips(value)).toBe(false);
  });
});

describe("a stored object", () => {
  it("equals its parsed text, and is not parsed again when it is the written object", async () => {
    await fc.assert(
      fc.asyncProperty(anyObject as fc.Arbitrary<JsonObject>, async (object) => {
        const store = await openStore(new MemoryLog(), new FakeClock());
        const key = { plane: "root", resource: "configmaps", namespace: "", name: "a" };
        const put = await store.put(key, 0, object);
        if (!put.ok) throw new Error("conflict");
        expectSame(put.stored.object, readJson(put.stored.text));
        for (const [field, value] of Object.entries(object)) {
          if (field !== "metadata" && roundTrips(object)) expect(put.stored.object[field]).toBe(value);
        }
        const removed = await store.remove(key, put.stored.revision, put.stored.object);
        if (!removed.ok) throw new Error("conflict");
        expectSame(removed.stored.object, readJson(removed.stored.text));
        await store.close();
      }),
      { numRuns: 500 },
    );
  });
});
