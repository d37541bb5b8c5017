import { type JsonObject, type JsonValue, ownValue, setOwn } from "../protocol/json-value.ts";

/** An object that is copied on its first change. */
export class ObjectDraft {
  readonly original: JsonObject;
  #copy: Record<string, JsonValue> | undefined;

  constructor(original: JsonObject) {
    this.original = original;
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#copy ?? this.original, key);
  }

  get(key: string): JsonValue | undefined {
    return ownValue(this.#copy ?? this.original, key);
  }

  set(key: string, value: JsonValue): void {
    if (this.get(key) === value) return;
    this.#copy ??= { ...this.original };
    setOwn(this.#copy, key, value);
  }

  remove(key: string): void {
    this.#copy ??= { ...this.original };
    delete this.#copy[key];
  }

  result(): JsonObject {
    return this.#copy ?? this.original;
  }
}
