import { isInt64 } from "./numbers/int64.ts";
import type { Value } from "./value.ts";

/**
 * Converts a JSON value: whole numbers become ints, others doubles. Lists and objects are not traversed. An integer
 * beyond int64 is a bigint from an exact reader, and becomes a double as in Kubernetes.
 */
export function fromJson(json: unknown): Value {
  if (typeof json === "number") return Number.isSafeInteger(json) ? BigInt(json) : json;
  if (typeof json === "bigint") return isInt64(json) ? json : Number(json);
  return json === undefined ? null : (json as Value);
}
