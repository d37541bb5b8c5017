import type { JsonValue } from "./json-value.ts";

/** What JSON calls the type of a value. */
function jsonTypeName(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "bigint" ? "number" : typeof value;
}

/** The error for a value of the wrong type. */
export function typeFault(expected: string, value: JsonValue): string {
  return `expected ${expected}, got ${jsonTypeName(value)}`;
}
