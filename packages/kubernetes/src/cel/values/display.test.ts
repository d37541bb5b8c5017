import { describe, expect, it } from "vitest";
import { displayValue } from "./display.ts";
import { MapBuilder } from "./maps.ts";
import { parseQuantity, type Quantity } from "./numbers/quantity.ts";
import { Duration, ListValue, Optional, Timestamp, TypeName, Uint, type Value } from "./value.ts";

function mapOf(...entries: [Value, Value][]): Value {
  const map = new MapBuilder();
  for (const [key, value] of entries) map.insert(key, value);
  return map.finish();
}

const unmetered = { spend: () => undefined };

describe("the display of a value", () => {
  const table: Record<string, [value: Value, text: string]> = {
    "null is its name": [null, "null"],
    "a boolean is its name": [true, "true"],
    "an int is its digits": [2n ** 53n, "9007199254740992"],
    "a uint is its digits": [new Uint(2n ** 64n - 1n), "18446744073709551615"],
    "a double has a point if it needs one": [1.5, "1.5"],
    "a whole double has none": [2, "2"],
    "infinity is spelled out": [Number.POSITIVE_INFINITY, "Infinity"],
    "a string is itself": ["a", "a"],
    "bytes are text if they are UTF-8": [Uint8Array.of(104, 105), "hi"],
    "bytes that are not UTF-8 are escaped": [Uint8Array.of(65, 255), "A\\xff"],
    "a timestamp is in UTC": [new Timestamp(0n), "1970-01-01T00:00:00Z"],
    "a duration is in seconds": [new Duration(1_500_000_000n), "1.5s"],
    "a type is its name": [new TypeName("int"), "int"],
    "a quantity is canonical": [parseQuantity("1.5Gi") as Quantity, "1536Mi"],
    "a list is in brackets": [new ListValue([1n, new ListValue(["a"])]), "[1, [a]]"],
    "a map is sorted": [mapOf(["b", 1n], ["a", new Uint(2n)]), "{a: 2, b: 1}"],
    "a map has keys of any type": [mapOf([1n, "x"], [true, "y"]), "{1: x, true: y}"],
    "an optional shows its value": [new Optional(1n), "optional(1)"],
    "an empty optional shows none": [Optional.none, "optional.none()"],
    "JSON is shown like lists and maps": [{ n: 1, deep: [{ x: null }] }, "{deep: [{x: null}], n: 1}"],
  };
  it.each(Object.entries(table))("%s", (_, [value, text]) => {
    expect(displayValue(value, unmetered)).toBe(text);
  });

  it("is limited in depth", () => {
    const deep = JSON.parse(`${"[".repeat(10_000)}${"]".repeat(10_000)}`) as Value;
    expect(displayValue(deep, unmetered)).toContain("…");
  });
});
