import { elementsOf } from "./lists.ts";
import { mapEntries } from "./maps.ts";
import { depthMax, type Meter } from "./meter.ts";
import { plainDecimal } from "./numbers/format-double.ts";
import { Quantity } from "./numbers/quantity.ts";
import type { Opaque } from "./opaque.ts";
import { formatDuration } from "./time/durations.ts";
import { formatTimestamp } from "./time/timestamps.ts";
import { decodeUtf8 } from "./utf8.ts";
import {
  Duration,
  isList,
  isMapping,
  type List,
  type Mapping,
  Optional,
  Timestamp,
  TypeName,
  Uint,
  type Value,
} from "./value.ts";

/**
 * A value as text: the result of `%s` in `format`. Charged for every ten characters of a string, every element of a
 * list, every key and every value of a map.
 */
export function displayValue(value: Value, meter: Meter, depth = 0): string {
  if (typeof value === "string") return displayText(value, meter);
  if (typeof value === "number") return displayText(plainDecimal(value), meter);
  if (typeof value !== "object" || value === null) return String(value);
  if (depth > depthMax) return "…";
  if (isList(value)) return `[${displayElements(value, meter, depth + 1).join(", ")}]`;
  if (isMapping(value)) return `{${displayEntries(value, meter, depth + 1).join(", ")}}`;
  if (value instanceof Optional) {
    return value.value === undefined ? "optional.none()" : `optional(${displayValue(value.value, meter, depth + 1)})`;
  }
  return displayScalar(value, meter);
}

function displayText(text: string, meter: Meter): string {
  meter.spend(Math.floor(text.length / 10));
  return text;
}

function displayElements(list: List, meter: Meter, depth: number): string[] {
  const elements = elementsOf(list);
  meter.spend(elements.length);
  return elements.map((item) => displayValue(item, meter, depth));
}

/** Sorted, so that equal maps have equal texts. */
function displayEntries(map: Mapping, meter: Meter, depth: number): string[] {
  const entries = mapEntries(map);
  meter.spend(2 * entries.length);
  return entries
    .map(({ key, value }) => [displayValue(key, meter, depth), displayValue(value, meter, depth)] as const)
    .sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0))
    .map(([key, value]) => `${key}: ${value}`);
}

function displayScalar(value: Uint | Uint8Array | Timestamp | Duration | TypeName | Opaque, meter: Meter): string {
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return displayBytes(value, meter);
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return formatDuration(value);
  return value instanceof TypeName ? value.name : displayOpaque(value, meter);
}

/** Finding the suffix of a very large quantity takes a division for every few digits. */
function displayOpaque(value: Opaque, meter: Meter): string {
  if (value instanceof Quantity && BigInt.asIntN(128, value.nanos) !== value.nanos) meter.spend(100);
  return displayText(value.toString(), meter);
}

function displayBytes(bytes: Uint8Array, meter: Meter): string {
  meter.spend(Math.floor(bytes.length / 5));
  return decodeUtf8(bytes) ?? Array.from(bytes, byteText).join("");
}

/** Invalid UTF-8 is shown byte by byte, as Latin-1 escapes. */
function byteText(byte: number): string {
  return byte < 0x80 ? String.fromCharCode(byte) : `\\x${byte.toString(16)}`;
}
