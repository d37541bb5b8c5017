import { formatDuration } from "./durations.ts";
import { plainDecimal } from "./format-double.ts";
import { elementsOf } from "./lists.ts";
import { mapEntries } from "./maps.ts";
import { depthMax } from "./meter.ts";
import { formatQuantity, Quantity } from "./quantity.ts";
import { formatTimestamp } from "./timestamps.ts";
import { decodeUtf8 } from "./utf8.ts";
import {
  Duration,
  isList,
  isMapping,
  type Mapping,
  Optional,
  Timestamp,
  type TypeName,
  Uint,
  type Value,
} from "./value.ts";

/** A value as text for people: what `%s` of `format` writes, and what a template puts into a string. */
export function displayValue(value: Value, depth = 0): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return plainDecimal(value);
  if (typeof value !== "object" || value === null) return String(value);
  if (depth > depthMax) return "…";
  if (isList(value))
    return `[${elementsOf(value)
      .map((item) => displayValue(item, depth + 1))
      .join(", ")}]`;
  if (isMapping(value)) return `{${displayEntries(value, depth + 1).join(", ")}}`;
  if (value instanceof Optional) {
    return value.value === undefined ? "optional.none()" : `optional(${displayValue(value.value, depth + 1)})`;
  }
  return displayScalar(value);
}

/** Sorted, so that equal maps read the same however they were made. */
function displayEntries(map: Mapping, depth: number): string[] {
  return mapEntries(map)
    .map(({ key, value }) => [displayValue(key, depth), displayValue(value, depth)] as const)
    .sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0))
    .map(([key, value]) => `${key}: ${value}`);
}

function displayScalar(value: Uint | Uint8Array | Timestamp | Duration | TypeName | Quantity): string {
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return decodeUtf8(value) ?? Array.from(value, byteText).join("");
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return formatDuration(value);
  return value instanceof Quantity ? formatQuantity(value) : value.name;
}

/** Bytes that are no text are shown one by one, as Latin-1 escapes. */
function byteText(byte: number): string {
  return byte < 0x80 ? String.fromCharCode(byte) : `\\x${byte.toString(16)}`;
}
