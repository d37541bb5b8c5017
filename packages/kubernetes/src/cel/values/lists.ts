import { fromJson } from "./from-json.ts";
import { isJsonList, type List, ListValue, type Value } from "./value.ts";

export function listSize(list: List): number {
  return isJsonList(list) ? list.length : list.items.length;
}

/** The index must be inside the list. */
export function elementAt(list: List, index: number): Value {
  return isJsonList(list) ? fromJson(list[index]) : (list.items[index] as Value);
}

export function elementsOf(list: List): readonly Value[] {
  return isJsonList(list) ? list.map(fromJson) : list.items;
}

export function concatenate(left: List, right: List): ListValue {
  return new ListValue([...elementsOf(left), ...elementsOf(right)]);
}
