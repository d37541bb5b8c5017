/**
 * Whether parsing the text of a value gives an equal value: nothing is omitted, and every number keeps its type. True
 * for nearly all values that came from text.
 */
export function roundTrips(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return scalarRoundTrips(value);
  const open: object[] = [value];
  // Hot: every value of every stored object passes here, so there is no function call per value.
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) {
      // Not `every`, which skips holes; they are serialized as null.
      for (let at = 0; at < next.length; at += 1) {
        const item: unknown = next[at];
        if (typeof item === "string" || (Number.isSafeInteger(item) && item !== 0)) continue;
        if (typeof item === "object" && item !== null) open.push(item);
        else if (!scalarRoundTrips(item)) return false;
      }
      continue;
    }
    if (Object.getPrototypeOf(next) !== Object.prototype) return false;
    // The fastest iteration; with this prototype there are only own members.
    for (const key in next) {
      const member: unknown = (next as Record<string, unknown>)[key];
      if (typeof member === "string" || (Number.isSafeInteger(member) && member !== 0)) continue;
      if (typeof member === "object" && member !== null) open.push(member);
      else if (!scalarRoundTrips(member)) return false;
    }
  }
  return true;
}

/** The same for a scalar. */
function scalarRoundTrips(value: unknown): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return numberRoundTrips(value);
    case "bigint":
      return !Number.isSafeInteger(Number(value));
    default:
      return value === null; // undefined, functions and symbols are omitted
  }
}

/** From here on, integers are serialized with an exponent. */
const exponentFrom = 1e21;

/** Integers beyond 2^53 are parsed as bigints, minus zero is serialized as zero, and non-finite numbers as null. */
function numberRoundTrips(value: number): boolean {
  if (Number.isSafeInteger(value)) return !Object.is(value, -0);
  return Number.isFinite(value) && (!Number.isInteger(value) || Math.abs(value) >= exponentFrom);
}
