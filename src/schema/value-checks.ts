import { type FieldIssue, invalid, notSupported, tooLong, tooMany, typeInvalid } from "../protocol/field-issue.ts";
import { quote } from "../protocol/go-quote.ts";
import { isJsonObject, type JsonValue, jsonEquals } from "../protocol/json-value.ts";
import { writeJson } from "../protocol/json-writer.ts";
import type { CompiledSchema } from "./compiled-schema.ts";

const none: readonly FieldIssue[] = [];
const int64Max = 2n ** 63n - 1n;
const int32Max = 2n ** 31n - 1n;

/** Where a check stands. The text is made only for an issue: nearly all checks find none. */
export interface Place {
  pathText(): string;
}

/** What JSON Schema calls the type of a value. */
export function typeOf(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "object") return "object";
  if (typeof value === "bigint") return "integer";
  return typeof value === "number" ? (Number.isInteger(value) ? "integer" : "number") : typeof value;
}

export function typeIssue({ schema }: CompiledSchema, value: JsonValue, place: Place): FieldIssue | undefined {
  const actual = typeOf(value);
  const wanted = schema["x-kubernetes-int-or-string"] === true ? ["integer", "string"] : schema.type;
  const isWanted =
    wanted === undefined ||
    actual === wanted ||
    (wanted === "number" && actual === "integer") ||
    (Array.isArray(wanted) && wanted.includes(actual));
  if (isWanted) return undefined;
  const path = place.pathText();
  return typeInvalid(path, actual, `${path} in body must be of type ${String(wanted)}: "${actual}"`);
}

export function enumIssues({ schema }: CompiledSchema, value: JsonValue, place: Place): readonly FieldIssue[] {
  if (schema.enum === undefined || schema.enum.some((choice) => jsonEquals(choice, value))) return none;
  const choices = schema.enum.map((choice) => (typeof choice === "string" ? choice : writeJson(choice)));
  return [notSupported(place.pathText(), value, choices)];
}

export function stringIssues(compiled: CompiledSchema, value: string, place: Place): readonly FieldIssue[] {
  const { maxLength, minLength, pattern, format } = compiled.schema;
  const isTooLong = maxLength !== undefined && codePoints(value) > maxLength;
  const isTooShort = minLength !== undefined && codePoints(value) < minLength;
  const isOdd = compiled.pattern?.(value) === false;
  const isMalformed = compiled.format?.(value) === false;
  if (!isTooLong && !isTooShort && !isOdd && !isMalformed) return none;
  const path = place.pathText();
  const issues: FieldIssue[] = [];
  if (isTooLong) issues.push(tooLong(path, maxLength));
  if (isTooShort) issues.push(invalid(path, value, `${path} in body should be at least ${minLength} chars long`));
  if (isOdd) issues.push(invalid(path, value, `${path} in body should match '${pattern}'`));
  if (isMalformed) {
    issues.push(typeInvalid(path, value, `${path} in body must be of type ${format}: ${quote(value)}`));
  }
  return issues;
}

export function numberIssues({ schema }: CompiledSchema, value: number | bigint, place: Place): readonly FieldIssue[] {
  const { minimum, maximum, multipleOf, exclusiveMinimum = false, exclusiveMaximum = false } = schema;
  const faults: string[] = [];
  if (maximum !== undefined && (value > maximum || (exclusiveMaximum && Number(value) === maximum))) {
    faults.push(`should be less than ${exclusiveMaximum ? "" : "or equal to "}${maximum}`);
  }
  if (minimum !== undefined && (value < minimum || (exclusiveMinimum && Number(value) === minimum))) {
    faults.push(`should be greater than ${exclusiveMinimum ? "" : "or equal to "}${minimum}`);
  }
  if (multipleOf !== undefined && !isMultiple(value, multipleOf)) faults.push(`should be a multiple of ${multipleOf}`);
  if (!fitsFormat(value, schema.format)) faults.push(`must be of type ${schema.format}`);
  if (faults.length === 0) return none;
  const path = place.pathText();
  return faults.map((fault) => invalid(path, value, `${path} in body ${fault}`));
}

export function itemCountIssues({ schema }: CompiledSchema, count: number, place: Place): readonly FieldIssue[] {
  return countIssues({ min: schema.minItems, max: schema.maxItems, what: "items" }, count, place);
}

export function propertyCountIssues({ schema }: CompiledSchema, count: number, place: Place): readonly FieldIssue[] {
  return countIssues({ min: schema.minProperties, max: schema.maxProperties, what: "properties" }, count, place);
}

interface Bounds {
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly what: string;
}

function countIssues({ min, max, what }: Bounds, count: number, place: Place): readonly FieldIssue[] {
  if (min !== undefined && count < min) {
    const path = place.pathText();
    return [invalid(path, count, `${path} in body should have at least ${min} ${what}`)];
  }
  return max !== undefined && count > max ? [tooMany(place.pathText(), count, max)] : none;
}

/** The positions of items that repeat an earlier one, by the list's own idea of sameness, with what repeats. */
export function repeatedItems(
  { schema }: CompiledSchema,
  items: readonly JsonValue[],
): [index: number, value: JsonValue][] {
  const listType = schema["x-kubernetes-list-type"];
  if (items.length < 2 || (listType !== "set" && listType !== "map")) return [];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const seen = new Set<string>();
  const repeated: [number, JsonValue][] = [];
  for (const [index, item] of items.entries()) {
    const identity = listType === "set" || !isJsonObject(item) ? item : pick(item, keys);
    const text = writeJson(identity);
    if (seen.has(text)) repeated.push([index, identity]);
    seen.add(text);
  }
  return repeated;
}

function pick(item: Readonly<Record<string, JsonValue>>, keys: readonly string[]): JsonValue {
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(item, key)).map((key) => [key, item[key] as JsonValue]));
}

function fitsFormat(value: number | bigint, format: string | undefined): boolean {
  if (format !== "int64" && format !== "int32") return true;
  const bound = format === "int64" ? int64Max : int32Max;
  return value <= bound && value >= -bound - 1n;
}

function isMultiple(value: number | bigint, factor: number): boolean {
  if (typeof value === "bigint") return Number.isInteger(factor) && value % BigInt(factor) === 0n;
  return Number.isInteger(factor < 1 ? value * (1 / factor) : value / factor);
}

/** Kubernetes counts code points, JavaScript pairs of bytes; they differ only where surrogates are. */
function codePoints(text: string): number {
  return /[\ud800-\udbff]/.test(text) ? [...text].length : text.length;
}
