import type { FieldIssue } from "../protocol/field-issue.ts";
import { isJsonObject, type JsonValue } from "../protocol/json-value.ts";
import { schemaIssues } from "./check.ts";
import type { CompiledSchema } from "./compiled-schema.ts";
import { fitsAsIs, objectFitsAsIs } from "./fits-as-is.ts";
import { duplicateItemIssues } from "./list-keys.ts";
import { pruneAndDefault } from "./prune-and-default.ts";

/** The result of a walk over a value. */
export interface WalkResult {
  /** Pruned and defaulted; the same object when nothing changed. */
  readonly value: JsonValue;
  readonly issues: readonly FieldIssue[];
  /** The paths of pruned fields. */
  readonly unknownFields: readonly string[];
}

const none: readonly never[] = [];

/** Prunes, defaults and validates a whole object. Nulls that are not allowed count as absent. */
export function walkObject(compiled: CompiledSchema, value: JsonValue): WalkResult {
  return walk(compiled, value, true);
}

/** The same for a part of an object. */
export function walkValue(compiled: CompiledSchema, value: JsonValue): WalkResult {
  return walk(compiled, value, false);
}

function walk(compiled: CompiledSchema, original: JsonValue, isWholeObject: boolean): WalkResult {
  if (fitsUnchanged(compiled, original, isWholeObject)) return { value: original, issues: none, unknownFields: none };
  const { value, unknownFields } = pruneAndDefault(compiled, original, isWholeObject);
  const issues = schemaIssues(compiled, value);
  const repetitions = duplicateItemIssues(compiled, value);
  return { value, issues: repetitions.length === 0 ? issues : [...issues, ...repetitions], unknownFields };
}

function fitsUnchanged(compiled: CompiledSchema, value: JsonValue, isWholeObject: boolean): boolean {
  if (!isWholeObject) return fitsAsIs(compiled, value);
  return isJsonObject(value) && objectFitsAsIs(compiled, value);
}
