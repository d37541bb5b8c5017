import { isJsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quotaKinds } from "../../src/core/resources/kinds.ts";
import { acceptKind } from "../../src/core/resources/parsing/parse-kind.ts";
import { randomObject } from "./random-objects.ts";

function nested(depth: number, wrap: (inside: JsonValue) => JsonValue): JsonValue {
  let value: JsonValue = 1;
  for (let level = 0; level < depth; level += 1) value = wrap(value);
  return value;
}

/** Values that can occur in place of any field. */
const hostile: readonly JsonValue[] = [
  { toString: 1 },
  { toString: null, valueOf: null },
  JSON.parse('{"__proto__":{"x":1},"constructor":{"prototype":null}}') as JsonValue,
  nested(20_000, (inside) => [inside]),
  nested(20_000, (inside) => ({ a: inside })),
  "\ud800",
  "x".repeat(100_000),
  2n ** 200n,
  Number.MAX_VALUE,
  Number.POSITIVE_INFINITY,
  Array.from({ length: 20_000 }, (_, at) => ({ resourceType: `x${at}`, amount: 1 })),
];

/** Replaces one field, chosen by the numbers, with another value. */
function replaced(value: JsonValue, choices: readonly number[], by: JsonValue): JsonValue {
  const [choice, ...rest] = choices;
  if (choice === undefined) return by;
  if (Array.isArray(value) && value.length > 0) {
    const at = choice % value.length;
    return value.map((item: JsonValue, index) => (index === at ? replaced(item, rest, by) : item));
  }
  if (!isJsonObject(value) || Object.keys(value).length === 0) return by;
  const key = Object.keys(value)[choice % Object.keys(value).length] as string;
  return { ...value, [key]: replaced(value[key] as JsonValue, rest, by) };
}

describe.each(quotaKinds.map((kind) => [kind.kind, kind] as const))("%s", (_name, kind) => {
  const accept = acceptKind(kind);
  const place = fc.array(fc.nat({ max: 100 }), { minLength: 1, maxLength: 7 });

  it("accepts or rejects any input, also as an update, and never throws", () => {
    fc.assert(
      fc.property(randomObject(kind), place, fc.nat({ max: hostile.length - 1 }), (object, choices, at) => {
        const hostileObject = replaced(object, choices, hostile[at] as JsonValue);
        expect(typeof accept(hostileObject).ok).toBe("boolean");
        expect(typeof accept(hostileObject, hostileObject).ok).toBe("boolean");
      }),
      { numRuns: 300 },
    );
  });

  it.each(hostile.map((value, at) => [at, value]))("rejects hostile value %i in place of an object", (_at, value) => {
    expect(accept(value).ok).toBe(false);
  });
});
