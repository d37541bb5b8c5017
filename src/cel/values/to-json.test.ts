import { describe, expect, it } from "vitest";
import { displayValue } from "./display.ts";
import { MapBuilder } from "./maps.ts";
import { parseQuantity, type Quantity } from "./quantity.ts";
import { toJson } from "./to-json.ts";
import { Duration, ListValue, Optional, Timestamp, TypeName, Uint, type Value } from "./value.ts";

function mapOf(...entries: [Value, Value][]): Value {
  const map = new MapBuilder();
  for (const [key, value] of entries) map.insert(key, value);
  return map.finish();
}

const raw = { n: 1, deep: [{ x: null }] };

describe("a value that leaves the language", () => {
  const table: Record<string, [value: Value, json: unknown, text: string]> = {
    "null stays null": [null, null, "null"],
    "a boolean stays one": [true, true, "true"],
    "an int becomes a number": [42n, 42, "42"],
    "an int no number can hold stays a bigint": [2n ** 53n, 2n ** 53n, "9007199254740992"],
    "the largest safe int becomes a number": [2n ** 53n - 1n, 2 ** 53 - 1, "9007199254740991"],
    "a uint becomes a number": [new Uint(7n), 7, "7"],
    "a large uint stays a bigint": [new Uint(2n ** 64n - 1n), 2n ** 64n - 1n, "18446744073709551615"],
    "a double stays one": [1.5, 1.5, "1.5"],
    "a whole double is shown without a point": [2, 2, "2"],
    "infinity has no JSON but its name": [Number.POSITIVE_INFINITY, "Infinity", "Infinity"],
    "a string stays one": ["a", "a", "a"],
    "bytes become base64, and text where they are text": [Uint8Array.of(104, 105), "aGk=", "hi"],
    "bytes that are no text are escaped": [Uint8Array.of(65, 255), "Qf8=", "A\\xff"],
    "a timestamp becomes text": [new Timestamp(0n), "1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"],
    "a duration becomes text": [new Duration(1_500_000_000n), "1.5s", "1.5s"],
    "a type becomes its name": [new TypeName("int"), "int", "int"],
    "a quantity becomes its canonical text": [parseQuantity("1.5Gi") as Quantity, "1536Mi", "1536Mi"],
    "a list becomes an array": [new ListValue([1n, new ListValue(["a"])]), [1, ["a"]], "[1, [a]]"],
    "a map becomes an object": [mapOf(["b", 1n], ["a", new Uint(2n)]), { b: 1, a: 2 }, "{a: 2, b: 1}"],
    "keys of any type become text": [mapOf([1n, "x"], [true, "y"]), { "1": "x", true: "y" }, "{1: x, true: y}"],
    "an optional becomes what is inside": [new Optional(1n), 1, "optional(1)"],
    "an optional without value becomes null": [Optional.none, null, "optional.none()"],
    "JSON stays as it is": [raw, raw, "{deep: [{x: null}], n: 1}"],
  };
  it.each(Object.entries(table))("%s", (_, [value, json, text]) => {
    expect(toJson(value)).toEqual(json);
    expect(displayValue(value)).toBe(text);
  });

  it("is the same object if it was JSON", () => {
    expect(toJson(raw)).toBe(raw);
  });

  it("is shown only so deep", () => {
    const deep = JSON.parse(`${"[".repeat(10_000)}${"]".repeat(10_000)}`) as Value;
    expect(displayValue(deep)).toContain("…");
  });
});
