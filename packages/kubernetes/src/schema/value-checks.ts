import { type FieldIssue, invalid, notSupported, tooLong, tooMany, typeInvalid } from "../protocol/field-issue.ts";
import { quote } from "../protocol/go-quote.ts";
import { type JsonValue, jsonEquals } from "../protocol/json-value.ts";
import { writeJson } from "../protocol/json-writer.ts";
import type { CompiledSchema } from "./compiled-schema.ts";
import { goNumber } from "./go-number.ts";

const none: readonly FieldIssue[] = [];
const int64Max = 2n ** 63n - 1n;

/** The location of a check. Paths are built only for an issue: nearly all checks find none. */
export interface FieldLocation {
  /** The field of an issue. */
  fieldText(): string;
  /** The path relative to the schema's root, as in messages. */
  pathText(): string;
}

/** The JSON Schema type of a value. A rounded number, or one beyond int64, is not an integer. */
export function typeOf(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "object") return "object";
  if (typeof value === "bigint") return value >= -int64Max - 1n && value <= int64Max ? "integer" : "number";
  return typeof value === "number" ? (Number.isSafeInteger(value) ? "integer" : "number") : typeof value;
}

/** Kubernetes' format of a value that does not have the schema's. */
const goFormats: Readonly<Record<string, string>> = { integer: "int64", number: "float64" };

export function typeIssue(compiled: CompiledSchema, value: JsonValue, location: FieldLocation): FieldIssue | undefined {
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
  // A checked format stands for the type, except for null and lists.
  const hasFormat = compiled.format !== undefined && actual !== "null" && actual !== "array";
  const shown = hasFormat ? (goFormats[actual] ?? "") : actual;
  const detail = `${location.pathText()} in body must be of type ${hasFormat ? schema.format : String(wanted)}: "${shown}"`;
  return typeInvalid(location.fieldText(), shown, detail);
}

/** Null is never a valid choice: Kubernetes compares by type, and null has none. */
export function enumIssues(
  { schema }: CompiledSchema,
  value: JsonValue,
  location: FieldLocation,
): readonly FieldIssue[] {
  if (schema.enum === undefined || schema.enum.length === 0) return none;
  if (value !== null && schema.enum.some((choice) => jsonEquals(choice, value))) return none;
  const choices = schema.enum.map((choice) => (typeof choice === "string" ? choice : writeJson(choice)));
  return [notSupported(location.fieldText(), value, choices)];
}

/** Of length and pattern only the first issue is reported, as in Kubernetes; a format issue is added. */
export function stringIssues(compiled: CompiledSchema, value: string, location: FieldLocation): readonly FieldIssue[] {
  const shape = shapeIssue(compiled, value, location);
  const isMalformed = compiled.format?.(value) === false;
  if (shape === undefined && !isMalformed) return none;
  const issues = shape === undefined ? [] : [shape];
  if (isMalformed) {
    const detail = `${location.pathText()} in body must be of type ${compiled.schema.format}: ${quote(value)}`;
    issues.push(typeInvalid(location.fieldText(), value, detail));
  }
  return issues;
}

function shapeIssue(
  { schema, pattern }: CompiledSchema,
  value: string,
  location: FieldLocation,
): FieldIssue | undefined {
  const { maxLength, minLength } = schema;
  if (maxLength !== undefined && value.length > maxLength && codePoints(value) > maxLength)
    return tooLong(location.fieldText(), maxLength);
  if (minLength !== undefined && value.length < 2 * minLength && codePoints(value) < minLength) {
    return invalid(
      location.fieldText(),
      value,
      `${location.pathText()} in body should be at least ${minLength} chars long`,
    );
  }
  if (pattern?.(value) !== false) return undefined;
  return invalid(location.fieldText(), value, `${location.pathText()} in body should match '${schema.pattern}'`);
}

export function numberIssues(
  { schema }: CompiledSchema,
  value: number | bigint,
  location: FieldLocation,
): readonly FieldIssue[] {
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
  const multiple = factor === undefined ? none : multipleIssues(factor, value, location);
  if (faults.length === 0) return multiple;
  const path = location.pathText();
  return [...multiple, ...faults.map((fault) => invalid(location.fieldText(), value, `${path} in body ${fault}`))];
}

/** Kubernetes compares integers as integers: the fraction of a bound is ignored. */
function bound(limit: number | undefined, value: number | bigint): number | undefined {
  if (limit === undefined) return undefined;
  return typeof value === "bigint" || Number.isInteger(value) ? Math.trunc(limit) : limit;
}

function multipleIssues(factor: number, value: number | bigint, location: FieldLocation): readonly FieldIssue[] {
  const path = location.pathText();
  const text = goNumber(factor, value);
  if (factor <= 0) {
    return [invalid(location.fieldText(), factor, `factor MultipleOf declared for ${path} must be positive: ${text}`)];
  }
  if (isMultiple(value, factor)) return none;
  return [invalid(location.fieldText(), value, `${path} in body should be a multiple of ${text}`)];
}

export function itemCountIssues(
  { schema }: CompiledSchema,
  count: number,
  location: FieldLocation,
): readonly FieldIssue[] {
  return countIssues({ min: schema.minItems, max: schema.maxItems, what: "items" }, count, location);
}

export function propertyCountIssues(
  { schema }: CompiledSchema,
  count: number,
  location: FieldLocation,
): readonly FieldIssue[] {
  return countIssues({ min: schema.minProperties, max: schema.maxProperties, what: "properties" }, count, location);
}

interface Bounds {
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly what: string;
}

function countIssues({ min, max, what }: Bounds, count: number, location: FieldLocation): readonly FieldIssue[] {
  if (min !== undefined && count < min) {
    const detail = `${location.pathText()} in body should have at least ${min} ${what}`;
    return [invalid(location.fieldText(), count, detail)];
  }
  return max !== undefined && count > max ? [tooMany(location.fieldText(), count, max)] : none;
}

function isMultiple(value: number | bigint, factor: number): boolean {
  if (typeof value === "bigint") return value % BigInt(factor) === 0n;
  return Number.isInteger(factor < 1 ? value * (1 / factor) : value / factor);
}

/** Kubernetes counts code points, JavaScript UTF-16 units, of which there are one or two per code point. */
function codePoints(text: string): number {
  return /[\ud800-\udbff]/.test(text) ? [...text].length : text.length;
}
