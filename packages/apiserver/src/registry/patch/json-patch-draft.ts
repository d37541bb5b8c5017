import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownValue,
  setOwn,
} from "@milo-quota/kubernetes/protocol/json-value.ts";

type Container = JsonValue[] | Record<string, JsonValue>;

/** A target in a document: its container, and the key or index in it. */
export interface PatchTarget {
  readonly container: Container;
  readonly key: string;
}

/** Why an operation fails, in the words of the library that Kubernetes uses. */
export class OperationFailed extends Error {
  override readonly name = "OperationFailed";
}

/**
 * A document under change. Objects and arrays are copied on write, along the path of the change; the original is not
 * modified.
 */
export class JsonPatchDraft {
  readonly #owned = new WeakSet<object>();
  #root: JsonValue;

  constructor(root: JsonValue) {
    this.#root = root;
  }

  get root(): JsonValue {
    return this.#root;
  }

  replaceRoot(value: JsonValue): void {
    this.#root = value;
  }

  /** Undefined when a part of the path is missing or null. The text before the first slash is ignored. */
  find(path: string): PatchTarget | undefined {
    const [, ...tokens] = path.split("/");
    const key = tokens.pop();
    let container = this.#own(this.#root);
    if (key === undefined || container === undefined) return undefined;
    this.#root = container;
    for (const token of tokens) {
      container = this.#descend(container, unescapeToken(token));
      if (container === undefined) return undefined;
    }
    return { container, key: unescapeToken(key) };
  }

  #descend(container: Container, key: string): Container | undefined {
    const index = Array.isArray(container) ? itemIndex(container, key) : key;
    const child = typeof index === "object" ? undefined : memberOf(container, index);
    const owned = child === undefined ? undefined : this.#own(child);
    if (owned === undefined) return undefined;
    if (Array.isArray(container)) container[index as number] = owned;
    else setOwn(container, key, owned);
    return owned;
  }

  #own(value: JsonValue): Container | undefined {
    if (typeof value !== "object" || value === null) return undefined;
    if (this.#owned.has(value)) return value as Container;
    const copy: Container = Array.isArray(value) ? [...value] : { ...(value as JsonObject) };
    this.#owned.add(copy);
    return copy;
  }
}

/** The value at a target; undefined for a missing member. Throws for an index out of range. */
export function valueAt({ container, key }: PatchTarget): JsonValue | undefined {
  return memberOf(container, Array.isArray(container) ? requireIndex(itemIndex(container, key)) : key);
}

export function addAt({ container, key }: PatchTarget, value: JsonValue): void {
  if (Array.isArray(container)) container.splice(insertionIndex(container, key), 0, value);
  else setOwn(container, key, value);
}

export function replaceAt({ container, key }: PatchTarget, value: JsonValue): void {
  if (Array.isArray(container)) container[requireIndex(itemIndex(container, key))] = value;
  else setOwn(container, key, value);
}

export function removeAt({ container, key }: PatchTarget): void {
  if (Array.isArray(container)) container.splice(requireIndex(itemIndex(container, key)), 1);
  else if (Object.hasOwn(container, key)) delete container[key];
  else throw new OperationFailed(`Unable to remove nonexistent key: ${key}: missing value`);
}

interface BadIndex {
  readonly fault: string;
}

function memberOf(container: Container, key: string | number): JsonValue | undefined {
  if (isJsonObject(container)) return ownValue(container, String(key));
  return (container as JsonValue[])[key as number];
}

function itemIndex(items: readonly JsonValue[], key: string): number | BadIndex {
  const index = parseIndex(key);
  return typeof index === "number" ? boundedIndex(index, items.length) : index;
}

/** An item may be inserted after the last one, also by `-`. */
function insertionIndex(items: readonly JsonValue[], key: string): number {
  if (key === "-") return items.length;
  const index = parseIndex(key);
  if (typeof index === "number") return requireIndex(boundedIndex(index, items.length + 1));
  throw new OperationFailed(`value was not a proper array index: '${key}': ${index.fault}`);
}

/** Negative indexes count from the end. */
function boundedIndex(index: number, length: number): number | BadIndex {
  if (index >= length || index < -length) {
    return { fault: `Unable to access invalid index: ${index}: invalid index referenced` };
  }
  return index < 0 ? index + length : index;
}

function parseIndex(key: string): number | BadIndex {
  if (!/^[-+]?[0-9]+$/.test(key)) return { fault: `strconv.Atoi: parsing ${quote(key)}: invalid syntax` };
  const index = Number(key);
  return Number.isSafeInteger(index) ? index : { fault: `strconv.Atoi: parsing ${quote(key)}: value out of range` };
}

function requireIndex(index: number | BadIndex): number {
  if (typeof index === "number") return index;
  throw new OperationFailed(index.fault);
}

function unescapeToken(token: string): string {
  return token.replace(/~[01]/g, (code) => (code === "~1" ? "/" : "~"));
}
