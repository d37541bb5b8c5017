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

/** One step of a path into an object. Two steps with the same text are the same. */
export type PathElement =
  /** A member of an object. */
  | { readonly kind: "field"; readonly text: string; readonly name: string }
  /** The item of a list whose key fields have these values, in the order of their names. */
  | { readonly kind: "key"; readonly text: string; readonly key: JsonObject }
  /** The item of a list of primitives that is this one. */
  | { readonly kind: "value"; readonly text: string; readonly value: JsonValue }
  /** An item by its place. */
  | { readonly kind: "index"; readonly text: string; readonly index: number };

/** Text that is no path element. */
export class PathElementFault extends Error {
  override readonly name = "PathElementFault";
}

/** Elements made before, by what they are of: objects of a kind have the same fields again and again. */
class Remembered {
  readonly #made = new Map<string, PathElement>();

  get(id: string): PathElement | undefined {
    return this.#made.get(id);
  }

  add(id: string, element: PathElement): PathElement {
    if (id.length > rememberedLengthMax) return element;
    if (this.#made.size >= rememberedMax) this.#made.clear();
    this.#made.set(id, element);
    return element;
  }
}

const rememberedMax = 10_000;
const rememberedLengthMax = 256;
const fields = new Remembered();
const keys = new Remembered();
const textKeys = new Remembered();

export function fieldElement(name: string): PathElement {
  return fields.get(name) ?? fields.add(name, { kind: "field", text: `f:${name}`, name });
}

export function keyElement(key: JsonObject): PathElement {
  const id = writeJson(key);
  return keys.get(id) ?? keys.add(id, newKeyElement(key));
}

/** The same for an item that is known by one text, as most are. */
export function textKeyElement(name: string, value: string): PathElement {
  const id = `${name.length}:${name}${value}`;
  return textKeys.get(id) ?? textKeys.add(id, newKeyElement(ownEntry(name, value)));
}

/** Texts that JSON and Go write as they are. */
const plainText = /^[\w.-]*$/;

/** The same for an item that is known by a UID, which is not worth remembering: there is a new one for every object. */
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

/** Reads the text of an element; undefined for a kind that a later version may know. */
export function parsePathElement(text: string): PathElement | undefined {
  if (text.length < 2) throw new PathElementFault("key must be 2 characters long:");
  if (text[1] !== ":") throw new PathElementFault(`missing colon: ${text}`);
  const content = text.slice(2);
  switch (text[0]) {
    case "f":
      return fieldElement(content);
    case "v":
      return valueElement(parseContent(content));
    case "k":
      return keyElement(requireObject(parseContent(content), text));
    case "i":
      return indexElement(parsePlace(content));
    default:
      return undefined;
  }
}

/** As messages show it: `.spec`, `[name="web"]`, `[="a"]`, `[0]`. */
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

/** Fields before keys before values before indices, each in its own order. */
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

/** Go escapes what HTML would read in strings that it writes. */
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
    throw new PathElementFault(error instanceof Error ? error.message : String(error));
  }
}

function parsePlace(content: string): number {
  const index = /^[-+]?[0-9]+$/.test(content) ? Number(content) : Number.NaN;
  if (Number.isSafeInteger(index)) return index;
  throw new PathElementFault(`strconv.Atoi: parsing ${quote(content)}: invalid syntax`);
}

function requireObject(value: JsonValue, text: string): JsonObject {
  if (!isJsonObject(value)) throw new PathElementFault(`expect object in ${text}`);
  const own: Record<string, JsonValue> = {};
  for (const [name, member] of Object.entries(value)) setOwn(own, name, member);
  return own;
}
