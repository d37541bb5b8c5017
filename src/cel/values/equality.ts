import { elementAt, listSize } from "./lists.ts";
import { mapGet, mapKeys, mapSize } from "./maps.ts";
import { type Meter, refuseDepth } from "./meter.ts";
import { asNumber, compareNumbers } from "./numbers.ts";
import { Quantity, sameQuantity } from "./quantity.ts";
import {
  Duration,
  isList,
  isMapping,
  type List,
  type Mapping,
  Optional,
  Timestamp,
  TypeName,
  type Value,
} from "./value.ts";

/** Values of different types are unequal, except that numbers are compared by what they count. */
export function equal(left: Value, right: Value, meter: Meter): boolean {
  return equalAt(left, right, meter, 0);
}

function equalAt(left: Value, right: Value, meter: Meter, depth: number): boolean {
  if (typeof left === "string" || typeof right === "string") {
    if (depth > 0 && typeof left === "string") meter.spend(Math.floor(left.length / 10));
    return left === right;
  }
  const number = asNumber(left);
  if (number !== undefined) {
    const other = asNumber(right);
    return other !== undefined && compareNumbers(number, other) === 0;
  }
  if (typeof left !== "object" || left === null) return left === right;
  if (isList(left)) return isList(right) && equalLists(left, right, meter, depth);
  if (isMapping(left)) return isMapping(right) && equalMaps(left, right, meter, depth);
  if (left instanceof Optional) return right instanceof Optional && equalOptionals(left, right, meter, depth);
  return equalScalars(left, right);
}

function equalScalars(left: Value, right: Value): boolean {
  if (left instanceof Uint8Array) return right instanceof Uint8Array && equalBytes(left, right);
  if (left instanceof Timestamp) return right instanceof Timestamp && left.nanos === right.nanos;
  if (left instanceof Duration) return right instanceof Duration && left.nanos === right.nanos;
  if (left instanceof TypeName) return right instanceof TypeName && left.name === right.name;
  return left instanceof Quantity && right instanceof Quantity && sameQuantity(left, right);
}

function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}

function equalLists(left: List, right: List, meter: Meter, depth: number): boolean {
  const size = listSize(left);
  if (size !== listSize(right)) return false;
  enter(Math.ceil(size / 10), meter, depth);
  for (let index = 0; index < size; index += 1) {
    if (!equalAt(elementAt(left, index), elementAt(right, index), meter, depth + 1)) return false;
  }
  return true;
}

function equalMaps(left: Mapping, right: Mapping, meter: Meter, depth: number): boolean {
  const keys = mapKeys(left);
  if (keys.length !== mapSize(right)) return false;
  enter(keys.length, meter, depth);
  for (const key of keys) {
    const [one, two] = [mapGet(left, key), mapGet(right, key)];
    if (one === undefined || two === undefined || !equalAt(one, two, meter, depth + 1)) return false;
  }
  return true;
}

function equalOptionals(left: Optional, right: Optional, meter: Meter, depth: number): boolean {
  if (left.value === undefined || right.value === undefined) return left.value === right.value;
  return equalAt(left.value, right.value, meter, depth + 1);
}

/** The outermost level is paid for by the operator; inner ones are paid for as they are reached. */
function enter(cost: number, meter: Meter, depth: number): void {
  refuseDepth(depth);
  if (depth > 0) meter.spend(cost);
}
