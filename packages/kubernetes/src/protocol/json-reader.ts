import { isTooDeep } from "./json-depth.ts";
import { type JsonValue, setOwn } from "./json-value.ts";

/** The fewest digits an integer beyond 2^53 can have. */
const unsafeDigits = 16;

/** Malformed JSON text. */
export class JsonSyntaxError extends Error {
  override readonly name = "JsonSyntaxError";
}

/**
 * Parses JSON without rounding integers: one that a double cannot represent becomes a bigint. Text without a long run
 * of digits, as nearly all of it, uses the engine's parser.
 */
export function readJson(text: string): JsonValue {
  // Code that walks values recurses for every level, and must not overflow the stack.
  if (isTooDeep(text)) throw new JsonSyntaxError("exceeded max depth");
  if (hasLongDigitRun(text)) return new ExactReader(text).read();
  try {
    return JSON.parse(text) as JsonValue;
  } catch (cause) {
    throw new JsonSyntaxError(cause instanceof Error ? cause.message : String(cause));
  }
}

/**
 * Whether there are sixteen digits in a row. Such a run covers one position in every sixteen, so only these are
 * checked; where one is a digit, the run around it is measured.
 */
function hasLongDigitRun(text: string): boolean {
  for (let at = unsafeDigits - 1; at < text.length; at += unsafeDigits) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let start = at;
    while (start > 0 && isDigit(text.charCodeAt(start - 1))) start -= 1;
    let end = at + 1;
    while (end < text.length && isDigit(text.charCodeAt(end))) end += 1;
    if (end - start >= unsafeDigits) return true;
    at += Math.floor((end - at) / unsafeDigits) * unsafeDigits;
  }
  return false;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}

/** An unfinished container, with the next key if it is an object. */
type Open =
  | { readonly kind: "array"; readonly value: JsonValue[] }
  | { readonly kind: "object"; readonly value: Record<string, JsonValue>; key: string };

/**
 * A parser for the rare text with a long integer. It has its own stack, so that text may be nested as deeply as in the
 * engine's parser.
 */
class ExactReader {
  readonly #text: string;
  readonly #open: Open[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): JsonValue {
    for (;;) {
      let value = this.#value();
      if (value === undefined) continue;
      for (;;) {
        const container = this.#open.at(-1);
        if (container === undefined) return this.#end(value);
        add(container, value);
        if (this.#continues(container)) break;
        this.#open.pop();
        value = container.value;
      }
    }
  }

  /** Reads a complete value, or opens a non-empty container and returns undefined. */
  #value(): JsonValue | undefined {
    this.#skipSpace();
    switch (this.#text[this.#at]) {
      case "{":
        return this.#openObject();
      case "[":
        return this.#openArray();
      case '"':
        return this.#string();
      case "t":
        return this.#word("true", true);
      case "f":
        return this.#word("false", false);
      case "n":
        return this.#word("null", null);
      default:
        return this.#number();
    }
  }

  #openObject(): JsonValue | undefined {
    this.#at += 1;
    if (this.#accept("}")) return {};
    this.#open.push({ kind: "object", value: {}, key: this.#key() });
    return undefined;
  }

  #openArray(): JsonValue | undefined {
    this.#at += 1;
    if (this.#accept("]")) return [];
    this.#open.push({ kind: "array", value: [] });
    return undefined;
  }

  /** Whether another member follows; else the container is closed. */
  #continues(container: Open): boolean {
    if (this.#accept(",")) {
      if (container.kind === "object") container.key = this.#key();
      return true;
    }
    this.#expect(container.kind === "object" ? "}" : "]");
    return false;
  }

  #key(): string {
    this.#skipSpace();
    if (this.#text[this.#at] !== '"') this.#fail();
    const key = this.#string();
    this.#expect(":");
    return key;
  }

  #end(value: JsonValue): JsonValue {
    this.#skipSpace();
    return this.#at < this.#text.length ? this.#fail() : value;
  }

  #string(): string {
    const start = this.#at;
    for (;;) {
      const quote = this.#text.indexOf('"', this.#at + 1);
      this.#at = quote < 0 ? this.#text.length : quote;
      if (quote < 0) return this.#fail();
      if (this.#isEscaped(quote)) continue;
      this.#at += 1;
      return this.#parsePart(start);
    }
  }

  /** An odd number of backslashes before a quote makes it part of the string. */
  #isEscaped(at: number): boolean {
    let backslashes = 0;
    while (this.#text[at - 1 - backslashes] === "\\") backslashes += 1;
    return backslashes % 2 === 1;
  }

  /** The engine decodes the escapes of a string. */
  #parsePart(start: number): string {
    try {
      return JSON.parse(this.#text.slice(start, this.#at)) as string;
    } catch {
      this.#at = start;
      return this.#fail();
    }
  }

  #number(): number | bigint {
    const pattern = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y;
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null) return this.#fail();
    this.#at = pattern.lastIndex;
    const value = Number(match[0]);
    const isInteger = match[1] === undefined && match[2] === undefined;
    return isInteger && !Number.isSafeInteger(value) ? BigInt(match[0]) : value;
  }

  #word<Value>(word: string, value: Value): Value {
    if (!this.#text.startsWith(word, this.#at)) this.#fail();
    this.#at += word.length;
    return value;
  }

  #accept(character: string): boolean {
    this.#skipSpace();
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #expect(character: string): void {
    if (!this.#accept(character)) this.#fail();
  }

  #skipSpace(): void {
    while (isSpace(this.#text.charCodeAt(this.#at))) this.#at += 1;
  }

  #fail(): never {
    const found = this.#text[this.#at];
    if (found === undefined) throw new JsonSyntaxError("Unexpected end of JSON input");
    throw new JsonSyntaxError(`Unexpected token ${JSON.stringify(found)} in JSON at position ${this.#at}`);
  }
}

function add(container: Open, value: JsonValue): void {
  if (container.kind === "array") container.value.push(value);
  else setOwn(container.value, container.key, value);
}
