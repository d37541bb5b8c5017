// What calls cost, in the units and proportions of Kubernetes. Lengths are UTF-16 units: counting code points would
// itself take time in proportion.

import { elementAt, elementsOf, listSize } from "../values/lists.ts";
import { mapEntries, mapSize } from "../values/maps.ts";
import { depthMax } from "../values/meter.ts";
import { isList, isMapping, type List, Optional, type Value } from "../values/value.ts";

/** A call that looks at no more than a fixed part of its arguments. */
export function callCost(): number {
  return 1;
}

/** An ordinary call on text: one, unless the text is long. */
export function readingCost(...args: readonly unknown[]): number {
  let length = 0;
  for (const argument of args) {
    if (typeof argument === "string" || argument instanceof Uint8Array) length += argument.length;
  }
  return 1 + Math.floor(length / 100);
}

/** One pass over a text. */
export function textCost(text: string | Uint8Array): number {
  return tenth(text.length);
}

/** One pass over a text, and a new one of the same order. */
export function rewriteCost(text: string): number {
  return tenth(2 * text.length);
}

/** Counting: the number of elements is at hand, that of characters or of the keys of a JSON object is not. */
export function sizeCost(value: Value): number {
  if (isList(value)) return 1;
  return isMapping(value) ? beyondTen(mapSize(value)) : readingCost(value);
}

/** Comparing two values, up to the end of the shorter; each entry of a map has to be looked up. */
export function comparisonCost(left: Value, right: Value): number {
  if (isScalar(left) || isScalar(right)) return 1;
  const size = Math.min(extent(left), extent(right));
  return isMapping(left) ? beyondTen(size) : tenth(size);
}

/** Copying both operands into a new value. */
export function additionCost(left: Value, right: Value): number {
  if (isScalar(left)) return 1;
  if (typeof left === "string" || left instanceof Uint8Array) return tenth(extent(left) + extent(right));
  return isList(left) ? beyondTen(extent(left) + extent(right)) : 1;
}

/** The common case, told apart without looking at prototypes. */
function isScalar(value: Value): boolean {
  return typeof value === "bigint" || typeof value === "number" || typeof value === "boolean" || value === null;
}

/** Visiting each element once. */
export function listCost(list: List): number {
  let cost = 0;
  for (let index = 0; index < listSize(list); index += 1) {
    const element = elementAt(list, index);
    cost += typeof element === "string" || element instanceof Uint8Array ? textCost(element) : 1;
  }
  return cost;
}

/** Writing out a value, over and above what a short one takes. */
export function displayCost(value: Value): number {
  return Math.floor(displayLength(value, 0) / 10);
}

function displayLength(value: Value, depth: number): number {
  if (depth > depthMax) return 0;
  if (typeof value === "string" || value instanceof Uint8Array) return value.length;
  if (isList(value)) return elementsOf(value).reduce<number>((sum, item) => sum + displayLength(item, depth + 1), 0);
  if (!isMapping(value)) return 1;
  return mapEntries(value).reduce((sum, entry) => {
    return sum + displayLength(entry.key, depth + 1) + displayLength(entry.value, depth + 1);
  }, 0);
}

/** How many elements, entries or characters; one for everything else. */
function extent(value: Value): number {
  if (typeof value === "string" || value instanceof Uint8Array) return value.length;
  if (isList(value)) return listSize(value);
  if (isMapping(value)) return mapSize(value);
  return value instanceof Optional && value.value !== undefined ? extent(value.value) : 1;
}

/** Work on each of some elements where Kubernetes asks for one unit: up to ten are free, more are not. */
function beyondTen(count: number): number {
  return Math.max(1, count - 10);
}

export function tenth(count: number): number {
  return Math.ceil(count / 10);
}
