import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonEquals,
  ownValue,
} from "@milo-quota/kubernetes/protocol/json-value.ts";
import { nameItem } from "./list-items.ts";
import type { ListType, MapType, MergeType } from "./merge-type.ts";
import type { Shape } from "./shape-tree.ts";
import { memberType } from "./type-variant.ts";

type Side = JsonValue | undefined;

/** Longer names, and more items, are hardly seen again. */
const lengthMax = 2_048;
const itemsMax = 64;
const fewItems = 8;

/** What a step takes beside the length of its name. */
const stepLength = 4;

/** Members that do not count, here and below. */
export interface LeftOut {
  has(name: string): boolean;
  below(name: string): LeftOut;
}

export const nothingLeftOut: LeftOut = { has: () => false, below: () => nothingLeftOut };

/**
 * What a change looks like: which fields there are before and after that are not the very same values, and which of them
 * differ. Changes of the same type that look alike come to the same place in a tree of shapes, and add, modify and
 * remove the same fields. Undefined for what is too odd to be put this way.
 */
export function changeShape<Found>(
  from: Shape<Found>,
  type: MergeType,
  { before, after }: { readonly before: JsonObject; readonly after: JsonObject },
  leftOut: LeftOut = nothingLeftOut,
): Shape<Found> | undefined {
  if (type.map === undefined) return undefined;
  const walk = new Walk(from, leftOut);
  walk.visitObject(type.map, before, after);
  return walk.isOdd ? undefined : walk.at;
}

class Walk<Found> {
  at: Shape<Found>;
  isOdd = false;
  #length = 0;
  #leftOut: LeftOut;

  constructor(from: Shape<Found>, leftOut: LeftOut) {
    this.at = from;
    this.#leftOut = leftOut;
  }

  visitObject(map: MapType, before: JsonObject, after: JsonObject): void {
    if (map.isAtomic) this.isOdd = true;
    else this.#visitMembers(map, before, after);
  }

