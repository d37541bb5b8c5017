import type { JsonValue } from "../protocol/json-value.ts";
import type { CompiledSchema } from "./compiled-schema.ts";

type Check = (compiled: CompiledSchema, value: JsonValue) => boolean;

/**
 * Caches a check by identity, for parts that passed. An update keeps most parts of an object identical, and values are
 * immutable, so they keep passing.
 */
export function cachedCheck(check: Check): Check {
  const passed = new WeakMap<object, CompiledSchema>();
  return (compiled, value) => {
    if (typeof value !== "object" || value === null) return check(compiled, value);
    if (passed.get(value) === compiled) return true;
    if (!check(compiled, value)) return false;
    passed.set(value, compiled);
    return true;
  };
}
