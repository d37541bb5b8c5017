import type { JsonObject, JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { pruneAndDefault } from "@milo-quota/kubernetes/schema/prune-and-default.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeIssue } from "../builtin/typed/decode-issue.ts";
import { isCanonicalMetadata } from "./canonical-metadata.ts";
import { compiledMetadata } from "./compiled-metadata.ts";

const odd = fc.constantFrom<JsonValue>(
  null,
  "",
  0,
  -0,
  2.5,
  true,
  [],
  {},
  [null],
  { a: null },
  [[]],
  2n ** 60n,
  "2026-13-01",
);
const or = (usual: fc.Arbitrary<unknown>) => fc.oneof({ weight: 30, arbitrary: usual }, odd) as fc.Arbitrary<JsonValue>;
const word = fc.constantFrom("a", "b-c", "__proto__", "");
const text = fc.constantFrom("a", "example.com/b");
const time = fc.constantFrom("2026-01-31T00:00:00Z", "2024-02-29T23:59:59Z", "2026-01-01T00:00:00.5+01:00");
const some = <Fields extends Record<string, fc.Arbitrary<unknown>>>(fields: Fields) =>
  fc.record(fields, { requiredKeys: [] }) as unknown as fc.Arbitrary<JsonObject>;

const metadata = some({
  ...{ name: or(text), namespace: or(text), uid: or(text), resourceVersion: or(text) },
  ...{ generateName: or(text), selfLink: or(text), creationTimestamp: or(time), deletionTimestamp: or(time) },
  ...{ generation: or(fc.integer()), deletionGracePeriodSeconds: or(fc.integer()) },
  labels: or(fc.dictionary(word, or(word), { maxKeys: 2 })),
  annotations: or(fc.dictionary(word, or(word), { maxKeys: 2 })),
  finalizers: or(fc.array(or(word), { maxLength: 2 })),
  ownerReferences: or(
    fc.array(
      some({ apiVersion: or(word), kind: or(word), name: or(word), uid: or(word), controller: or(fc.boolean()) }),
    ),
  ),
  managedFields: or(
    fc.array(
      some({
        ...{ manager: or(word), operation: or(word), apiVersion: or(word), fieldsType: or(word), time: or(time) },
        ...{ subresource: or(word), fieldsV1: or(fc.constant({ "f:spec": { "f:a": {} } })) },
      }),
    ),
  ),
});

/** Sometimes with an unknown field. */
const anyMetadata = fc
  .tuple(metadata, fc.integer({ min: 0, max: 9 }))
  .map(([known, chance]) => (chance === 0 ? { ...known, unknown: "x" } : known));

function isEmpty(value: JsonValue): boolean {
  if (typeof value !== "object") return value === "" || value === 0;
  return value === null || Object.keys(value).length === 0;
}

describe("canonical metadata", () => {
  it("decodes and encodes as on the slow path", () => {
    let seen = 0;
    fc.assert(
      fc.property(anyMetadata, (object) => {
        if (!isCanonicalMetadata(object)) return;
        seen += 1;
        expect(decodeIssue("meta.v1.ObjectMeta", object)).toBeUndefined();
        const { value, unknownFields } = pruneAndDefault(compiledMetadata, object, false);
        expect(value).toBe(object);
        expect(unknownFields).toEqual([]);
        expect(Object.values(object).some(isEmpty)).toBe(false);
      }),
      { numRuns: 5_000 },
    );
    expect(seen).toBeGreaterThan(100);
  });

  it("covers all metadata that the server stores", () => {
    const stored = {
      name: "a",
      namespace: "b",
      uid: "c",
      resourceVersion: "7",
      generation: 1,
      creationTimestamp: "2026-01-01T00:00:00Z",
      labels: { "example.com/app": "" },
      ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "d", uid: "e", controller: true }],
      managedFields: [{ manager: "f", operation: "Update", time: "2026-01-01T00:00:00Z", fieldsV1: { "f:spec": {} } }],
    };
    expect(isCanonicalMetadata(stored)).toBe(true);
  });
});
