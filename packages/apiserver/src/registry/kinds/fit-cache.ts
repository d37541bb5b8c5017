import type { JsonObject, JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { type CompiledSchema, defaultOf } from "@milo-quota/kubernetes/schema/compiled-schema.ts";
import { fitsAsIs, objectFitsAsIs } from "@milo-quota/kubernetes/schema/fits-as-is.ts";
import { type Shaped, shaped } from "@milo-quota/kubernetes/schema/shape-value.ts";
import { cachedCheck } from "@milo-quota/kubernetes/schema/validation-cache.ts";

/** Whether a part of an object is at a glance all that its schema asks for. */
export const partFitsSchema = cachedCheck(fitsAsIs);

/** Whether all of an object is what its schema asks for, as far as can be seen at a glance. */
export function objectFitsSchema(compiled: CompiledSchema, object: JsonObject): boolean {
  return objectFitsAsIs(compiled, object, partFitsSchema);
}

/** An object brought into the shape of its schema, as nearly all are already. */
export function shapedObject(compiled: CompiledSchema, object: JsonObject): Shaped {
  if (objectFitsSchema(compiled, object)) return { value: object, unknownFields: [] };
  return shaped(compiled, object, true, cachedParts);
}

const defaults = new WeakMap<CompiledSchema, JsonValue>();

/** The same default for all objects, which nobody can change: what is known of it is known of all of them. */
function sharedDefault(compiled: CompiledSchema): JsonValue | undefined {
  const known = defaults.get(compiled);
  if (known !== undefined) return known;
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
