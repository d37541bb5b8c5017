import { type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { KindDefinition } from "@milo-quota/kubernetes/schema/kind-definition.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import fc from "fast-check";

type Value = fc.Arbitrary<JsonValue>;

/** Number of invalid values in a thousand. */
const faults = 4;

/** Objects of a kind that are mostly valid, and sometimes invalid in a field. */
export function randomObject(kind: KindDefinition): Value {
  return fc
    .record({
      apiVersion: fc.constant(`${kind.group}/${kind.version}`),
      kind: fc.constant(kind.kind),
      metadata: fc.constant({ name: "n" }),
      spec: likely(kind.schema.properties?.["spec"] ?? {}),
      status: fc.constant(undefined),
    })
    .chain(({ status: _, ...object }) =>
      fc
        .option(likely(kind.schema.properties?.["status"] ?? {}), { nil: undefined })
        .map((status): JsonValue => (status === undefined ? object : { ...object, status })),
    );
}

/** Updates of an object: unchanged, or different in a few fields. */
export function randomUpdate(kind: KindDefinition, old: JsonValue): Value {
  return fc.oneof(
    { weight: 1, arbitrary: fc.constant(old) },
    { weight: 3, arbitrary: randomObject(kind).chain((other) => mixed(old, other)) },
  );
}

/** Takes each field from one of the two objects. */
function mixed(old: JsonValue, other: JsonValue): Value {
  if (Array.isArray(old)) return fc.oneof(fc.constant(other), fc.shuffledSubarray([...old], { minLength: old.length }));
  if (!isObject(old) || !isObject(other)) return fc.boolean().map((keep) => (keep ? old : other));
  const fields = Object.fromEntries(
    [...new Set([...Object.keys(old), ...Object.keys(other)])].map(
      (key): [string, fc.Arbitrary<JsonValue | undefined>] => {
        const [before, after] = [ownValue(old, key), ownValue(other, key)];
        const deeper =
          before !== undefined && after !== undefined ? mixed(before, after) : fc.constantFrom(before, after);
        return [key, fc.oneof({ weight: 4, arbitrary: fc.constant(before) }, { weight: 1, arbitrary: deeper })];
      },
    ),
  );
  return fc.record(fields).map((object) => compact(object));
}

function compact(object: Record<string, JsonValue | undefined>): JsonValue {
  return Object.fromEntries(
    Object.entries(object).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
  );
}

function isObject(value: JsonValue): value is Readonly<Record<string, JsonValue>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const known = new Map<Schema, Value>();

/** Cached by schema, because creating an arbitrary takes longer than sampling it. */
function likely(schema: Schema): Value {
  const values = known.get(schema) ?? withFaults(goodValue(schema));
  known.set(schema, values);
  return values;
}

function withFaults(good: Value): Value {
  const odd = fc.constantFrom<JsonValue[]>(null, true, -1, 0, 1.5, "", "x y", "{{", [], {});
  return fc.oneof({ weight: 1000 - faults, arbitrary: good }, { weight: faults, arbitrary: odd });
}

function goodValue(schema: Schema): Value {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case "object":
      return schema.additionalProperties === undefined ? objectOf(schema) : mapOf(schema);
    case "array":
      return arrayOf(schema);
    case "string":
      return textOf(schema);
    case "integer":
      return fc.oneof(
        fc.integer({ min: (schema.minimum ?? 0) - 1, max: 3 }),
        fc.constantFrom<JsonValue[]>(1, 2n ** 63n - 1n),
      );
    default:
      return fc.boolean();
  }
}

/** Pairs of fields of which an object may have exactly one, or at most one. */
const pairs: readonly (readonly [string, string])[] = [
  ["amount", "amountExpression"],
  ["consumerType", "consumerTypeRef"],
  ["constraints", "conditions"],
  ["disabled", "enabled"],
];

function objectOf(schema: Schema): Value {
  const fields = Object.entries(schema.properties ?? {}).map(
    ([name, child]): [string, fc.Arbitrary<JsonValue | undefined>] => {
      const isPaired = pairs.some(
        (pair) => pair.includes(name) && pair.every((each) => each in (schema.properties ?? {})),
      );
      const weight = isPaired ? 1 : presence(schema, name);
      const absent = isPaired ? 0 : 30;
      return [
        name,
        fc.oneof({ weight, arbitrary: likely(child) }, { weight: absent, arbitrary: fc.constant(undefined) }),
      ];
    },
  );
  const unknown = fc.oneof(
    { weight: 30, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.constant({ nobodyKnows: 1 }) },
  );
  const kept = fc.tuple(
    ...pairs.map(() =>
      fc.oneof(
        { weight: 45, arbitrary: fc.constant(0) },
        { weight: 45, arbitrary: fc.constant(1) },
        { weight: 3, arbitrary: fc.constant(2) },
        { weight: 3, arbitrary: fc.constant(3) },
      ),
    ),
  );
  return fc.tuple(fc.record(Object.fromEntries(fields)), unknown, kept).map(([given, extra, choices]) => {
    const object: Record<string, JsonValue | undefined> = { ...given, ...extra };
    for (const [at, [first, second]] of pairs.entries()) {
      if (!(first in object) || !(second in object)) continue;
      if (choices[at] === 0 || choices[at] === 3) delete object[second];
      if (choices[at] === 1 || choices[at] === 3) delete object[first];
    }
    return compact(object);
  });
}

function presence(schema: Schema, name: string): number {
  return schema.required?.includes(name) === true ? 3000 : 30;
}

function mapOf(schema: Schema): Value {
  const values = typeof schema.additionalProperties === "object" ? likely(schema.additionalProperties) : fc.string();
  return fc.dictionary(fc.constantFrom("a", "b", "location", "toString"), values, {
    maxKeys: 3,
    noNullPrototype: true,
  });
}

function arrayOf(schema: Schema): Value {
  const items = likely(schema.items ?? {});
  const few = fc.array(items, { minLength: schema.minItems ?? 0, maxLength: 3 });
  const many = items.map((item): JsonValue[] => Array.from({ length: (schema.maxItems ?? 3) + 1 }, () => item));
  return fc.oneof(
    { weight: 40, arbitrary: few },
    { weight: 1, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: many },
  );
}

function textOf(schema: Schema): Value {
  if (schema.format === "date-time")
    return fc.constantFrom("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.5+02:00", "yesterday");
  const maxLength = schema.maxLength ?? 20;
  const usual = fc.constantFrom(
    "a",
    "b",
    "True",
    "Active",
    "Granted",
    "Ready",
    "RegistrationActive",
    "QuotaAvailable",
    "PolicyReady",
    "v1",
    "a.b/v1",
  );
  const matching =
    schema.pattern === undefined
      ? fc.string({ minLength: schema.minLength ?? 0, maxLength: Math.min(maxLength, 12) })
      : fc.stringMatching(new RegExp(schema.pattern), { maxLength: Math.min(maxLength, 12) });
  return fc.oneof(
    { weight: 20, arbitrary: usual },
    { weight: 20, arbitrary: matching },
    { weight: 1, arbitrary: fc.string({ unit: "grapheme" }) },
    { weight: 1, arbitrary: fc.constant("x".repeat(maxLength + 1)) },
  );
}
