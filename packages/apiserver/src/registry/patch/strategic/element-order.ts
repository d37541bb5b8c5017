import { isJsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { printed } from "../go-format.ts";
import { failureWithoutReasonError } from "../patch-errors.ts";
import { badArgument, directiveOf } from "./directives.ts";

type List = readonly JsonValue[];

/** The identity of an item: the value of its merge key, or the primitive itself. */
export function identityOf(item: JsonValue, mergeKey: string): JsonValue {
  if (mergeKey === "") return item;
  if (!isJsonObject(item)) throw badArgument("map", item);
  const identity = ownValue(item, mergeKey);
  if (identity === undefined) {
    throw failureWithoutReasonError(`map: ${printed(item)} does not contain declared merge key: ${mergeKey}`);
  }
  return identity;
}

/** Orders a merged list: items in `order` by that order, the others in their `live` order, interleaved as they were. */
export function applyElementOrder(merged: List, order: List, live: List, mergeKey: string): List {
  const wanted = positions(order, mergeKey);
  const before = positions(live, mergeKey);
  const at = (indexes: ReadonlyMap<JsonValue, number>, item: JsonValue): number =>
    indexes.get(identityOf(item, mergeKey)) ?? -1;
  const named = merged.filter((item) => at(wanted, item) >= 0).sort((a, b) => at(wanted, a) - at(wanted, b));
  const others = merged.filter((item) => at(wanted, item) < 0).sort((a, b) => at(before, a) - at(before, b));
  return interleaved(others, named, (item) => at(before, item));
}

/** Each of `others` goes before the first of `named` that was behind it. */
function interleaved(others: List, named: List, before: (item: JsonValue) => number): List {
  const all: JsonValue[] = [];
  let next = 0;
  for (const item of named) {
    const position = before(item);
    while (next < others.length && position >= 0) {
      const other = before(others[next] as JsonValue);
      if (other < 0 || other >= position) break;
      all.push(others[next] as JsonValue);
      next += 1;
    }
    all.push(item);
  }
  return [...all, ...others.slice(next)];
}

/** The first index of each identity. */
function positions(list: List, mergeKey: string): ReadonlyMap<JsonValue, number> {
  const indexes = new Map<JsonValue, number>();
  for (const [index, item] of list.entries()) {
    const identity = identityOf(item, mergeKey);
    if (!indexes.has(identity)) indexes.set(identity, index);
  }
  return indexes;
}

/** The items of a patch must be in the order of `$setElementOrder`. */
export function checkOrder(patch: List, order: List, mergeKey: string): void {
  if (patch.length === 0 || order.length === 0) return;
  const items = mergeKey === "" ? patch : patch.filter((item) => !isDeletion(item));
  let matched = 0;
  let at = 0;
  while (matched < items.length && at < order.length) {
    const item = items[matched] as JsonValue;
    if (directiveOf(item) !== undefined || sameItem(item, order[at] as JsonValue, mergeKey)) matched += 1;
    if (directiveOf(item) === undefined) at += 1;
  }
  if (matched === items.length) return;
  const lists = `${printed(patch)}\n doesn't match $setElementOrder list:\n${printed(order)}\n`;
  throw failureWithoutReasonError(`The order in patch list:\n${lists}`);
}

function isDeletion(item: JsonValue): boolean {
  if (!isJsonObject(item)) throw badArgument("map", item);
  return directiveOf(item) === "delete";
}

function sameItem(left: JsonValue, right: JsonValue, mergeKey: string): boolean {
  return identityOf(left, mergeKey) === identityOf(right, mergeKey);
}
