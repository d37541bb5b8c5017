// Costs of calls, in the units and proportions of Kubernetes. Lengths are UTF-16 units: counting code points would
// itself take linear time. One unit is at most about a microsecond of work.

import { elementAt, listSize } from "../values/lists.ts";
import { mapSize } from "../values/maps.ts";
import { isList, isMapping, type List, type Value } from "../values/value.ts";

/** A call with constant cost. */
export function callCost(): number {
  return 1;
}

/** A call that reads a text superficially: one unit, unless the text is long. */
export function readingCost(value: Value): number {
  return 1 + Math.floor(textLengthOf(value) / 100);
}

/** One pass over a text. */
export function textCost(text: string | Uint8Array): number {
  return tenth(text.length);
}

/** One pass over a text, with a result of similar length. */
export function rewriteCost(text: string): number {
  return tenth(2 * text.length);
}

/** Substring search: in the worst case each character is compared with each other one. */
export function searchCost(text: string, part: string): number {
  return textCost(text) * Math.max(1, textCost(part));
}

/** Parsing, where every character may add a step. */
export function parsingCost(value: Value): number {
  return beyondTen(textLengthOf(value));
}

/** Size: known for lists and maps, but not for strings and JSON objects. */
export function sizeCost(value: Value): number {
  return isMapping(value) ? beyondTen(mapSize(value)) : readingCost(value);
}

/** Ordering of two values: strings up to the end of the shorter. */
export function orderingCost(left: Value, right: Value): number {
  const bothText = isText(left) && isText(right);
  return bothText ? tenth(Math.min(left.length, right.length)) : 1;
}

/** Copies both operands into a new value. */
export function additionCost(left: Value, right: Value): number {
  if (typeof left === "bigint" || typeof left === "number") return 1;
  if (isText(left) && isText(right)) return tenth(left.length + right.length);
  return isList(left) && isList(right) ? beyondTen(listSize(left) + listSize(right)) : 1;
}

/** Visits each element once. */
export function listCost(list: List): number {
  let cost = 0;
  for (let index = 0; index < listSize(list); index += 1) {
    const element = elementAt(list, index);
    cost += isText(element) ? textCost(element) : 1;
  }
  return cost;
}

function isText(value: Value): value is string | Uint8Array {
  return typeof value === "string" || value instanceof Uint8Array;
}

function textLengthOf(value: Value): number {
  return isText(value) ? value.length : 0;
}

/** Work per element where Kubernetes charges one unit: ten are free. */
function beyondTen(count: number): number {
  return Math.max(1, count - 10);
}

export function tenth(count: number): number {
  return Math.ceil(count / 10);
}
