import { Failure } from "./failure.ts";
import { formatDouble } from "./numbers/format-double.ts";
import { int64Max, isInt64, isUint64 } from "./numbers/int64.ts";
import { Opaque } from "./opaque.ts";
import { formatDuration, parseDuration } from "./time/durations.ts";
import { floorDiv } from "./time/floor.ts";
import { formatTimestamp, nanosPerSecond, parseTimestamp, timestampOrOverflow } from "./time/timestamps.ts";
import { typeNameOf } from "./type-name.ts";
import { decodeUtf8, encodeUtf8 } from "./utf8.ts";
import { Duration, type Outcome, Timestamp, Uint, type Value } from "./value.ts";

const range = (): Failure => new Failure("overflow", "integer overflow");

function refuse(value: Value, to: string): Failure {
  return new Failure("conversion", `type conversion error from '${typeNameOf(value)}' to '${to}'`);
}

export function toInt(value: Value): Outcome {
  if (typeof value === "bigint") return value;
  if (typeof value === "number") return intFromDouble(value);
  if (typeof value === "string") return integerFrom(value, isInt64) ?? refuse(value, "int");
  if (value instanceof Uint) return value.value > int64Max ? range() : value.value;
  if (value instanceof Timestamp) return floorDiv(value.nanos, nanosPerSecond);
  if (value instanceof Duration) return value.nanos;
  return refuse(value, "int");
}

/** Both ends are excluded: at that size a double does not identify an integer. */
function intFromDouble(value: number): Outcome {
  return value > -(2 ** 63) && value < 2 ** 63 ? BigInt(Math.trunc(value)) : range();
}

export function toUint(value: Value): Outcome {
  if (value instanceof Uint) return value;
  if (typeof value === "bigint") return value < 0n ? range() : new Uint(value);
  if (typeof value === "number") return value >= 0 && value < 2 ** 64 ? new Uint(BigInt(Math.trunc(value))) : range();
  if (typeof value !== "string" || value.startsWith("-")) return refuse(value, "uint");
  const integer = integerFrom(value, isUint64);
  return integer === undefined ? refuse(value, "uint") : new Uint(integer);
}

const integer = /^[+-]?\d+$/;

/** No 64-bit integer has more than 20 digits; longer texts need no BigInt. */
const digitsMax = 20;

function integerFrom(text: string, fits: (value: bigint) => boolean): bigint | undefined {
  if (!integer.test(text)) return undefined;
  const digits = text.replace(/^[+-]?0*/, "");
  if (digits.length > digitsMax) return undefined;
  const value = text.startsWith("-") ? -BigInt(digits) : BigInt(digits);
  return fits(value) ? value : undefined;
}

const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const special = /^([+-]?)(?:(inf(?:inity)?)|nan)$/i;

export function toDouble(value: Value): Outcome {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Uint) return Number(value.value);
  if (typeof value !== "string") return refuse(value, "double");
  if (decimal.test(value)) return finiteOrRefused(value);
  const [whole, sign, infinity] = special.exec(value) ?? [];
  if (whole === undefined) return refuse(value, "double");
  if (infinity === undefined) return Number.NaN;
  return sign === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

function finiteOrRefused(text: string): Outcome {
  const number = Number(text);
  return Number.isFinite(number) ? number : refuse(text, "double");
}

const truths = new Map([
  ...["1", "t", "T", "TRUE", "true", "True"].map((text) => [text, true] as const),
  ...["0", "f", "F", "FALSE", "false", "False"].map((text) => [text, false] as const),
]);

export function toBool(value: Value): Outcome {
  if (typeof value === "boolean") return value;
  return (typeof value === "string" ? truths.get(value) : undefined) ?? refuse(value, "bool");
}

export function toBytes(value: Value): Outcome {
  if (value instanceof Uint8Array) return value;
  return typeof value === "string" ? encodeUtf8(value) : refuse(value, "bytes");
}

export function toText(value: Value): Outcome {
  if (typeof value === "string") return value;
  if (typeof value === "bigint" || typeof value === "boolean") return String(value);
  if (typeof value === "number") return formatDouble(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return formatDuration(value);
  if (value instanceof Opaque) return value.text ?? refuse(value, "string");
  if (!(value instanceof Uint8Array)) return refuse(value, "string");
  return decodeUtf8(value) ?? new Failure("conversion", "invalid UTF-8 in bytes, cannot convert to string");
}

export function toTimestamp(value: Value): Outcome {
  if (value instanceof Timestamp) return value;
  if (typeof value === "bigint") return timestampOrOverflow(value * nanosPerSecond);
  return typeof value === "string" ? parseTimestamp(value) : refuse(value, "google.protobuf.Timestamp");
}

export function toDuration(value: Value): Outcome {
  if (value instanceof Duration) return value;
  return typeof value === "string" ? parseDuration(value) : refuse(value, "google.protobuf.Duration");
}
