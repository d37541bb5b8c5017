import type { Failure } from "./failure.ts";
import type { Opaque } from "./opaque.ts";

/**
 * The values of expressions. An int is a `bigint`, a double is a `number`.
 *
 * Parsed JSON is used without conversion: a plain array is a list, a plain object is a map with string keys. Their
 * numbers become ints and doubles when they are read (`fromJson`), so a large object costs nothing until it is accessed.
 */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Uint
  | Timestamp
  | Duration
  | List
  | Mapping
  | Optional
  | TypeName
  | Opaque;

export type List = ListValue | JsonList;
export type Mapping = MapValue | JsonObject;
export type JsonList = readonly Json[];
export interface JsonObject {
  readonly [key: string]: Json;
}
export type Json = null | boolean | number | bigint | string | JsonList | JsonObject;

/** A value, or the reason why there is none. */
export type Outcome = Value | Failure;

// These classes keep their fields private: whatever has own properties is parsed JSON, so that a path can be followed
// through plain objects without looking at their prototypes.

export class Uint {
  readonly #value: bigint;
  constructor(value: bigint) {
    this.#value = value;
  }
  get value(): bigint {
    return this.#value;
  }
}

export class Timestamp {
  readonly #nanos: bigint;
  constructor(nanos: bigint) {
    this.#nanos = nanos;
  }
  /** Nanoseconds since 1970-01-01T00:00:00Z. */
  get nanos(): bigint {
    return this.#nanos;
  }
}

export class Duration {
  readonly #nanos: bigint;
  constructor(nanos: bigint) {
    this.#nanos = nanos;
  }
  get nanos(): bigint {
    return this.#nanos;
  }
}

/** A list created by an expression. Its numbers are doubles, unlike those of a JSON list. */
export class ListValue {
  readonly #items: readonly Value[];
  constructor(items: readonly Value[]) {
    this.#items = items;
  }
  get items(): readonly Value[] {
    return this.#items;
  }
}

/** The lookup key of a map key: ints and uints of one value are one key. */
export type LookupKey = string | bigint | boolean;

export interface MapEntry {
  readonly key: Value;
  readonly value: Value;
}

/** A map created by an expression, in the order of its keys. */
export class MapValue {
  readonly #entries: ReadonlyMap<LookupKey, MapEntry>;
  constructor(entries: ReadonlyMap<LookupKey, MapEntry>) {
    this.#entries = entries;
  }
  get entries(): ReadonlyMap<LookupKey, MapEntry> {
    return this.#entries;
  }
}

export class Optional {
  static readonly none = new Optional(undefined);
  readonly #value: Value | undefined;
  constructor(value: Value | undefined) {
    this.#value = value;
  }
  get value(): Value | undefined {
    return this.#value;
  }
}

/** The value of `int`, `string` or `type(x)`. */
export class TypeName {
  readonly #name: string;
  constructor(name: string) {
    this.#name = name;
  }
  get name(): string {
    return this.#name;
  }
}

export function isJsonObject(value: unknown): value is JsonObject {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

const jsonLists: (value: unknown) => value is JsonList = Array.isArray;

export function isJsonList(value: unknown): value is JsonList {
  return jsonLists(value);
}

export function isList(value: Value): value is List {
  return isJsonList(value) || value instanceof ListValue;
}

export function isMapping(value: Value): value is Mapping {
  return isJsonObject(value) || value instanceof MapValue;
}
