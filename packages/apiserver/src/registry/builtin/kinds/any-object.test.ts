import { isJsonObject, type JsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { parseApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import recorded from "../../../../test/recorded/kubernetes-answers.json" with { type: "json" };
import type { ApiObject } from "../../kinds/api-object.ts";
import type { ServedKind } from "../../kinds/served-kind.ts";
import { builtinKinds } from "../builtin-kinds.ts";

const samples = (recorded as unknown as readonly { readonly sent: JsonObject }[]).map(({ sent }) => sent);

function kindOf({ apiVersion, kind }: JsonObject): ServedKind {
  const { group } = parseApiVersion(String(apiVersion));
  return builtinKinds.find((each) => each.group === group && each.kind === kind) as ServedKind;
}

/** Unusual values of many types, to challenge the rules. */
const odd: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constantFrom<JsonValue>(
    null,
    {},
    [],
    [null],
    [{}],
    [[]],
    "",
    "0",
    "-1",
    "__proto__",
    -1,
    0,
    1.5,
    2 ** 31,
    true,
    false,
  ),
  fc.string({ maxLength: 8 }),
  fc.integer(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n }),
);

/** The same value with a part replaced or removed, selected by the numbers. */
function mutated(value: JsonValue, steps: readonly number[], replacement: JsonValue): JsonValue {
  const [step, ...rest] = steps;
  if (step === undefined) return replacement;
  if (Array.isArray(value) && value.length > 0) {
    const at = step % value.length;
    return value.map((item, index) => (index === at ? mutated(item, rest, replacement) : item));
  }
  if (!isJsonObject(value)) return replacement;
  const keys = Object.keys(value).filter((key) => key !== "apiVersion" && key !== "kind" && key !== "metadata");
  const key = keys[step % Math.max(1, keys.length)];
  if (key === undefined) return value;
  return { ...value, [key]: mutated(value[key] as JsonValue, rest, replacement) };
}

const objects = fc
  .tuple(
    fc.constantFrom(...samples),
    fc.array(fc.tuple(fc.array(fc.nat(20), { minLength: 1, maxLength: 6 }), odd), { maxLength: 3 }),
  )
  .map(([sample, changes]) =>
    changes.reduce<JsonValue>((object, [steps, replacement]) => mutated(object, steps, replacement), sample),
  )
  .filter(isJsonObject);

describe("an arbitrary object", () => {
  it("is rejected or stored, and never crashes validation", () => {
    let stored = 0;
    fc.assert(
      fc.property(objects, objects, (sent, other) => {
        const kind = kindOf(sent);
        if (kind.decodeIssue?.(sent) !== undefined) return;
        const { prepareCreate, prepareUpdate, validate, warnings, selectField } = kind.rules;
        const object = prepareCreate?.(sent as unknown as ApiObject) as ApiObject;
        validate?.(object, undefined);
        warnings?.(object, undefined);
        for (const column of kind.columns) expect(column.read?.(object, 0)).toBeDefined();
        for (const field of kind.selectableFields) selectField?.(object, field);
        expect(kind.decodeIssue?.(object as unknown as JsonObject)).toBeUndefined();
        stored += 1;
        if (kindOf(other) !== kind || kind.decodeIssue?.(other) !== undefined) return;
        for (const part of ["", "status", "finalize"] as const) {
          const next = prepareUpdate?.(other as unknown as ApiObject, object, part) as ApiObject;
          validate?.(next, object, part);
          warnings?.(next, object);
        }
      }),
      { numRuns: 4_000 },
    );
    expect(stored).toBeGreaterThan(500);
  });
});
