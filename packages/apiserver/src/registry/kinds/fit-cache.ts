import type { JsonObject, JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { type CompiledSchema, defaultOf } from "@milo-quota/kubernetes/schema/compiled-schema.ts";
import { fitsAsIs, objectFitsAsIs } from "@milo-quota/kubernetes/schema/fits-as-is.ts";
import { type PruneResult, pruneAndDefault } from "@milo-quota/kubernetes/schema/prune-and-default.ts";
import { cachedCheck } from "@milo-quota/kubernetes/schema/validation-cache.ts";

/** Whether a part of an object certainly fits its schema; cached by identity. */
export const partFitsSchema = cachedCheck(fitsAsIs);

/** Whether a whole object certainly fits its schema, by cached checks of its parts. */
export function objectFitsSchema(compiled: CompiledSchema, object: JsonObject): boolean {
  return objectFitsAsIs(compiled, object, partFitsSchema);
}

/** Prunes and defaults an object; most objects need neither. */
export function prunedObject(compiled: CompiledSchema, object: JsonObject): PruneResult {
  if (objectFitsSchema(compiled, object)) return { value: object, unknownFields: [] };
  return pruneAndDefault(compiled, object, true, cachedParts);
}

const defaults = new WeakMap<CompiledSchema, JsonValue>();

/** One frozen default for all objects, so that cached checks apply to all of them. */
function sharedDefault(compiled: CompiledSchema): JsonValue | undefined {
  const cached = defaults.get(compiled);
  if (cached !== undefined) return cached;
  const value = defaultOf(compiled);
  if (value !== undefined) defaults.set(compiled, frozen(value));
  return value;
}

function frozen(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}

const cachedParts = { fits: partFitsSchema, defaultOf: sharedDefault };
