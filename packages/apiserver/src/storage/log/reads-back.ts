/**
 * Whether the text of a value, read again, is this very value: nothing is left out, and every number comes back as the
 * kind of number that it is. Said of nearly everything that came from a text.
 */
export function readsBack(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return isReadAsIs(value);
  const open: object[] = [value];
  // Hot: every value of every object that is stored comes by here, so there is no call for each of them.
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) {
      // Not `every`, which passes over the holes of an array; they are written as null.
      for (let at = 0; at < next.length; at += 1) {
        const item: unknown = next[at];
        if (typeof item === "string" || (Number.isSafeInteger(item) && item !== 0)) continue;
        if (typeof item === "object" && item !== null) open.push(item);
        else if (!isReadAsIs(item)) return false;
      }
      continue;
    }
    if (Object.getPrototypeOf(next) !== Object.prototype) return false;
    // The quickest way through an object; with this prototype, its own members are all there is.
    for (const key in next) {
      const member: unknown = (next as Record<string, unknown>)[key];
      if (typeof member === "string" || (Number.isSafeInteger(member) && member !== 0)) continue;
      if (typeof member === "object" && member !== null) open.push(member);
      else if (!isReadAsIs(member)) return false;
    }
  }
  return true;
}

/** The same for a value that holds no others. */
function isReadAsIs(value: unknown): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return isReadAsNumber(value);
    case "bigint":
      return !Number.isSafeInteger(Number(value));
    default:
      return value === null; // undefined, functions and symbols are left out
  }
}

/** From here on, the engine writes an integer with an exponent. */
const exponentFrom = 1e21;

/** Integers beyond 2^53 are read as bigints, minus zero is written as zero, and what is not finite as null. */
function isReadAsNumber(value: number): boolean {
  if (Number.isSafeInteger(value)) return !Object.is(value, -0);
  return Number.isFinite(value) && (!Number.isInteger(value) || Math.abs(value) >= exponentFrom);
}