  #visit(type: MergeType, before: Side, after: Side): void {
    const kind = kindOf(after === undefined ? (before as JsonValue) : after);
    if (before !== undefined && after !== undefined && kindOf(before) !== kind) {
      this.isOdd = true;
      return;
    }
    this.#kind(kind, before, after);
    if (kind === "map") this.#visitMap(type.map, before as MapSide, after as MapSide);
    else if (kind === "list") this.#visitList(type.list, before as Items | undefined, after as Items | undefined);
    else if (type.scalar === undefined && kind !== "null") this.isOdd = true;
    else this.#leaf(before, after);
  }

  #kind(kind: Kind, before: Side, after: Side): void {
    const steps = before === undefined ? added : after === undefined ? removed : both;
    this.at = this.at.step(steps[kind]);
  }

  #leaf(before: Side, after: Side): void {
    if (before !== undefined && after !== undefined) this.at = this.at.step(jsonEquals(before, after) ? "=" : "!");
  }

  #visitMap(map: MapType | undefined, before: MapSide, after: MapSide): void {
    if (map === undefined) this.isOdd = true;
    else if (map.isAtomic) this.#leaf(before, after);
    else this.#visitMembers(map, before ?? none, after ?? none);
  }

  #visitMembers(map: MapType, before: JsonObject, after: JsonObject): void {
    for (const name of Object.keys(before)) {
      const other = ownValue(after, name);
      if (before[name] !== other) this.#visitMember(map, name, before[name], other);
    }
    for (const name of Object.keys(after)) {
      if (!Object.hasOwn(before, name)) this.#visitMember(map, name, undefined, after[name]);
    }
    this.at = this.at.end();
  }

  /** What is the same value on both sides adds nothing to a change, whatever it is, and is not asked for. */
  #visitMember(map: MapType, name: string, before: Side, after: Side): void {
    const leftOut = this.#leftOut;
    const type = memberType(map, name);
    if (this.isOdd || leftOut.has(name)) return;
    this.#step(name);
    if (type === undefined) {
      this.at = this.at.step("unknown");
      return;
    }
    this.#leftOut = leftOut.below(name);
    this.#visit(type, before, after);
    this.#leftOut = leftOut;
  }

  #visitList(list: ListType | undefined, before: Items | undefined, after: Items | undefined): void {
    if (list === undefined) this.isOdd = true;
    else if (list.kind === "atomic") this.#leaf(before, after);
    else this.#visitItems(list, before ?? noItems, after ?? noItems);
  }

  #visitItems(list: ListType, before: Items, after: Items): void {
    const count = before.length + after.length;
    if (count > itemsMax) this.isOdd = true;
    else if (count <= fewItems && areKnownByTexts(list, before) && areKnownByTexts(list, after))
      this.#visitKeyed(list, before as readonly JsonObject[], after as readonly JsonObject[]);
    else this.#visitNamed(list, this.#named(list, before), this.#named(list, after));
    this.at = this.at.end();
  }

  /** Few items are found soonest by looking at each of them. */
  #visitKeyed(list: ListType, before: readonly JsonObject[], after: readonly JsonObject[]): void {
    if (isRepeating(list.keys, before) || isRepeating(list.keys, after)) this.isOdd = true;
    this.at = this.at.step("keyed");
    for (const item of before) this.#visitItem(list, item, item, sameIn(after, item, list.keys));
    for (const item of after) {
      if (sameIn(before, item, list.keys) === undefined) this.#visitItem(list, item, undefined, item);
    }
  }

  #visitItem(list: ListType, item: JsonObject, before: Side, after: Side): void {
    if (before === after) return;
    for (const key of list.keys) this.#step(item[key] as string);
    if (!this.isOdd) this.#visit(list.items, before, after);
  }

  #visitNamed(list: ListType, before: ReadonlyMap<string, JsonValue>, after: ReadonlyMap<string, JsonValue>): void {
    this.at = this.at.step("named");
    for (const [name, item] of before) this.#visitNamedItem(list, name, item, after.get(name));
    for (const [name, item] of after) if (!before.has(name)) this.#visitNamedItem(list, name, undefined, item);
  }

  #visitNamedItem(list: ListType, name: string, before: Side, after: Side): void {
    if (before === after) return;
    this.#step(name);
    if (!this.isOdd) this.#visit(list.items, before, after);
  }

  /** Items by name; items without a name, or with the same, are odd. */
  #named(list: ListType, items: Items): ReadonlyMap<string, JsonValue> {
    const named = new Map<string, JsonValue>();
    for (const item of items) {
      const name = nameItem(list, item);
      if (!name.ok || named.has(name.element.text)) this.isOdd = true;
      else named.set(name.element.text, item);
    }
    return named;
  }

  #step(name: string): void {
    this.#length += name.length + stepLength;
    if (this.#length > lengthMax) this.isOdd = true;
    else this.at = this.at.step(name);
  }
}

type Items = readonly JsonValue[];
type MapSide = JsonObject | undefined;
type Kind = "map" | "list" | "null" | "scalar";
const none: JsonObject = {};
const noItems: Items = [];

const both: Readonly<Record<Kind, string>> = { map: "{", list: "[", null: "0", scalar: "." };
const added: Readonly<Record<Kind, string>> = { map: "{+", list: "[+", null: "0+", scalar: ".+" };
const removed: Readonly<Record<Kind, string>> = { map: "{-", list: "[-", null: "0-", scalar: ".-" };

/** Whether all items have all their keys, as texts. */
function areKnownByTexts({ kind, keys }: ListType, items: Items): boolean {
  if (kind !== "map" || keys.length === 0) return false;
  for (const item of items) {
    if (!isJsonObject(item)) return false;
    for (const key of keys) if (typeof ownValue(item, key) !== "string") return false;
  }
  return true;
}

function isRepeating(keys: readonly string[], items: readonly JsonObject[]): boolean {
  if (items.length < 2) return false;
  return items.some((item, at) => items.findIndex((other) => isSame(other, item, keys)) !== at);
}

/** The first item that is known by the same texts. */
function sameIn(items: readonly JsonObject[], item: JsonObject, keys: readonly string[]): JsonObject | undefined {
  for (const other of items) if (isSame(other, item, keys)) return other;
  return undefined;
}

function isSame(one: JsonObject, other: JsonObject, keys: readonly string[]): boolean {
  for (const key of keys) if (one[key] !== other[key]) return false;
  return true;
}

function kindOf(value: JsonValue): Kind {
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  return isJsonObject(value) ? "map" : "scalar";
}
