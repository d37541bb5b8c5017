import { isInt64 } from "./numbers/int64.ts";
import type { Value } from "./value.ts";

/**
 * Takes one JSON value into the language: whole numbers become ints, others doubles. Lists and objects pass unread.
 * An integer beyond int64 can only have come from an exact reader, and is a double as it is in Kubernetes.
 */
export function fromJson(json: unknown): Value {
  if (typeof json === "number") return Number.isSafeInteger(json) ? BigInt(json) : json;
  if (typeof json === "bigint") return isInt64(json) ? json : Number(json);
  return json === undefined ? null : (json as Value);
}
