import { depthMax, isJsonObject, type JsonValue, sortedKeys } from "./json-value.ts";

/**
 * Serializes JSON, with bigints as integers. Values without a bigint, as nearly all, use the engine's serializer, which
 * throws on a bigint.
 */
export function writeJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return writeExact(value, 0) ?? "null";
  }
}

/** The same text for equal values with keys in any order, up to `depthMax`. */
export function canonicalJson(value: JsonValue): string {
  return writeJson(sortedKeys(value));
}

/** Undefined for values that JSON omits: undefined, functions and symbols. */
function writeExact(value: unknown, depth: number): string | undefined {
  if (depth > depthMax) throw new RangeError(`value nested deeper than ${depthMax} levels, or holding itself`);
  if (typeof value === "bigint") return value.toString();
  if (Array.isArray(value)) return `[${value.map((item) => writeExact(item, depth + 1) ?? "null").join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members: string[] = [];
  for (const [key, member] of Object.entries(value)) {
    const text = writeExact(member, depth + 1);
    if (text !== undefined) members.push(`${JSON.stringify(key)}:${text}`);
  }
  return `{${members.join(",")}}`;
}
