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

/** Longer names and lists hardly repeat. */
const lengthMax = 2_048;
const itemsMax = 64;
const fewItems = 8;

/** Length that a step adds besides its name. */
const stepLength = 4;

/** Members to exclude, here and below. */
export interface ExcludedFields {
  has(name: string): boolean;
  below(name: string): ExcludedFields;
}

export const nothingExcluded: ExcludedFields = { has: () => false, below: () => nothingExcluded };

/**
 * The shape of a change: which fields before and after are not identical, and which of them differ. Changes of the same
 * type and shape lead to the same node of the tree, and add, modify and remove the same fields. Undefined for changes
 * that cannot be described this way.
 */
export function changeShape<Found>(
  from: Shape<Found>,
  type: MergeType,
  { before, after }: { readonly before: JsonObject; readonly after: JsonObject },
  leftOut: ExcludedFields = nothingExcluded,
): Shape<Found> | undefined {
  if (type.map === undefined) return undefined;
  const walk = new Walk(from, leftOut);
  walk.visitObject(type.map, before, after);
  return walk.isUnsupported ? undefined : walk.at;
}

class Walk<Found> {
  at: Shape<Found>;
  isUnsupported = false;
  #length = 0;
  #excluded: ExcludedFields;

  constructor(from: Shape<Found>, leftOut: ExcludedFields) {
    this.at = from;
    this.#excluded = leftOut;
  }

  visitObject(map: MapType, before: JsonObject, after: JsonObject): void {
    if (map.isAtomic) this.isUnsupported = true;
    else this.#visitMembers(map, before, after);
  }

  #visit(type: MergeType, before: Side, after: Side): void {
    const kind = kindOf(after === undefined ? (before as JsonValue) : after);
    if (before !== undefined && after !== undefined && kindOf(before) !== kind) {
      this.isUnsupported = true;
      return;
    }
    this.#kind(kind, before, after);
    if (kind === "map") this.#visitMap(type.map, before as MapSide, after as MapSide);
    else if (kind === "list") this.#visitList(type.list, before as Items | undefined, after as Items | undefined);
    else if (type.scalar === undefined && kind !== "null") this.isUnsupported = true;
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
    if (map === undefined) this.isUnsupported = true;
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

  /** Identical values do not contribute to a change and are skipped. */
  #visitMember(map: MapType, name: string, before: Side, after: Side): void {
    const leftOut = this.#excluded;
    const type = memberType(map, name);
    if (this.isUnsupported || leftOut.has(name)) return;
    this.#step(name);
    if (type === undefined) {
      this.at = this.at.step("unknown");
      return;
    }
    this.#excluded = leftOut.below(name);
    this.#visit(type, before, after);
    this.#excluded = leftOut;
  }

  #visitList(list: ListType | undefined, before: Items | undefined, after: Items | undefined): void {
    if (list === undefined) this.isUnsupported = true;
    else if (list.kind === "atomic") this.#leaf(before, after);
    else this.#visitItems(list, before ?? noItems, after ?? noItems);
  }

  #visitItems(list: ListType, before: Items, after: Items): void {
    const count = before.length + after.length;
    if (count > itemsMax) this.isUnsupported = true;
    else if (count <= fewItems && haveStringKeys(list, before) && haveStringKeys(list, after))
      this.#visitKeyed(list, before as readonly JsonObject[], after as readonly JsonObject[]);
    else this.#visitNamed(list, this.#named(list, before), this.#named(list, after));
    this.at = this.at.end();
  }

  /** For few items a linear search is fastest. */
  #visitKeyed(list: ListType, before: readonly JsonObject[], after: readonly JsonObject[]): void {
    if (hasDuplicates(list.keys, before) || hasDuplicates(list.keys, after)) this.isUnsupported = true;
    this.at = this.at.step("keyed");
    for (const item of before) this.#visitItem(list, item, item, sameIn(after, item, list.keys));
    for (const item of after) {
      if (sameIn(before, item, list.keys) === undefined) this.#visitItem(list, item, undefined, item);
    }
  }

  #visitItem(list: ListType, item: JsonObject, before: Side, after: Side): void {
    if (before === after) return;
    for (const key of list.keys) this.#step(item[key] as string);
    if (!this.isUnsupported) this.#visit(list.items, before, after);
  }

  #visitNamed(list: ListType, before: ReadonlyMap<string, JsonValue>, after: ReadonlyMap<string, JsonValue>): void {
    this.at = this.at.step("named");
    for (const [name, item] of before) this.#visitNamedItem(list, name, item, after.get(name));
    for (const [name, item] of after) if (!before.has(name)) this.#visitNamedItem(list, name, undefined, item);
  }

  #visitNamedItem(list: ListType, name: string, before: Side, after: Side): void {
    if (before === after) return;
    this.#step(name);
    if (!this.isUnsupported) this.#visit(list.items, before, after);
  }

  /** Items by name; undefined-shape if items have no name or share one. */
  #named(list: ListType, items: Items): ReadonlyMap<string, JsonValue> {
    const named = new Map<string, JsonValue>();
    for (const item of items) {
      const name = nameItem(list, item);
      if (!name.ok || named.has(name.element.text)) this.isUnsupported = true;
      else named.set(name.element.text, item);
    }
    return named;
  }

  #step(name: string): void {
    this.#length += name.length + stepLength;
    if (this.#length > lengthMax) this.isUnsupported = true;
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

/** Whether all items have all keys, as strings. */
function haveStringKeys({ kind, keys }: ListType, items: Items): boolean {
  if (kind !== "map" || keys.length === 0) return false;
  for (const item of items) {
    if (!isJsonObject(item)) return false;
    for (const key of keys) if (typeof ownValue(item, key) !== "string") return false;
  }
  return true;
}

function hasDuplicates(keys: readonly string[], items: readonly JsonObject[]): boolean {
  if (items.length < 2) return false;
  return items.some((item, at) => items.findIndex((other) => isSame(other, item, keys)) !== at);
}

/** The first item with the same keys. */
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
