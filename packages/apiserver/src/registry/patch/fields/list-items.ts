import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownValue,
  setOwn,
} from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ListType } from "./merge-type.ts";
import { keyElement, type PathElement, textKeyElement, valueElement } from "./path-element.ts";

/** The path element of an item of a set or map list, or why there is none. */
export type ItemName =
  | { readonly ok: true; readonly element: PathElement }
  | { readonly ok: false; readonly fault: string };

export function nameItem(list: ListType, item: JsonValue): ItemName {
  return list.kind === "map" ? nameByKeys(list, item) : nameByValue(item);
}

function nameByValue(item: JsonValue): ItemName {
  if (isJsonObject(item)) return fault("associative list without keys has an element that's a map type");
  if (Array.isArray(item)) return fault("not supported: associative list with lists as elements");
  if (item === null) return fault("associative list without keys has an element that's an explicit null");
  return { ok: true, element: valueElement(item) };
}

/** A missing key field has its default; without a default it is not part of the name. */
function nameByKeys(list: ListType, item: JsonValue): ItemName {
  if (item === null) return fault("associative list with keys may not have a null element");
  if (!isJsonObject(item)) return fault("associative list with keys may not have non-map elements");
  const [only = ""] = list.keys;
  const text = list.keys.length === 1 ? ownValue(item, only) : undefined;
  if (typeof text === "string") return { ok: true, element: textKeyElement(only, text) };
  const key: Record<string, JsonValue> = {};
  for (const name of list.keys) {
    const value = ownValue(item, name) ?? keyDefault(list, item, name);
    if (value !== undefined) setOwn(key, name, value);
  }
  if (Object.keys(key).length > 0) return { ok: true, element: keyElement(key) };
  const keys = `[${list.keys.map(quote).join(" ")}]`;
  const defaults = "(and doesn't have default values for any key fields)";
  return fault(`associative list with keys has an element that omits all key fields ${keys} ${defaults}`);
}

function keyDefault(list: ListType, item: JsonObject, name: string): JsonValue | undefined {
  if (Object.hasOwn(item, name)) return null;
  return list.items.map?.fields.get(name)?.default ?? undefined;
}

/** Items with their names; items without one are skipped, which validated objects do not have. */
export function namedItems(list: ListType, items: readonly JsonValue[]): readonly NamedItem[] {
  return items.flatMap((value) => {
    const name = nameItem(list, value);
    return name.ok ? [{ element: name.element, value }] : [];
  });
}

export interface NamedItem {
  readonly element: PathElement;
  readonly value: JsonValue;
}

/** Items by name, in the order of first appearance. */
export function itemsByName(items: readonly NamedItem[]): ReadonlyMap<string, readonly NamedItem[]> {
  const groups = new Map<string, NamedItem[]>();
  for (const item of items) {
    const group = groups.get(item.element.text);
    if (group === undefined) groups.set(item.element.text, [item]);
    else group.push(item);
  }
  return groups;
}

function fault(text: string): ItemName {
  return { ok: false, fault: text };
}
