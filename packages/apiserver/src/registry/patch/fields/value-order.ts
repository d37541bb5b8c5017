import { isJsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";

/** By code point, which equals the order of UTF-8 bytes. */
export function compareFieldText(left: string, right: string): number {
  if (left === right) return 0;
  const length = Math.min(left.length, right.length);
  let at = 0;
  while (at < length && left.charCodeAt(at) === right.charCodeAt(at)) at += 1;
  if (at === length) return left.length - right.length;
  return rank(left.charCodeAt(at)) - rank(right.charCodeAt(at));
}

/** Surrogates stand for code points above all others. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** Numbers before strings before booleans before lists before objects before null. */
export function compareFieldValues(left: JsonValue, right: JsonValue): number {
  const byType = typeRank(left) - typeRank(right);
  if (byType !== 0 || left === null || right === null) return byType;
  if (typeof left === "string") return compareFieldText(left, right as string);
  if (Array.isArray(left)) return compareLists(left, right as readonly JsonValue[]);
  if (isJsonObject(left)) return compareLists(sortedPairs(left), sortedPairs(right));
  return left < right ? -1 : left > right ? 1 : 0;
}

function typeRank(value: JsonValue): number {
  if (typeof value === "number" || typeof value === "bigint") return 0;
  if (typeof value === "string") return 1;
  if (typeof value === "boolean") return 2;
  if (Array.isArray(value)) return 3;
  return value === null ? 5 : 4;
}

function compareLists(left: readonly JsonValue[], right: readonly JsonValue[]): number {
  for (const [at, item] of left.entries()) {
    if (at >= right.length) return 1;
    const order = compareFieldValues(item, right[at] as JsonValue);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function sortedPairs(value: JsonValue): readonly JsonValue[] {
  return Object.entries(value as object)
    .sort(([left], [right]) => compareFieldText(left, right))
    .flat() as JsonValue[];
}
