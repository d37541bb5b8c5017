import { type FieldIssue, invalid, notSupported, tooLong, tooMany, typeInvalid } from "../protocol/field-issue.ts";
import { quote } from "../protocol/go-quote.ts";
import { type JsonValue, jsonEquals } from "../protocol/json-value.ts";
import { writeJson } from "../protocol/json-writer.ts";
import type { CompiledSchema } from "./compiled-schema.ts";
import { goNumber } from "./go-number.ts";

const none: readonly FieldIssue[] = [];
const int64Max = 2n ** 63n - 1n;

/** Where a check stands. Texts are made only for an issue: nearly all checks find none. */
export interface Place {
  /** The field an issue is about. */
  fieldText(): string;
  /** The same from where the schema starts, which is what messages name. */
  pathText(): string;
}

/**
 * What JSON Schema calls the type of a value. A number that was rounded, or that no int64 holds, is no integer, even if
 * nothing follows its point.
 */
export function typeOf(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "object") return "object";
  if (typeof value === "bigint") return value >= -int64Max - 1n && value <= int64Max ? "integer" : "number";
  return typeof value === "number" ? (Number.isSafeInteger(value) ? "integer" : "number") : typeof value;
}

/** What Kubernetes calls the format of a value when it is not the one of the schema. */
const goFormats: Readonly<Record<string, string>> = { integer: "int64", number: "float64" };

export function typeIssue(compiled: CompiledSchema, value: JsonValue, place: Place): FieldIssue | undefined {
  const { schema } = compiled;
  if (value === null && schema.nullable === true) return undefined;
  const actual = typeOf(value);
  const wanted = schema["x-kubernetes-int-or-string"] === true ? ["integer", "string"] : schema.type;
  const isWanted =
    wanted === undefined ||
    actual === wanted ||
    (wanted === "number" && actual === "integer") ||
    (Array.isArray(wanted) && wanted.includes(actual));
  if (isWanted) return undefined;
  // A format that is checked stands for the type, except where the value is absent or a list.
  const hasFormat = compiled.format !== undefined && actual !== "null" && actual !== "array";
  const shown = hasFormat ? (goFormats[actual] ?? "") : actual;
  const detail = `${place.pathText()} in body must be of type ${hasFormat ? schema.format : String(wanted)}: "${shown}"`;
  return typeInvalid(place.fieldText(), shown, detail);
}

/** Null fits no choice, not even where null is listed: Kubernetes compares by type, and null has none. */
export function enumIssues({ schema }: CompiledSchema, value: JsonValue, place: Place): readonly FieldIssue[] {
  if (schema.enum === undefined || schema.enum.length === 0) return none;
  if (value !== null && schema.enum.some((choice) => jsonEquals(choice, value))) return none;
  const choices = schema.enum.map((choice) => (typeof choice === "string" ? choice : writeJson(choice)));
  return [notSupported(place.fieldText(), value, choices)];
}

/** Length and pattern are told one at a time, the first that is wrong, as Kubernetes does; a format beside them. */
export function stringIssues(compiled: CompiledSchema, value: string, place: Place): readonly FieldIssue[] {
  const shape = shapeIssue(compiled, value, place);
  const isMalformed = compiled.format?.(value) === false;
  if (shape === undefined && !isMalformed) return none;
  const issues = shape === undefined ? [] : [shape];
  if (isMalformed) {
    const detail = `${place.pathText()} in body must be of type ${compiled.schema.format}: ${quote(value)}`;
    issues.push(typeInvalid(place.fieldText(), value, detail));
  }
  return issues;
}

function shapeIssue({ schema, pattern }: CompiledSchema, value: string, place: Place): FieldIssue | undefined {
  const { maxLength, minLength } = schema;
  if (maxLength !== undefined && value.length > maxLength && codePoints(value) > maxLength)
    return tooLong(place.fieldText(), maxLength);
  if (minLength !== undefined && value.length < 2 * minLength && codePoints(value) < minLength) {
    return invalid(place.fieldText(), value, `${place.pathText()} in body should be at least ${minLength} chars long`);
  }
  if (pattern?.(value) !== false) return undefined;
  return invalid(place.fieldText(), value, `${place.pathText()} in body should match '${schema.pattern}'`);
}

export function numberIssues({ schema }: CompiledSchema, value: number | bigint, place: Place): readonly FieldIssue[] {
  const { multipleOf, exclusiveMinimum = false, exclusiveMaximum = false } = schema;
  const minimum = bound(schema.minimum, value);
  const maximum = bound(schema.maximum, value);
  const faults: string[] = [];
  if (minimum !== undefined && (value < minimum || (exclusiveMinimum && Number(value) === minimum))) {
    faults.push(`should be greater than ${exclusiveMinimum ? "" : "or equal to "}${goNumber(minimum, value)}`);
  }
  if (maximum !== undefined && (value > maximum || (exclusiveMaximum && Number(value) === maximum))) {
    faults.push(`should be less than ${exclusiveMaximum ? "" : "or equal to "}${goNumber(maximum, value)}`);
  }
  const factor = bound(multipleOf, value);
  const multiple = factor === undefined ? none : multipleIssues(factor, value, place);
  if (faults.length === 0) return multiple;
  const path = place.pathText();
  return [...multiple, ...faults.map((fault) => invalid(place.fieldText(), value, `${path} in body ${fault}`))];
}

/** Kubernetes compares integers with integers: what follows the point of a bound does not count for them. */
function bound(limit: number | undefined, value: number | bigint): number | undefined {
  if (limit === undefined) return undefined;
  return typeof value === "bigint" || Number.isInteger(value) ? Math.trunc(limit) : limit;
}

function multipleIssues(factor: number, value: number | bigint, place: Place): readonly FieldIssue[] {
  const path = place.pathText();
  const text = goNumber(factor, value);
  if (factor <= 0) {
    return [invalid(place.fieldText(), factor, `factor MultipleOf declared for ${path} must be positive: ${text}`)];
  }
  if (isMultiple(value, factor)) return none;
  return [invalid(place.fieldText(), value, `${path} in body should be a multiple of ${text}`)];
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
    const detail = `${place.pathText()} in body should have at least ${min} ${what}`;
    return [invalid(place.fieldText(), count, detail)];
  }
  return max !== undefined && count > max ? [tooMany(place.fieldText(), count, max)] : none;
}

function isMultiple(value: number | bigint, factor: number): boolean {
  if (typeof value === "bigint") return value % BigInt(factor) === 0n;
  return Number.isInteger(factor < 1 ? value * (1 / factor) : value / factor);
}

/** Kubernetes counts code points, JavaScript pairs of bytes: never fewer, and never more than twice as many. */
function codePoints(text: string): number {
  return /[\ud800-\udbff]/.test(text) ? [...text].length : text.length;
}
