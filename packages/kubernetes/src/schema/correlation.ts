import { isJsonObject, type JsonObject, type JsonValue, jsonEquals, ownValue } from "../protocol/json-value.ts";
import type { CompiledSchema } from "./compiled-schema.ts";

/**
 * A value with its counterpart before an update. Unchanged parts are not rejected, even if the schema has become
 * stricter.
 */
export class Correlation {
  readonly compiled: CompiledSchema;
  readonly value: JsonValue;
  readonly old: JsonValue;
  #isUnchanged: boolean | undefined;
  #oldItems: ReadonlyMap<string, JsonValue> | undefined;

  constructor(compiled: CompiledSchema, value: JsonValue, old: JsonValue) {
    this.compiled = compiled;
    this.value = value;
    this.old = old;
  }

  get isUnchanged(): boolean {
    this.#isUnchanged ??= this.#compare();
    return this.#isUnchanged;
  }

  /** The field of this name, if it existed before and is declared. */
  field(name: string): Correlation | undefined {
    if (!isJsonObject(this.value) || !isJsonObject(this.old)) return undefined;
    const value = ownValue(this.value, name);
    const old = ownValue(this.old, name);
    const child = this.compiled.properties.get(name) ?? this.compiled.additional;
    if (value === undefined || old === undefined || child === undefined || child === true) return undefined;
    return new Correlation(child, value, old);
  }

  /** An item of a list, if the list has keys and the item existed before. */
  item(index: number): Correlation | undefined {
    const { items } = this.compiled;
    if (!Array.isArray(this.value) || items === undefined) return undefined;
    const value = this.value[index] as JsonValue | undefined;
    const old = value === undefined ? undefined : this.oldItem(value);
    return value === undefined || old === undefined ? undefined : new Correlation(items, value, old);
  }

  /** The old value of an item. */
  oldItem(item: JsonValue): JsonValue | undefined {
    const { schema } = this.compiled;
    if (schema["x-kubernetes-list-type"] !== "map" || !Array.isArray(this.old)) return undefined;
    const keys = schema["x-kubernetes-list-map-keys"] ?? [];
    this.#oldItems ??= itemsByKey(this.old, keys);
    const key = itemKey(item, keys);
    return key === undefined ? undefined : this.#oldItems.get(key);
  }

  /** Items of a map list may have been reordered. Undeclared fields always count as changed. */
  #compare(): boolean {
    if (Array.isArray(this.value) && Array.isArray(this.old) && this.#isKeyed()) return this.#sameItems(this.value);
    if (!isJsonObject(this.value) || !isJsonObject(this.old)) return jsonEquals(this.value, this.old);
    return this.#sameFields(this.value, this.old);
  }

  #isKeyed(): boolean {
    return this.compiled.schema["x-kubernetes-list-type"] === "map" && this.compiled.items !== undefined;
  }

  #sameItems(items: readonly JsonValue[]): boolean {
    if (items.length !== (this.old as readonly JsonValue[]).length) return false;
    return items.every((_, index) => this.item(index)?.isUnchanged === true);
  }

  #sameFields(value: JsonObject, old: JsonObject): boolean {
    const names = Object.keys(value);
    return names.length === Object.keys(old).length && names.every((name) => this.field(name)?.isUnchanged === true);
  }
}

function itemsByKey(items: readonly JsonValue[], keys: readonly string[]): ReadonlyMap<string, JsonValue> {
  const byKey = new Map<string, JsonValue>();
  for (const item of items) {
    const key = itemKey(item, keys);
    if (key !== undefined && !byKey.has(key)) byKey.set(key, item);
  }
  return byKey;
}

/** The key of an item; undefined when a key field is missing. */
function itemKey(item: JsonValue, keys: readonly string[]): string | undefined {
  if (!isJsonObject(item) || keys.length === 0) return undefined;
  const parts: string[] = [];
  for (const key of keys) {
    const value = ownValue(item, key);
    if (value === undefined || value === null || typeof value === "object") return undefined;
    parts.push(`${typeof value === "bigint" ? "number" : typeof value} ${String(value)}`);
  }
  return JSON.stringify(parts);
}
