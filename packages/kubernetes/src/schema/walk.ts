import type { FieldIssue } from "../protocol/field-issue.ts";
import { isJsonObject, type JsonValue } from "../protocol/json-value.ts";
import { schemaIssues } from "./check.ts";
import type { CompiledSchema } from "./compiled-schema.ts";
import { fitsAsIs, objectFitsAsIs } from "./fits-as-is.ts";
import { repetitionIssues } from "./list-keys.ts";
import { shaped } from "./shape-value.ts";

/** What one walk over a value found and made. */
export interface Walked {
  /** The value with defaults filled in and unknown fields gone; the very same one when nothing changed. */
  readonly value: JsonValue;
  readonly issues: readonly FieldIssue[];
  /** The paths of fields that no schema names; they are not in `value`. */
  readonly unknownFields: readonly string[];
}

const none: readonly never[] = [];

/** Defaults, prunes and validates a whole object. Nulls where none may be count as left out. */
export function walkObject(compiled: CompiledSchema, value: JsonValue): Walked {
  return walk(compiled, value, true);
}

/** The same for a part of an object. */
export function walkValue(compiled: CompiledSchema, value: JsonValue): Walked {
  return walk(compiled, value, false);
}

function walk(compiled: CompiledSchema, original: JsonValue, isWholeObject: boolean): Walked {
  if (isObvious(compiled, original, isWholeObject)) return { value: original, issues: none, unknownFields: none };
  const { value, unknownFields } = shaped(compiled, original, isWholeObject);
  const issues = schemaIssues(compiled, value);
  const repetitions = repetitionIssues(compiled, value);
  return { value, issues: repetitions.length === 0 ? issues : [...issues, ...repetitions], unknownFields };
}

function isObvious(compiled: CompiledSchema, value: JsonValue, isWholeObject: boolean): boolean {
  if (!isWholeObject) return fitsAsIs(compiled, value);
  return isJsonObject(value) && objectFitsAsIs(compiled, value);
}
