import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import { readJson } from "@milo-quota/kubernetes/protocol/json-reader.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  setOwn,
  sortedKeys,
} from "@milo-quota/kubernetes/protocol/json-value.ts";
import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import { floatText } from "../go-format.ts";
import { compareFieldText, compareFieldValues } from "./value-order.ts";

/** One element of a path. Elements with the same text are equal. */
export type PathElement =
  /** A member of an object. */
  | { readonly kind: "field"; readonly text: string; readonly name: string }
  /** The item of a map list with these key values, sorted by key. */
  | { readonly kind: "key"; readonly text: string; readonly key: JsonObject }
  /** The item of a set. */
  | { readonly kind: "value"; readonly text: string; readonly value: JsonValue }
  /** An item by index. */
  | { readonly kind: "index"; readonly text: string; readonly index: number };

/** Text that is not a path element. */
export class PathElementError extends Error {
  override readonly name = "PathElementError";
}

/** A cache of elements: objects of a kind have the same fields. */
class ElementCache {
  readonly #made = new Map<string, PathElement>();

  get(id: string): PathElement | undefined {
    return this.#made.get(id);
  }

  add(id: string, element: PathElement): PathElement {
    if (id.length > cachedLengthMax) return element;
    if (this.#made.size >= cacheSizeMax) this.#made.clear();
    this.#made.set(id, element);
    return element;
  }
}

const cacheSizeMax = 10_000;
const cachedLengthMax = 256;
const fields = new ElementCache();
const keys = new ElementCache();
const textKeys = new ElementCache();

export function fieldElement(name: string): PathElement {
  return fields.get(name) ?? fields.add(name, { kind: "field", text: `f:${name}`, name });
}

export function keyElement(key: JsonObject): PathElement {
  const id = writeJson(key);
  return keys.get(id) ?? keys.add(id, newKeyElement(key));
}

/** The same for an item with one string key, as most have. */
export function textKeyElement(name: string, value: string): PathElement {
  const id = `${name.length}:${name}${value}`;
  return textKeys.get(id) ?? textKeys.add(id, newKeyElement(ownEntry(name, value)));
}

/** Strings that JSON and Go write without escapes. */
const plainText = /^[\w.-]*$/;

/** The same for an item with a UID as key; not cached, because UIDs do not repeat. */
export function uidElement(uid: string): PathElement {
  const key = { uid };
  return plainText.test(uid) ? { kind: "key", text: `k:{"uid":"${uid}"}`, key } : newKeyElement(key);
}

function ownEntry(name: string, value: string): JsonObject {
  const key: Record<string, JsonValue> = {};
  setOwn(key, name, value);
  return key;
}

function newKeyElement(key: JsonObject): PathElement {
  const ordered = sortedKeys(key) as JsonObject;
  const members = Object.entries(ordered).map(([name, value]) => `${JSON.stringify(name)}:${escapedJson(value)}`);
  return { kind: "key", text: `k:{${members.join(",")}}`, key: ordered };
}

export function valueElement(value: JsonValue): PathElement {
  return { kind: "value", text: `v:${escapedJson(value)}`, value };
}

export function indexElement(index: number): PathElement {
  return { kind: "index", text: `i:${index}`, index };
}

/** Parses the text of an element; undefined for kinds of later versions. */
export function parsePathElement(text: string): PathElement | undefined {
  if (text.length < 2) throw new PathElementError("key must be 2 characters long:");
  if (text[1] !== ":") throw new PathElementError(`missing colon: ${text}`);
  const content = text.slice(2);
  switch (text[0]) {
    case "f":
      return fieldElement(content);
    case "v":
      return valueElement(parseContent(content));
    case "k":
      return keyElement(requireObject(parseContent(content), text));
    case "i":
      return indexElement(parseIndexText(content));
    default:
      return undefined;
  }
}

/** As in messages: `.spec`, `[name="web"]`, `[="a"]`, `[0]`. */
export function elementString(element: PathElement): string {
  switch (element.kind) {
    case "field":
      return `.${element.name}`;
    case "key":
      return `[${Object.entries(element.key)
        .map(([name, value]) => `${name}=${shown(value)}`)
        .join(",")}]`;
    case "value":
      return `[=${shown(element.value)}]`;
    case "index":
      return `[${element.index}]`;
    default:
      throw new Error(`unknown element ${element satisfies never}`);
  }
}

const kinds = ["field", "key", "value", "index"] as const;

/** Fields before keys before values before indexes, each in its own order. */
export function compareElements(left: PathElement, right: PathElement): number {
  if (left.kind === "field" && right.kind === "field") return compareFieldText(left.name, right.name);
  if (left.kind === "key" && right.kind === "key") return compareFieldValues(keyPairs(left.key), keyPairs(right.key));
  if (left.kind === "value" && right.kind === "value") return compareFieldValues(left.value, right.value);
  if (left.kind === "index" && right.kind === "index") return left.index - right.index;
  return kinds.indexOf(left.kind) - kinds.indexOf(right.kind);
}

function keyPairs(key: JsonObject): JsonValue {
  return Object.entries(key).flat();
}

/** Go escapes HTML characters in JSON strings. */
export function escapedJson(value: JsonValue): string {
  return writeJson(sortedKeys(value)).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function shown(value: JsonValue): string {
  if (typeof value === "string") return quote(value);
  if (typeof value === "number") return floatText(value);
  if (Array.isArray(value)) return `[${value.map(shown).join(",")}]`;
  if (!isJsonObject(value)) return String(value);
  return Object.entries(value)
    .map(([name, member]) => `${name}=${shown(member)}`)
    .join("");
}

function parseContent(content: string): JsonValue {
  try {
    return readJson(content);
  } catch (error) {
    throw new PathElementError(error instanceof Error ? error.message : String(error));
  }
}

function parseIndexText(content: string): number {
  const index = /^[-+]?[0-9]+$/.test(content) ? Number(content) : Number.NaN;
  if (Number.isSafeInteger(index)) return index;
  throw new PathElementError(`strconv.Atoi: parsing ${quote(content)}: invalid syntax`);
}

function requireObject(value: JsonValue, text: string): JsonObject {
  if (!isJsonObject(value)) throw new PathElementError(`expect object in ${text}`);
  const own: Record<string, JsonValue> = {};
  for (const [name, member] of Object.entries(value)) setOwn(own, name, member);
  return own;
}
