import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../protocol/json-value.ts";
import { schemaIssues } from "./check.ts";
import { compileSchema, defaultOf } from "./compiled-schema.ts";
import { fitsAsIs, objectFitsAsIs } from "./fits-as-is.ts";
import { duplicateItemIssues } from "./list-keys.ts";
import { pruneAndDefault } from "./prune-and-default.ts";
import type { Schema } from "./structural-schema.ts";

const schema: Schema = {
  type: "object",
  required: ["name"],
  properties: {
    name: { type: "string", minLength: 1, maxLength: 2, pattern: "^[a-z😀]*$" },
    count: { type: "integer", minimum: 1, maximum: 3 },
    mode: { type: "string", enum: ["x", "y"], default: "x" },
    since: { type: "string", format: "date-time", nullable: true },
    tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
    ports: {
      type: "array",
      maxItems: 3,
      items: { type: "object", required: ["port"], properties: { port: { type: "string" } } },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["port"],
    },
    data: { type: "object", maxProperties: 2, additionalProperties: { type: "integer" } },
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    either: { anyOf: [{ type: "integer" }, { type: "string" }], "x-kubernetes-int-or-string": true },
  },
};
const compiled = compileSchema(schema);

/** With declarations of the common fields: few, or more than the fast check supports. */
const named = [{ type: "object" }, { type: "object", properties: { name: { type: "string", maxLength: 1 } } }].map(
  (metadata) =>
    compileSchema({
      ...schema,
      properties: { ...schema.properties, apiVersion: { type: "string" }, kind: { type: "string" }, metadata } as const,
    } as Schema),
);

const word = fc.constantFrom("", "a", "b", "abc", "😀", "😀😀😀", "A");
const odd = fc.constantFrom<JsonValue>(null, 0, 2.5, "a", [], {}, true);
const or = (usual: fc.Arbitrary<unknown>) => fc.oneof({ weight: 6, arbitrary: usual }, odd);
const value = fc.record(
  {
    name: or(word),
    count: or(fc.integer({ min: 0, max: 4 })),
    mode: or(fc.constantFrom("x", "y", "z")),
    since: or(fc.constantFrom("2026-01-01T00:00:00Z", "yesterday")),
    tags: or(fc.array(word, { maxLength: 2 })),
    ports: or(fc.array(or(fc.record({ port: or(word) }, { requiredKeys: [] })), { maxLength: 4 })),
    data: or(fc.dictionary(word, or(fc.nat(2)), { maxKeys: 3 })),
    free: or(fc.dictionary(word, odd, { maxKeys: 2 })),
    either: odd,
    unknown: odd,
  },
  { requiredKeys: [] },
) as fc.Arbitrary<JsonObject>;

/** Valid, except for one or two fields with arbitrary values. */
const nearlyValid = value.map((object) => {
  const some = Object.fromEntries(Object.entries(object).slice(-2)) as JsonObject;
  return { name: "a", mode: "x", ...some } as JsonObject;
});

/** The full check: no issues, nothing to default or prune. */
function fits(of: JsonValue, isWholeObject: boolean, by = compiled): boolean {
  const { value: after, unknownFields } = pruneAndDefault(by, of, isWholeObject);
  const issues = [...schemaIssues(by, after), ...duplicateItemIssues(by, after)];
  return after === of && unknownFields.length === 0 && issues.length === 0;
}

describe("an object that passes the fast check", () => {
  it("passes the full check, too", () => {
    let seen = 0;
    fc.assert(
      fc.property(fc.oneof(nearlyValid, value), (object) => {
        if (fitsAsIs(compiled, object)) {
          seen += 1;
          expect(fits(object, false)).toBe(true);
        }
        const whole = { apiVersion: "v1", kind: "Thing", metadata: { name: "x" }, ...object };
        for (const by of [compiled, ...named]) {
          if (objectFitsAsIs(by, whole)) expect(fits(whole, true, by)).toBe(true);
        }
      }),
      { numRuns: 5_000 },
    );
    expect(seen).toBeGreaterThan(20);
  });

  const cases: Record<string, [value: JsonObject, passes: boolean]> = {
    "is valid": [{ name: "a", mode: "x", count: 2, ports: [{ port: "1" }, { port: "2" }] }, true],
    "counts code points, not UTF-16 code units": [{ name: "😀😀", mode: "x" }, true],
    "has no missing defaults": [{ name: "a" }, false],
    "has all required fields": [{ mode: "x" }, false],
    "has no unknown fields": [{ name: "a", mode: "x", unknown: 1 }, false],
    "may have preserved unknown fields": [{ name: "a", mode: "x", free: { anything: { at: "all" } } }, true],
    "has no duplicate items": [{ name: "a", mode: "x", ports: [{ port: "1" }, { port: "1" }] }, false],
    "has no nulls": [{ name: "a", mode: "x", since: null }, false],
    "is in bounds": [{ name: "a", mode: "x", count: 4 }, false],
  };
  for (const [title, [object, passes]] of Object.entries(cases)) {
    it(title, () => expect(fitsAsIs(compiled, object)).toBe(passes));
  }

  it("checks apiVersion and kind, and only the type of metadata", () => {
    const whole = { apiVersion: "v1", kind: "Thing", metadata: { name: "xyz" }, name: "a", mode: "x" };
    expect([compiled, ...named].map((by) => objectFitsAsIs(by, whole))).toEqual([true, true, false]);
    expect(objectFitsAsIs(named[0] as typeof compiled, { ...whole, metadata: "none" })).toBe(false);
    expect(objectFitsAsIs(named[0] as typeof compiled, { ...whole, kind: 7 })).toBe(false);
  });

  it("is unchanged by pruning with cached checks of its parts", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(nearlyValid, value), { maxLength: 3 }), ([first = {}, second = {}]) => {
        const holder = compileSchema({ type: "object", properties: { spec: schema, status: schema } });
        const whole = { apiVersion: "v1", kind: "Thing", metadata: {}, spec: first, status: second };
        expect(pruneAndDefault(holder, whole, true, { fits: fitsAsIs, defaultOf })).toEqual(
          pruneAndDefault(holder, whole, true),
        );
      }),
    );
  });
});
