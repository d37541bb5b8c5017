import { isJsonObject, type JsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { CompiledSchema } from "@milo-quota/kubernetes/schema/compiled-schema.ts";
import { fitsAsIs, objectFitsAsIs } from "@milo-quota/kubernetes/schema/fits-as-is.ts";

/**
 * Tells of whole objects that nothing is wrong with them, and looks at each part only once: a new version of an object
 * has in common with the one before what nobody changed, and nobody changes a part after it was made. False says nothing:
 * such an object is looked at closely.
 */
export function knownParts(
  compiled: CompiledSchema,
  breaksRules: (part: CompiledSchema, value: JsonValue) => boolean,
): (object: JsonObject) => boolean {
  const right = new WeakMap<object, CompiledSchema>();
  const isRight = (part: CompiledSchema, value: JsonValue): boolean => {
    if (!isJsonObject(value)) return fitsAsIs(part, value) && !breaksRules(part, value);
    if (right.get(value) === part) return true;
    if (!fitsAsIs(part, value) || breaksRules(part, value)) return false;
    right.set(value, part);
    return true;
  };
  // A rule for the whole is about parts together.
  return (object) => compiled.rules.length === 0 && objectFitsAsIs(compiled, object, isRight);
}
