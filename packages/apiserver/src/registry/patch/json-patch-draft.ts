import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownValue,
  setOwn,
} from "@milo-quota/kubernetes/protocol/json-value.ts";

type Container = JsonValue[] | Record<string, JsonValue>;

/** A target in a document: what holds it, and its name or index there. */
export interface PatchTarget {
  readonly container: Container;
  readonly key: string;
}

/** Why a step cannot be taken, in the words of the library that Kubernetes uses. */
export class StepFailed extends Error {
  override readonly name = "StepFailed";
}

/**
 * A document under change. Objects and arrays are copied when first changed, and only those on the way to the change;
 * the document it started from stays as it is.
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

  /** Undefined when something on the way is missing, or holds nothing. What precedes the first slash does not count. */
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

/** The value at a target; undefined for a member that is not there. Throws for an item that cannot be. */
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
  else throw new StepFailed(`Unable to remove nonexistent key: ${key}: missing value`);
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

/** A new item may also go behind the last one, which a dash means too. */
function insertionIndex(items: readonly JsonValue[], key: string): number {
  if (key === "-") return items.length;
  const index = parseIndex(key);
  if (typeof index === "number") return requireIndex(boundedIndex(index, items.length + 1));
  throw new StepFailed(`value was not a proper array index: '${key}': ${index.fault}`);
}

/** Negative indices count from the end. */
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
  throw new StepFailed(index.fault);
}

function unescapeToken(token: string): string {
  return token.replace(/~[01]/g, (code) => (code === "~1" ? "/" : "~"));
}
