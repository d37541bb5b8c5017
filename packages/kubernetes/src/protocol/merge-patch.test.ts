import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject, type JsonValue, ownValue, setOwn } from "./json-value.ts";
import { mergePatch } from "./merge-patch.ts";

/** The algorithm of RFC 7396, word for word. */
function byTheBook(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isJsonObject(patch)) return patch;
  const result: Record<string, JsonValue> = isJsonObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else setOwn(result, name, byTheBook(ownValue(result, name), value));
  }
  return result;
}

const key = fc.constantFrom("a", "b", "c", "7", "__proto__");
const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<JsonValue>(null, true, 0, 1, "", "x", 2n ** 60n),
    fc.array(tie("value"), { maxLength: 2 }),
    fc.dictionary(key, tie("value"), { maxKeys: 3 }) as fc.Arbitrary<JsonObject>,
  ),
}));

const written = (of: JsonValue): string =>
  JSON.stringify(of, (_, member: unknown) => (typeof member === "bigint" ? `${member}n` : member));

describe("a merge patch", () => {
  it("follows RFC 7396, and keeps the order of keys", () => {
    fc.assert(
      fc.property(value, value, (target, patch) => {
        const before = written(target);
        expect(written(mergePatch(target, patch))).toBe(written(byTheBook(target, patch)));
        expect(written(target)).toBe(before);
      }),
      { numRuns: 2_000 },
    );
  });

  it("keeps unchanged values identical", () => {
    const target = { metadata: { uid: "1", labels: { a: "b" } }, spec: { list: [1] }, status: { phase: "old" } };
    const merged = mergePatch(target, {
      metadata: { uid: "1", absent: null },
      status: { phase: "new" },
    }) as typeof target;
    expect(merged.metadata).toBe(target.metadata);
    expect(merged.spec).toBe(target.spec);
    expect(merged.status).toEqual({ phase: "new" });
    expect(mergePatch(target, { metadata: { labels: { a: "b" } } })).toBe(target);
  });
});
