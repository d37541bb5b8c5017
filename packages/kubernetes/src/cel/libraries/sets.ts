import { boolType, listType, parameterType } from "../cel-type.ts";
import { equal } from "../values/equality.ts";
import { elementAt, listSize } from "../values/lists.ts";
import type { Meter } from "../values/meter.ts";
import type { List, Value } from "../values/value.ts";
import { type FunctionDeclaration, free, type Library } from "./library.ts";

const list = listType(parameterType("T"));

// Elements are adapted as they are compared: the cost is that of the pairs, and there may be none.

function has(list: List, wanted: Value, meter: Meter): boolean {
  for (let index = 0; index < listSize(list); index += 1) {
    if (equal(elementAt(list, index), wanted, meter)) return true;
  }
  return false;
}

function contains(whole: List, part: List, meter: Meter): boolean {
  for (let index = 0; index < listSize(part); index += 1) {
    if (!has(whole, elementAt(part, index), meter)) return false;
  }
  return true;
}

function intersects(left: List, right: List, meter: Meter): boolean {
  if (listSize(right) === 0) return false;
  for (let index = 0; index < listSize(left); index += 1) {
    if (has(right, elementAt(left, index), meter)) return true;
  }
  return false;
}

/** Each element of one may be compared with each of the other. */
function pairsCost(left: List, right: List): number {
  return 1 + listSize(left) * listSize(right);
}

const functions: readonly FunctionDeclaration[] = [
  {
    name: "sets.contains",
    overloads: [free([list, list], boolType, contains, pairsCost)],
    summary: "Whether the first list contains every element of the second.",
    example: "sets.contains([1, 2, 3], [2, 1])",
  },
  {
    name: "sets.equivalent",
    overloads: [
      free(
        [list, list],
        boolType,
        (left, right, meter) => contains(left, right, meter) && contains(right, left, meter),
        (left, right) => 2 * pairsCost(left, right) - 1,
      ),
    ],
    summary: "Whether each list contains every element of the other.",
    example: "sets.equivalent([1, 1, 2], [2, 1])",
  },
  {
    name: "sets.intersects",
    overloads: [free([list, list], boolType, intersects, pairsCost)],
    summary: "Whether the lists have an element in common.",
    example: "sets.intersects([1, 2], [2, 3])",
  },
];

export const setsLibrary: Library = { name: "sets", functions, macros: [] };
