import type { JsonValue } from "../protocol/json-value.ts";
import type { CompiledSchema } from "./compiled-schema.ts";

type Check = (compiled: CompiledSchema, value: JsonValue) => boolean;

/**
 * A check that looks at each part of an object once, and remembers the parts that passed. An update leaves most of an
 * object as it is, the very same values; and a value does not change after it was made, so it goes on passing.
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
