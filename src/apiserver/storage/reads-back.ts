/**
 * Whether the text of a value, read again, is this very value: nothing is left out, and every number comes back as the
 * kind of number that it is. Said of nearly everything that came from a text.
 */
export function readsBack(value: unknown): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return isReadAsNumber(value);
    case "bigint":
      return !Number.isSafeInteger(Number(value));
    case "object":
      return value === null || (Array.isArray(value) ? itemsReadBack(value) : membersReadBack(value));
    default:
      return false; // undefined, functions and symbols are left out
  }
}

/** Not `every`, which passes over the holes of an array; they are written as null. */
function itemsReadBack(items: readonly unknown[]): boolean {
  for (let at = 0; at < items.length; at += 1) if (!readsBack(items[at])) return false;
  return true;
}

function membersReadBack(object: object): boolean {
  if (Object.getPrototypeOf(object) !== Object.prototype) return false;
  // The quickest way through an object; with this prototype, its own members are all there is.
  for (const key in object) if (!readsBack((object as Record<string, unknown>)[key])) return false;
  return true;
}

/** From here on, the engine writes an integer with an exponent. */
const exponentFrom = 1e21;

/** Integers beyond 2^53 are read as bigints, minus zero is written as zero, and what is not finite as null. */
function isReadAsNumber(value: number): boolean {
  if (Number.isSafeInteger(value)) return !Object.is(value, -0);
  return Number.isFinite(value) && (!Number.isInteger(value) || Math.abs(value) >= exponentFrom);
}
