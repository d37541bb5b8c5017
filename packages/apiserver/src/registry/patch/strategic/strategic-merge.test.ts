import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { JsonObject, JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PatchRejected } from "../patch-errors.ts";
import { strategicMerge } from "./strategic-merge.ts";

const text = { type: "string" } as const;
const byName = { "x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "name" } as const;
const schema: Schema = {
  type: "object",
  properties: {
    containers: {
      type: "array",
      ...byName,
      items: {
        type: "object",
        properties: {
          name: text,
          image: text,
          args: { type: "array", items: text },
          env: { type: "array", ...byName, items: { type: "object", properties: { name: text, value: text } } },
        },
      },
    },
    tags: { type: "array", items: text, "x-kubernetes-patch-strategy": "merge" },
    args: { type: "array", items: text },
    keyless: { type: "array", items: { type: "object" }, "x-kubernetes-patch-strategy": "merge" },
    nested: { type: "array", items: text, "x-kubernetes-patch-strategy": "merge" },
    update: {
      type: "object",
      "x-kubernetes-patch-strategy": "retainKeys",
      properties: { type: text, rolling: { type: "object", properties: { max: text } } },
    },
    whole: { type: "object", "x-kubernetes-patch-strategy": "replace", properties: { a: text, b: text } },
    groups: { type: "object", additionalProperties: { type: "object", properties: { a: text } } },
  },
};
const names = (...all: string[]): JsonValue => all.map((name) => ({ name }));

describe("a strategic merge patch", () => {
  const cases: Record<string, [object: JsonObject, patch: JsonObject, result: JsonObject]> = {
    "merges maps and deletes with null": [
      { metadata: { labels: { a: "1", b: "2" } } },
      { metadata: { labels: { a: null, c: "3" } } },
      { metadata: { labels: { b: "2", c: "3" } } },
    ],
    "merges the items of a list by their key": [
      { containers: [{ name: "a", image: "1" }, { name: "b" }] },
      { containers: [{ name: "a", args: ["x"] }] },
      { containers: [{ name: "a", image: "1", args: ["x"] }, { name: "b" }] },
    ],
    "appends new items, and sorts patched items first without an order": [
      { containers: names("a", "b") },
      { containers: names("c") },
      { containers: names("c", "a", "b") },
    ],
    "merges lists in lists": [
      { containers: [{ name: "a", env: [{ name: "X", value: "1" }] }] },
      { containers: [{ name: "a", env: [{ name: "X", value: "2" }, { name: "Y" }] }] },
      { containers: [{ name: "a", env: [{ name: "X", value: "2" }, { name: "Y" }] }] },
    ],
    "deletes an item": [
      { containers: names("a", "b") },
      { containers: [{ name: "a", $patch: "delete" }] },
      { containers: names("b") },
    ],
    "replaces a list": [
      { containers: names("a", "b") },
      { containers: [{ $patch: "replace" }, { name: "c" }] },
      { containers: names("c") },
    ],
    "replaces a map": [
      { update: { type: "a" } },
      { update: { $patch: "replace", rolling: { max: "1" } } },
      { update: { rolling: { max: "1" } } },
    ],
    "empties a map": [{ update: { type: "a" } }, { update: { $patch: "delete" } }, { update: {} }],
    "replaces a map with patch strategy replace": [{ whole: { a: "1" } }, { whole: { b: "2" } }, { whole: { b: "2" } }],
    "replaces a list without a patch strategy": [{ args: ["a", "b"] }, { args: ["c"] }, { args: ["c"] }],
    "merges primitives without duplicates": [{ tags: ["a", "b"] }, { tags: ["b", "c"] }, { tags: ["a", "b", "c"] }],
    "deletes primitives": [{ tags: ["a", "b"] }, { "$deleteFromPrimitiveList/tags": ["a", "z"] }, { tags: ["b"] }],
    "deletes primitives from a missing list": [{}, { "$deleteFromPrimitiveList/tags": ["a"] }, {}],
    "sets the order of items, and keeps the positions of others": [
      { containers: names("a", "x", "b") },
      { "$setElementOrder/containers": names("b", "a"), containers: [{ name: "b", image: "2" }] },
      { containers: [{ name: "x" }, { name: "b", image: "2" }, { name: "a" }] },
    ],
    "sets the order of primitives": [
      { tags: ["a", "b", "c"] },
      { "$setElementOrder/tags": ["c", "b", "a"] },
      { tags: ["c", "b", "a"] },
    ],
    "sets the order of a new list": [
      {},
      { "$setElementOrder/tags": ["b", "a"], tags: ["b", "a"] },
      { tags: ["b", "a"] },
    ],
    "retains the keys it names": [
      { update: { type: "rolling", rolling: { max: "1" } } },
      { update: { $retainKeys: ["type"], type: "recreate" } },
      { update: { type: "recreate" } },
    ],
    "drops directives and nulls from new values": [
      {},
      { update: { type: null, rolling: { $patch: "delete" } }, containers: [{ name: "a", $patch: "delete" }] },
      { update: {}, containers: [] },
    ],
    "merges owners by uid, and finalizers without duplicates": [
      { metadata: { ownerReferences: [{ uid: "1", name: "a" }], finalizers: ["x"] } },
      { metadata: { ownerReferences: [{ uid: "1", name: "b" }], finalizers: ["y", "x"] } },
      { metadata: { ownerReferences: [{ uid: "1", name: "b" }], finalizers: ["y", "x"] } },
    ],
    "changes a type": [{ update: "text" }, { update: { type: "a" } }, { update: { type: "a" } }],
  };
  for (const [name, [object, patch, result]] of Object.entries(cases)) {
    it(name, () => expect(strategicMerge(object, patch, schema)).toEqual(result));
  }

  const generic = "the server rejected our request due to an error in our request";
  const rejected: Record<string, [object: JsonObject, patch: JsonValue, code: number, message: string]> = {
    "a list": [{}, [], 400, "expected object, got array"],
    "an unknown directive": [
      { update: {} },
      { update: { $patch: "x" } },
      500,
      "unknown patch type: x in map: map[$patch:x]",
    ],
    "an item without its key": [
      { containers: names("a") },
      { containers: [{ image: "1" }] },
      500,
      "map: map[image:1] does not contain declared merge key: name",
    ],
    "a list to merge without a key": [
      { keyless: [{ a: "1" }] },
      { keyless: [{ a: "2" }] },
      500,
      "cannot merge lists without merge key for struct",
    ],
    "lists of lists": [{ nested: [["a"]] }, { nested: [["b"]] }, 422, generic],
    "mixed types": [{ tags: ["a"] }, { tags: [1] }, 500, "list element types are not identical: [[a] [1]]"],
    "merge as a directive of a list": [
      { containers: names("a") },
      { containers: [{ $patch: "merge", name: "b" }] },
      500,
      "merging lists cannot yet be specified in the patch",
    ],
    "keys that retainKeys does not list": [
      { update: {} },
      { update: { $retainKeys: ["type"], rolling: {} } },
      400,
      "invalid patch format of retainKeys",
    ],
    "retainKeys that is not a list": [
      { update: {} },
      { update: { $retainKeys: 1 } },
      400,
      "invalid patch format of retainKeys",
    ],
    "a deletion without a name": [{}, { $deleteFromPrimitiveList: [] }, 400, "invalid patch format of primitive list"],
    "an order without a name": [{}, { $setElementOrder: [] }, 400, "invalid patch format of setElementOrder list"],
    "an order that is not a list": [
      {},
      { "$setElementOrder/tags": "a" },
      500,
      "expected a []interface {}, but received a string",
    ],
    "items in another order than $setElementOrder": [
      { tags: ["a"] },
      { tags: ["a", "b"], "$setElementOrder/tags": ["b", "a"] },
      500,
      "The order in patch list:\n[a b]\n doesn't match $setElementOrder list:\n[b a]\n",
    ],
    "merging objects of a map": [
      { groups: { x: { a: "1" } } },
      { groups: { x: { a: "2" } } },
      500,
      "merging an object in json but data type is not struct, instead is: map",
    ],
  };
  for (const [name, [object, patch, code, message]] of Object.entries(rejected)) {
    it(`rejects ${name}`, () => {
      expect(() => strategicMerge(object, patch, schema)).toThrow(StatusError);
      try {
        strategicMerge(object, patch, schema);
      } catch (error) {
        expect((error as StatusError).status).toMatchObject({ code, message });
        expect((error as StatusError).status.reason).toBe({ 400: "BadRequest", 422: "Invalid" }[code]);
        if (code === 422) expect((error as PatchRejected).detail).toBe("lists of lists are not supported");
      }
    });
  }

  it("changes neither the object nor the patch, for any input", () => {
    const name = fc.constantFrom("a", "b", "c");
    const item = fc.record({ name, image: fc.option(name), $patch: name }, { requiredKeys: ["name"] });
    const side = fc.record(
      {
        containers: fc.array(item, { maxLength: 3 }),
        tags: fc.array(name),
        "$setElementOrder/containers": fc.array(fc.record({ name })),
        "$deleteFromPrimitiveList/tags": fc.array(name),
        update: fc.option(fc.record({ type: name })),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(side, side, (object, patch) => {
        const before = JSON.stringify([object, patch]);
        try {
          strategicMerge(object, patch, schema);
        } catch (error) {
          expect(error).toBeInstanceOf(StatusError);
        }
        expect(JSON.stringify([object, patch])).toBe(before);
      }),
    );
  });
});
