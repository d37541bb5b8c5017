import { encodeBase64 } from "../src/cel/values/base64.ts";
import { mapEntries } from "../src/cel/values/maps.ts";
import type { Opaque } from "../src/cel/values/opaque.ts";
import { formatDuration } from "../src/cel/values/time/durations.ts";
import { formatTimestamp } from "../src/cel/values/time/timestamps.ts";
import {
  Duration,
  isJsonList,
  isJsonObject,
  type Json,
  ListValue,
  MapValue,
  Optional,
  Timestamp,
  TypeName,
  Uint,
  type Value,
} from "../src/cel/values/value.ts";

/** A value as plain JSON, for tests to compare; values that JSON does not have become text. */
export function toJson(value: Value): Json {
  if (typeof value === "bigint") return integerToJson(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value !== "object" || value === null || isJsonList(value) || isJsonObject(value)) return value;
  if (value instanceof ListValue) return value.items.map(toJson);
  if (value instanceof MapValue) return mapToJson(value);
  if (value instanceof Optional) return value.value === undefined ? null : toJson(value.value);
  return scalarToJson(value);
}

function scalarToJson(value: Uint | Uint8Array | Timestamp | Duration | TypeName | Opaque): Json {
  if (value instanceof Uint) return integerToJson(value.value);
  if (value instanceof Uint8Array) return encodeBase64(value);
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return formatDuration(value);
  return value instanceof TypeName ? value.name : value.toString();
}

function integerToJson(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function mapToJson(map: MapValue): Json {
  // fromEntries defines own properties, so a key `__proto__` stays a key.
  return Object.fromEntries(mapEntries(map).map(({ key, value }) => [String(toJson(key)), toJson(value)]));
}
