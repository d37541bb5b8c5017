import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonEquals,
  ownValue,
} from "../../../../protocol/json-value.ts";
import { nameItem } from "./list-items.ts";
import type { ListType, MapType, MergeType } from "./merge-type.ts";
import { memberType } from "./value-form.ts";

type Side = JsonValue | undefined;

/** Longer texts, and more items, are hardly seen again. */
const lengthMax = 2_048;
const itemsMax = 64;

/**
 * What a change looks like, as a text: which fields there are before and after that are not the very same values, and
 * which of them differ. Changes of the same type that look alike add, modify and remove the same fields. Undefined for
 * what is too odd to be put this way.
 */
export function changeShape(type: MergeType, before: JsonValue, after: JsonValue): string | undefined {
  const shape = new Shape();
  shape.visit(type, before, after);
  return shape.isOdd ? undefined : shape.text;
}

class Shape {
  text = "";
  isOdd = false;

  visit(type: MergeType, before: Side, after: Side): void {
    const kind = kindOf(after === undefined ? before : after);
    if (before !== undefined && after !== undefined && kindOf(before) !== kind) {
      this.isOdd = true;
      return;
    }
    this.text += `${kind}${before === undefined ? "+" : after === undefined ? "-" : ""}`;
    if (kind === "{") this.#visitMap(type.map, before as JsonObject | undefined, after as JsonObject | undefined);
    else if (kind === "[") this.#visitList(type.list, (before ?? []) as Items, (after ?? []) as Items);
    else if (type.scalar === undefined && kind !== "0") this.isOdd = true;
    else this.#leaf(before, after);
  }

  #leaf(before: Side, after: Side): void {
    if (before !== undefined && after !== undefined) this.text += jsonEquals(before, after) ? "=" : "!";
  }

  #visitMap(map: MapType | undefined, before: JsonObject | undefined, after: JsonObject | undefined): void {
    if (map === undefined) this.isOdd = true;
    else if (map.isAtomic) this.#leaf(before, after);
    else this.#visitMembers(map, before ?? none, after ?? none);
  }

  #visitMembers(map: MapType, before: JsonObject, after: JsonObject): void {
    for (const name of Object.keys(before)) this.#visitMember(map, name, before[name], ownValue(after, name));
    for (const name of Object.keys(after)) {
      if (!Object.hasOwn(before, name)) this.#visitMember(map, name, undefined, after[name]);
    }
    this.text += "}";
  }

  /** What is the same value on both sides adds nothing to a change, whatever it is. */
  #visitMember(map: MapType, name: string, before: Side, after: Side): void {
    if (before === after) return;
    const type = memberType(map, name);
    if (type === undefined || this.isOdd) return;
    this.#step(name);
    this.visit(type, before, after);
  }

  #visitList(list: ListType | undefined, before: Items, after: Items): void {
    if (list === undefined || (list.kind !== "atomic" && before.length + after.length > itemsMax)) this.isOdd = true;
    else if (list.kind === "atomic") this.#leaf(before, after);
    else this.#visitItems(list, this.#named(list, before), this.#named(list, after));
  }

  #visitItems(list: ListType, before: ReadonlyMap<string, JsonValue>, after: ReadonlyMap<string, JsonValue>): void {
    for (const [name, item] of before) this.#visitItem(list, name, item, after.get(name));
    for (const [name, item] of after) if (!before.has(name)) this.#visitItem(list, name, undefined, item);
    this.text += "]";
  }

  #visitItem(list: ListType, name: string, before: Side, after: Side): void {
    if (before === after) return;
    this.#step(name);
    if (!this.isOdd) this.visit(list.items, before, after);
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

  /** With its length before it, no name can be taken for anything else. */
  #step(name: string): void {
    this.text += `${name.length}:${name}`;
    if (this.text.length > lengthMax) this.isOdd = true;
  }
}

type Items = readonly JsonValue[];
const none: JsonObject = {};

function kindOf(value: Side): "{" | "[" | "0" | "." {
  if (value === null) return "0";
  if (Array.isArray(value)) return "[";
  return isJsonObject(value) ? "{" : ".";
}
