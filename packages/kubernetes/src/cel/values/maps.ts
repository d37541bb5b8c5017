import { excerpt } from "./excerpt.ts";
import { Failure } from "./failure.ts";
import { fromJson } from "./from-json.ts";
import { type LookupKey, type MapEntry, type Mapping, MapValue, Uint, type Value } from "./value.ts";

/** The lookup key of a value; undefined for a value that cannot be a key. */
function lookupKey(value: Value): LookupKey | undefined {
  if (typeof value === "string" || typeof value === "bigint" || typeof value === "boolean") return value;
  if (value instanceof Uint) return value.value;
  return typeof value === "number" && Number.isInteger(value) ? BigInt(value) : undefined;
}

export function mapGet(map: Mapping, key: Value): Value | undefined {
  if (map instanceof MapValue) {
    const found = lookupKey(key);
    return found === undefined ? undefined : map.entries.get(found)?.value;
  }
  return typeof key === "string" ? mapField(map, key) : undefined;
}

/** Own properties only: `__proto__`, `constructor` and `toString` are ordinary keys. */
export function mapField(map: Mapping, field: string): Value | undefined {
  if (map instanceof MapValue) return map.entries.get(field)?.value;
  return Object.hasOwn(map, field) ? fromJson(map[field]) : undefined;
}

export function mapSize(map: Mapping): number {
  return map instanceof MapValue ? map.entries.size : Object.keys(map).length;
}

export function mapKeys(map: Mapping): readonly Value[] {
  return map instanceof MapValue ? Array.from(map.entries.values(), (entry) => entry.key) : Object.keys(map);
}

export function mapEntries(map: Mapping): readonly MapEntry[] {
  if (map instanceof MapValue) return [...map.entries.values()];
  return Object.keys(map).map((key) => ({ key, value: fromJson(map[key]) }));
}

/** Collects entries into a map, rejecting duplicate keys and keys of other types. */
export class MapBuilder {
  readonly #entries = new Map<LookupKey, MapEntry>();

  insert(key: Value, value: Value): Failure | undefined {
    const found = typeof key === "number" ? undefined : lookupKey(key);
    if (found === undefined) return new Failure("invalid-argument", "unsupported key type");
    if (this.#entries.has(found)) return new Failure("invalid-argument", `duplicate key: ${excerpt(String(found))}`);
    this.#entries.set(found, { key, value });
    return undefined;
  }

  finish(): MapValue {
    return new MapValue(this.#entries);
  }
}
