import { elementAt, listSize } from "./lists.ts";
import { mapGet, mapKeys, mapSize } from "./maps.ts";
import { checkDepth, type Meter } from "./meter.ts";
import { asNumber, compareNumbers } from "./numbers/numbers.ts";
import { Opaque } from "./opaque.ts";
import {
  Duration,
  isJsonList,
  isList,
  isMapping,
  type List,
  type Mapping,
  Optional,
  Timestamp,
  TypeName,
  type Value,
} from "./value.ts";

/**
 * Values of different types are unequal, except that numbers are compared by value.
 *
 * The caller has charged one unit for the pair. Further cost is charged here, as it arises: another unit for every ten
 * characters or elements, and one for every entry of a map beyond the tenth, on either side.
 */
export function equal(left: Value, right: Value, meter: Meter): boolean {
  return equalAt(left, right, meter, 0);
}

function equalAt(left: Value, right: Value, meter: Meter, depth: number): boolean {
  if (typeof left === "string") return typeof right === "string" && equalTexts(left, right, meter);
  const number = asNumber(left);
  if (number !== undefined) {
    const other = asNumber(right);
    return other !== undefined && compareNumbers(number, other) === 0;
  }
  if (typeof left !== "object" || left === null) return left === right;
  if (isList(left)) return isList(right) && equalLists(left, right, meter, depth);
  if (isMapping(left)) return isMapping(right) && equalMaps(left, right, meter, depth);
  if (left instanceof Optional) return right instanceof Optional && equalOptionals(left, right, meter, depth);
  if (left instanceof Uint8Array) return right instanceof Uint8Array && equalBytes(left, right, meter);
  if (left instanceof Opaque) return right instanceof Opaque && equalOpaques(left, right, meter);
  return equalScalars(left, right);
}

function equalScalars(left: Value, right: Value): boolean {
  if (left instanceof Timestamp) return right instanceof Timestamp && left.nanos === right.nanos;
  if (left instanceof Duration) return right instanceof Duration && left.nanos === right.nanos;
  return left instanceof TypeName && right instanceof TypeName && left.name === right.name;
}

function equalOpaques(left: Opaque, right: Opaque, meter: Meter): boolean {
  spendBeyondTen(Math.min(left.size, right.size), meter);
  return left.typeName === right.typeName && left.equals(right);
}

function equalTexts(left: string, right: string, meter: Meter): boolean {
  spendBeyondTen(Math.min(left.length, right.length), meter);
  return left === right;
}

function equalBytes(left: Uint8Array, right: Uint8Array, meter: Meter): boolean {
  spendBeyondTen(Math.min(left.length, right.length), meter);
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}

function equalLists(left: List, right: List, meter: Meter, depth: number): boolean {
  checkDepth(depth);
  const size = listSize(left);
  spendBeyondTen(Math.min(size, listSize(right)), meter);
  if (size !== listSize(right)) return false;
  for (let index = 0; index < size; index += 1) {
    if (isSameScalar(left, right, index)) continue;
    if (!equalInside(elementAt(left, index), elementAt(right, index), meter, depth + 1)) return false;
  }
  return true;
}

/** Compares most elements of JSON without converting them. */
function isSameScalar(left: List, right: List, index: number): boolean {
  if (!isJsonList(left) || !isJsonList(right)) return false;
  const element = left[index];
  return element === right[index] && (typeof element === "number" || typeof element === "boolean");
}

function equalMaps(left: Mapping, right: Mapping, meter: Meter, depth: number): boolean {
  checkDepth(depth);
  const keys = mapKeys(left);
  const size = mapSize(right);
  // Counting takes time, also where the counts differ.
  meter.spend(Math.max(0, keys.length - 10) + Math.max(0, size - 10));
  if (keys.length !== size) return false;
  for (const key of keys) {
    const [one, two] = [mapGet(left, key), mapGet(right, key)];
    if (one === undefined || two === undefined || !equalInside(one, two, meter, depth + 1)) return false;
  }
  return true;
}

function equalOptionals(left: Optional, right: Optional, meter: Meter, depth: number): boolean {
  if (left.value === undefined || right.value === undefined) return left.value === right.value;
  return equalInside(left.value, right.value, meter, depth + 1);
}

/** Scalars inside a list or map are charged with it; nested values are charged separately. */
function equalInside(left: Value, right: Value, meter: Meter, depth: number): boolean {
  if (typeof left === "object" && left !== null) meter.spend(2);
  return equalAt(left, right, meter, depth);
}

function spendBeyondTen(count: number, meter: Meter): void {
  if (count > 10) meter.spend(Math.ceil(count / 10) - 1);
}
