import { depthMax, isJsonObject, type JsonValue, sortedKeys } from "./json-value.ts";

/**
 * Writes JSON text in which bigints are integers. Values without a bigint, which is nearly all of them, take the
 * engine's own writer; it throws on the first bigint it meets.
 */
export function writeJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return writeExact(value, 0) ?? "null";
  }
}

/** A text that is the same for equal values and no others, keys in whatever order; what lies beyond `depthMax` aside. */
export function identityText(value: JsonValue): string {
  return writeJson(sortedKeys(value));
}

/** Undefined for what JSON leaves out of objects: undefined, functions and symbols. */
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
