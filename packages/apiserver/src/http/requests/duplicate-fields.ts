import { isJsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";

/** Duplicates that are reported. */
const foundMax = 64;

const quoteCode = 34;
const backslashCode = 92;
const colonCode = 58;

/**
 * The paths of keys that occur twice in an object of a JSON text. `value` is the parsed text: if it has as many keys as
 * the text, as is nearly always so, there are none.
 */
export function duplicateFields(text: string, value: JsonValue): readonly string[] {
  return countKeys(value) === countColons(text) ? [] : new DuplicateScan(text).run();
}

/** Without recursion: a text may be nested deeply. */
function countKeys(value: JsonValue): number {
  const left: JsonValue[] = [value];
  let count = 0;
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (!isJsonObject(next) && !Array.isArray(next)) continue;
    const members: readonly JsonValue[] = Object.values(next);
    for (const member of members) left.push(member);
    if (!Array.isArray(next)) count += members.length;
  }
  return count;
}

/** Colons outside of strings; in valid JSON one follows each key. */
function countColons(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quoteCode) at = endOfString(text, at);
    else if (code === colonCode) count += 1;
  }
  return count;
}

/** The index of the quote that ends the string starting at `start`. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === backslashCode) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  return text.length;
}

interface Open {
  /** Undefined in an array. */
  readonly keys: Set<string> | undefined;
  readonly path: string;
  index: number;
  key: string;
}

class DuplicateScan {
  readonly #text: string;
  readonly #open: Open[] = [];
  readonly #found = new Set<string>();

  constructor(text: string) {
    this.#text = text;
  }

  run(): readonly string[] {
    for (let at = 0; at < this.#text.length && this.#found.size < foundMax; at += 1) {
      const character = this.#text[at];
      if (character === '"') at = this.#string(at);
      else if (character === "{" || character === "[") this.#enter(character === "{");
      else if (character === "}" || character === "]") this.#open.pop();
      else if (character === "," && this.#top?.keys === undefined && this.#top !== undefined) this.#top.index += 1;
    }
    return [...this.#found];
  }

  get #top(): Open | undefined {
    return this.#open.at(-1);
  }

  #enter(isObject: boolean): void {
    this.#open.push({ keys: isObject ? new Set() : undefined, path: this.#here(), index: 0, key: "" });
  }

  /** A string is a key when a colon follows. Returns where it ends. */
  #string(start: number): number {
    const end = endOfString(this.#text, start);
    const top = this.#top;
    if (top?.keys === undefined || !/^\s*:/.test(this.#text.slice(end + 1, end + 64))) return end;
    top.key = JSON.parse(this.#text.slice(start, end + 1)) as string;
    const path = this.#here();
    if (top.keys.has(top.key)) this.#found.add(path);
    top.keys.add(top.key);
    return end;
  }

  #here(): string {
    const top = this.#top;
    if (top === undefined) return "";
    if (top.keys === undefined) return `${top.path}[${top.index}]`;
    return top.path === "" ? top.key : `${top.path}.${top.key}`;
  }
}
