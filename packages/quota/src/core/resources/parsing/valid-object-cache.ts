import type { JsonObject, JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { CompiledSchema } from "@milo-quota/kubernetes/schema/compiled-schema.ts";
import { fitsAsIs, objectFitsAsIs } from "@milo-quota/kubernetes/schema/fits-as-is.ts";
import { cachedCheck } from "@milo-quota/kubernetes/schema/validation-cache.ts";

/**
 * Checks whether an object is valid, and caches the result for each part by its identity. Hot: most versions of an object share
 * parts with others. False means unknown: the caller must then validate the object in full.
 */
export function validObjectCache(
  compiled: CompiledSchema,
  breaksRules: (part: CompiledSchema, value: JsonValue) => boolean,
): (object: JsonObject) => boolean {
  const isValidPart = cachedCheck((part, value) => fitsAsIs(part, value) && !breaksRules(part, value));
  // A rule of the whole object depends on several parts.
  return (object) => compiled.rules.length === 0 && objectFitsAsIs(compiled, object, isValidPart);
}
