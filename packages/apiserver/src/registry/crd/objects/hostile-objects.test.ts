import type { JsonObject, JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { walkObject } from "@milo-quota/kubernetes/schema/walk.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { definition, established } from "../../../../test/definition-samples.ts";
import type { ApiObject } from "../../kinds/api-object.ts";
import { definitionIssues, definitionRules } from "../definitions/crd-rules.ts";
import { kindsOf } from "./custom-kind.ts";

/** A definition with every feature. */
const schema: JsonObject = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        text: { type: "string", pattern: "^(a+)+$", format: "date-time", enum: ["a"] },
        list: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["k"],
          items: {
            type: "object",
            required: ["k"],
            properties: { k: { type: "string" } },
            "x-kubernetes-validations": [{ rule: "self == oldSelf" }],
          },
        },
        set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "integer", default: 1 } },
        map: { type: "object", additionalProperties: { type: "number", multipleOf: 0.1 } },
        port: { "x-kubernetes-int-or-string": true, "x-kubernetes-validations": [{ rule: "self > 5" }] },
        any: { "x-kubernetes-preserve-unknown-fields": true },
        object: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          "x-kubernetes-preserve-unknown-fields": true,
        },
        one: { type: "integer", oneOf: [{ minimum: 2 }, { maximum: 2 }], not: { enum: [3] } },
      },
      "x-kubernetes-validations": [{ rule: "!has(self.text) || self.text != oldSelf.text" }],
    },
  },
};

const words = ["text", "list", "set", "map", "port", "any", "object", "one", "k", "metadata", "__proto__", "toString"];
const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthSize: "small" },
    fc.constantFrom<JsonValue[]>(null, true, 0, -1, 1.5, 2 ** 53, 9007199254740993n, "", "a", "2026-01-01T00:00:00Z"),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...words), tie("value"), { maxKeys: 4 }),
  ),
}));

describe("arbitrary input", () => {
  it("as a custom object is accepted or rejected without an exception", () => {
    const [kind] = kindsOf(established(definition({ schema })));
    const shaped = (spec: JsonValue): ApiObject => {
      const whole = { apiVersion: "example.com/v1", kind: "Foo", metadata: { name: "a" }, spec };
      return walkObject(kind?.schema as never, whole).value as ApiObject;
    };
    fc.assert(
      fc.property(value, value, fc.boolean(), (spec, old, isNew) => {
        const before = isNew ? undefined : shaped(old);
        const issues = kind?.rules.validate?.(shaped(spec), before);
        expect(issues?.every(({ field, message }) => field !== "" && message !== "")).toBe(true);
        kind?.decodeIssue?.({ spec });
      }),
      { numRuns: 3_000 },
    );
  });

  it("is unchanged by a second pass", () => {
    const [kind] = kindsOf(established(definition({ schema })));
    fc.assert(
      fc.property(value, (spec) => {
        const once = walkObject(kind?.schema as never, { spec });
        const twice = walkObject(kind?.schema as never, once.value);
        expect(twice.value).toEqual(once.value);
        expect(twice.unknownFields).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  const keywords = [
    ...["type", "properties", "items", "additionalProperties", "default", "enum", "required", "pattern", "not"],
    ...["allOf", "anyOf", "oneOf", "nullable", "x-kubernetes-validations", "x-kubernetes-list-map-keys"],
    ...["x-kubernetes-list-type", "x-kubernetes-embedded-resource", "rule", "message", "fieldPath", "a", "metadata"],
  ];
  const { part } = fc.letrec<{ part: JsonValue }>((tie) => ({
    part: fc.oneof(
      { maxDepth: 6, depthSize: "small" },
      fc.constantFrom<JsonValue[]>(null, true, 1, "object", "array", "string", "self == oldSelf", "(", ".a", "map"),
      fc.array(tie("part"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...keywords), tie("part"), { maxKeys: 5 }),
    ),
  }));

  const others = { version: null, names: {}, versions: [], whole: false };

  it("as a definition is accepted or rejected without an exception", () => {
    const spec = fc.record({ schema: part, version: part, names: part, versions: part, whole: fc.boolean() });
    fc.assert(
      fc.property(spec, ({ schema: odd, version, names, versions, whole }) => {
        const crd = definition({
          ...{ schema: odd as JsonObject, version: version as JsonObject, names: names as JsonObject },
          ...(whole ? { spec: { versions, conversion: odd, names } } : {}),
        });
        const prepared = definitionRules.prepareCreate?.(crd) as ApiObject;
        definitionIssues(prepared, undefined);
        definitionIssues(prepared, prepared);
        definitionRules.warnings?.(prepared, undefined);
      }),
      {
        numRuns: 2_000,
        examples: [
          [{ schema: { type: "object", oneOf: {}, default: {} }, ...others }],
          [{ schema: { type: "object", pattern: [], default: [] }, ...others }],
        ],
      },
    );
  });
});
