import { quote } from "./go-quote.ts";
import type { JsonValue } from "./json-value.ts";
import { canonicalJson } from "./json-writer.ts";

/** Kubernetes' type of a field error; the `reason` of a cause in a Status. */
export type FieldIssueType =
  | "FieldValueRequired"
  | "FieldValueInvalid"
  | "FieldValueTypeInvalid"
  | "FieldValueNotSupported"
  | "FieldValueDuplicate"
  | "FieldValueForbidden"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "FieldValueNotFound";

/** An issue with a field of an object, in the words of Kubernetes. */
export interface FieldIssue {
  readonly type: FieldIssueType;
  readonly field: string;
  readonly message: string;
}

/** The result of a parser: the typed value, or all issues. */
export type Parsed<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly issues: readonly FieldIssue[] };

export function issueText(issue: FieldIssue): string {
  return `${issue.field}: ${issue.message}`;
}

export function required(field: string, detail = ""): FieldIssue {
  return { type: "FieldValueRequired", field, message: withDetail("Required value", detail) };
}

export function invalid(field: string, value: unknown, detail: string): FieldIssue {
  return { type: "FieldValueInvalid", field, message: withDetail(`Invalid value: ${valueText(value)}`, detail) };
}

export function typeInvalid(field: string, value: unknown, detail: string): FieldIssue {
  return { ...invalid(field, value, detail), type: "FieldValueTypeInvalid" };
}

export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldIssue {
  const detail = `supported values: ${supported.map(quote).join(", ")}`;
  return {
    type: "FieldValueNotSupported",
    field,
    message: withDetail(`Unsupported value: ${valueText(value)}`, detail),
  };
}

export function duplicate(field: string, value: unknown): FieldIssue {
  return { type: "FieldValueDuplicate", field, message: `Duplicate value: ${valueText(value)}` };
}

export function forbidden(field: string, detail: string): FieldIssue {
  return { type: "FieldValueForbidden", field, message: withDetail("Forbidden", detail) };
}

export function notFound(field: string, value: unknown): FieldIssue {
  return { type: "FieldValueNotFound", field, message: `Not found: ${valueText(value)}` };
}

/** Omits the value: it is too long to read. */
export function tooLong(field: string, bytesMax: number): FieldIssue {
  const detail = `may not be more than ${bytesMax} ${bytesMax === 1 ? "byte" : "bytes"}`;
  return { type: "FieldValueTooLong", field, message: withDetail("Too long", detail) };
}

export function tooMany(field: string, count: number, countMax: number): FieldIssue {
  const detail = `must have at most ${countMax} ${countMax === 1 ? "item" : "items"}`;
  return { type: "FieldValueTooMany", field, message: withDetail(`Too many: ${count}`, detail) };
}

/** `spec` and `name` make `spec.name`. */
export function childPath(parent: string, name: string): string {
  return parent === "" ? name : `${parent}.${name}`;
}

/** `spec.requests` and 0 make `spec.requests[0]`; a map key goes into brackets too. */
export function itemPath(parent: string, indexOrKey: number | string): string {
  return `${parent}[${indexOrKey}]`;
}

function withDetail(text: string, detail: string): string {
  return detail === "" ? text : `${text}: ${detail}`;
}

function valueText(value: unknown): string {
  return typeof value === "string" ? quote(value) : canonicalJson(value as JsonValue);
}
