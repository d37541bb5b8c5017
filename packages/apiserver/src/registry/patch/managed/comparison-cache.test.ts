import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Comparison, compareObjects } from "../fields/compare-objects.ts";
import { equalSets, noFields, pathString, pathsOf } from "../fields/field-set.ts";
import { mergeTypeOf } from "../fields/merge-type.ts";
import { cachedComparison, fieldsGained, fieldsKept, isRepeated } from "./comparison-cache.ts";
import { withoutIdentity } from "./field-scope.ts";

const text = { type: "string" } as const;
const schema: Schema = {
  type: "object",
  properties: { data: { type: "object", additionalProperties: text } },
};
const type = mergeTypeOf(schema);

const word = fc.constantFrom("a", "b");
const texts = fc.dictionary(word, word, { maxKeys: 2 });
const owner = fc.constantFrom("u1", "u2", '<"&é').map((uid) => ({ apiVersion: "v1", kind: "A", name: "a", uid }));
const metadata = fc.record(
  { name: fc.constant("x"), labels: texts, ownerReferences: fc.array(owner, { maxLength: 2 }) },
  { requiredKeys: [] },
);
const object = fc.record({ metadata, data: texts }, { requiredKeys: [] }) as unknown as fc.Arbitrary<JsonObject>;

const paths = ({ added, modified, removed }: Comparison) =>
  [added, modified, removed].map((set) => pathsOf(set).map(pathString).join(" "));

describe("a cached comparison", () => {
  it("is equal to a fresh comparison, for objects with other owners", () => {
    fc.assert(
      fc.property(object, object, (before, after) => {
        const plain = compareObjects(type, before, after);
        const known = cachedComparison(type, noFields, { before, after });
        expect(paths(known)).toEqual(paths(plain));
        const gained = withoutIdentity(compareObjects(type, {}, after).added);
        if (Object.keys(before).length === 0) expect(equalSets(fieldsGained(known), gained)).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });

  it("of objects that differ in the UID of their owner shares all other fields", () => {
    const made = (uid: string) => {
      const reference = { apiVersion: "v1", kind: "A", name: "a", uid };
      const after = { metadata: { name: "x", ownerReferences: [reference] }, data: { once: "1" } };
      return fieldsGained(cachedComparison(type, noFields, { before: {}, after }));
    };
    const [one, other] = [made("1"), made("2")];
    expect(other.get("f:data")).toBe(one.get("f:data"));
    expect(pathsOf(other).map(pathString)).toContain('.metadata.ownerReferences[uid="2"]');
  });

  it("does not change a field set of other parts of the object", () => {
    const fields = compareObjects(type, {}, { metadata: { labels: { a: "b" } } }).added;
    const change = { before: { data: { a: "1" } }, after: { data: { a: "2" } } };
    cachedComparison(type, noFields, change);
    const comparison = cachedComparison(type, noFields, change);
    expect(isRepeated(comparison)).toBe(true);
    expect(fieldsKept(fields, comparison)).toBe(fields);
  });
});
