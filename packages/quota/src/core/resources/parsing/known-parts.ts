import type { JsonObject, JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { CompiledSchema } from "@milo-quota/kubernetes/schema/compiled-schema.ts";
import { fitsAsIs, objectFitsAsIs } from "@milo-quota/kubernetes/schema/fits-as-is.ts";
import { cachedCheck } from "@milo-quota/kubernetes/schema/validation-cache.ts";

/**
 * Tells of whole objects that nothing is wrong with them, and looks at each part only once. False says nothing: such an
 * object is looked at closely.
 */
export function knownParts(
  compiled: CompiledSchema,
  breaksRules: (part: CompiledSchema, value: JsonValue) => boolean,
): (object: JsonObject) => boolean {
  const isRight = cachedCheck((part, value) => fitsAsIs(part, value) && !breaksRules(part, value));
  // A rule for the whole is about parts together.
  return (object) => compiled.rules.length === 0 && objectFitsAsIs(compiled, object, isRight);
}
