import { type JsonValue, setOwn } from "./json-value.ts";

/** The fewest digits an integer beyond 2^53 can have. */
const unsafeDigits = 16;
/** Far beyond any real object, and well within the stack of whoever walks the value afterwards. */
const depthMax = 1_000;

/** Malformed JSON text: what is wrong and where. */
export class JsonSyntaxError extends Error {
  override readonly name = "JsonSyntaxError";
}

/**
 * Reads JSON text without rounding any integer: one that a double cannot hold exactly becomes a bigint. Text without a
 * long run of digits, which is nearly all of it, takes the engine's own parser.
 */
export function readJson(text: string): JsonValue {
  if (hasLongDigitRun(text)) return new ExactReader(text).read();
  if (isTooDeep(text)) throw new JsonSyntaxError(tooDeep);
  try {
    return JSON.parse(text) as JsonValue;
  } catch (cause) {
    throw new JsonSyntaxError(cause instanceof Error ? cause.message : String(cause));
  }
}

/**
 * Whether sixteen digits stand in a row. Such a run covers one position in every sixteen, so only these are looked
 * at; where one is a digit, the run around it is measured.
 */
function hasLongDigitRun(text: string): boolean {
  for (let at = unsafeDigits - 1; at < text.length; at += unsafeDigits) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let start = at;
    while (start > 0 && isDigit(text.charCodeAt(start - 1))) start -= 1;
    let end = at + 1;
    while (end < text.length && isDigit(text.charCodeAt(end))) end += 1;
    if (end - start >= unsafeDigits) return true;
  }
  return false;
}

/** Text of fewer characters than this cannot open and close so many brackets. */
const shallowLength = 2 * depthMax;
const tooDeep = `JSON nested deeper than ${depthMax} levels`;

/** Whether brackets nest too deeply, those in strings aside. */
function isTooDeep(text: string): boolean {
  if (text.length <= shallowLength) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = skipString(text, at);
    else if (code === openBrace || code === openBracket) depth += 1;
    else if (code === closeBrace || code === closeBracket) depth -= 1;
    if (depth > depthMax) return true;
  }
  return false;
}

const quote = 34;
const backslash = 92;
const openBracket = 91;
const closeBracket = 93;
const openBrace = 123;
const closeBrace = 125;

/** The closing quote of the string that begins here. */
function skipString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) return at;
    if (code === backslash) at += 1;
  }
  return text.length;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}

/** A small recursive reader for the rare text that may hold a long integer. */
class ExactReader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): JsonValue {
    const value = this.#value();
    this.#skipSpace();
    if (this.#at < this.#text.length) this.#fail();
    return value;
  }

  #value(): JsonValue {
    this.#skipSpace();
    switch (this.#text[this.#at]) {
      case "{":
        return this.#nested(() => this.#object());
      case "[":
        return this.#nested(() => this.#array());
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

  #nested(read: () => JsonValue): JsonValue {
    this.#depth += 1;
    if (this.#depth > depthMax) throw new JsonSyntaxError(tooDeep);
    this.#at += 1;
    const value = read();
    this.#depth -= 1;
    return value;
  }

  #object(): JsonValue {
    const object: Record<string, JsonValue> = {};
    if (this.#accept("}")) return object;
    do {
      this.#skipSpace();
      if (this.#text[this.#at] !== '"') this.#fail();
      const key = this.#string();
      this.#expect(":");
      setOwn(object, key, this.#value());
    } while (this.#accept(","));
    this.#expect("}");
    return object;
  }

  #array(): JsonValue {
    const array: JsonValue[] = [];
    if (this.#accept("]")) return array;
    do array.push(this.#value());
    while (this.#accept(","));
    this.#expect("]");
    return array;
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

  /** The escapes of a string are the engine's business. */
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
