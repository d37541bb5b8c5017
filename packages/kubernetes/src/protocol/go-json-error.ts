import { quote } from "./go-quote.ts";

/** Go's error message for malformed JSON; undefined for valid JSON. */
export function goJsonError(text: string): string | undefined {
  const scan = new ErrorScan(text);
  try {
    scan.document();
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
}

class Fault extends Error {}

const literals = ["true", "false", "null"];
const escapes = 'bfnrt\\/"';

class ErrorScan {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): void {
    this.#value();
    this.#space();
    if (this.#at < this.#text.length) this.#fail("after top-level value");
  }

  /** An explicit stack: text may be nested deeper than calls can be. */
  #value(): void {
    const open: ("object" | "array")[] = [];
    for (let isComplete = this.#start(open); ; isComplete = this.#start(open)) {
      if (!isComplete) continue;
      while (open.length > 0 && !this.#next(open)) open.pop();
      if (open.length === 0) return;
    }
  }

  /** Reads a complete value, or the start of a container. Returns whether the value is complete. */
  #start(open: ("object" | "array")[]): boolean {
    this.#space();
    const character = this.#peek();
    if (character === "{" || character === "[") return this.#enter(character, open);
    if (character === '"') return this.#string();
    const literal = literals.find((word) => word[0] === character);
    if (literal !== undefined) return this.#literal(literal);
    if (character === "-" || isDigit(character)) return this.#number();
    return this.#fail("looking for beginning of value");
  }

  #enter(character: string, open: ("object" | "array")[]): boolean {
    this.#at += 1;
    this.#space();
    const isObject = character === "{";
    if (this.#peek() === (isObject ? "}" : "]")) {
      this.#at += 1;
      return true;
    }
    open.push(isObject ? "object" : "array");
    if (isObject) this.#key();
    return false;
  }

  /** Continues in the innermost container. Returns whether another value follows. */
  #next(open: readonly ("object" | "array")[]): boolean {
    const isObject = open.at(-1) === "object";
    this.#space();
    const character = this.#peek();
    if (character !== "," && character !== (isObject ? "}" : "]")) {
      this.#fail(isObject ? "after object key:value pair" : "after array element");
    }
    this.#at += 1;
    if (character !== ",") return false;
    if (isObject) {
      this.#space();
      this.#key();
    }
    return true;
  }

  #key(): void {
    if (this.#peek() !== '"') this.#fail("looking for beginning of object key string");
    this.#string();
    this.#space();
    if (this.#peek() !== ":") this.#fail("after object key");
    this.#at += 1;
  }

  #string(): boolean {
    for (this.#at += 1; this.#peek() !== '"'; this.#at += 1) {
      const character = this.#peek();
      if (character < " ") this.#fail("in string literal");
      if (character === "\\") this.#escape();
    }
    this.#at += 1;
    return true;
  }

  #escape(): void {
    this.#at += 1;
    const character = this.#peek();
    if (character !== "u") {
      if (!escapes.includes(character)) this.#fail("in string escape code");
      return;
    }
    for (let digit = 0; digit < 4; digit += 1) {
      this.#at += 1;
      if (!/[0-9a-fA-F]/.test(this.#peek())) this.#fail("in \\u hexadecimal character escape");
    }
  }

  #literal(word: string): boolean {
    for (const expected of word) {
      if (this.#peek() !== expected) this.#fail(`in literal ${word} (expecting '${expected}')`);
      this.#at += 1;
    }
    return true;
  }

  #number(): boolean {
    if (this.#peek() === "-") this.#at += 1;
    if (this.#peek() === "0") this.#at += 1;
    else this.#digits("in numeric literal");
    if (this.#text[this.#at] === ".") {
      this.#at += 1;
      this.#digits("after decimal point in numeric literal");
    }
    if (/[eE]/.test(this.#text[this.#at] ?? "")) {
      this.#at += 1;
      if (/[+-]/.test(this.#peek())) this.#at += 1;
      this.#digits("in exponent of numeric literal");
    }
    return true;
  }

  #digits(where: string): void {
    if (!isDigit(this.#peek())) this.#fail(where);
    while (isDigit(this.#text[this.#at] ?? "")) this.#at += 1;
  }

  #space(): void {
    while (/[ \t\r\n]/.test(this.#text[this.#at] ?? "")) this.#at += 1;
  }

  /** The next character; throws at the end of the text. */
  #peek(): string {
    const character = this.#text[this.#at];
    if (character === undefined) throw new Fault("unexpected end of JSON input");
    return character;
  }

  #fail(where: string): never {
    throw new Fault(`invalid character ${quotedCharacter(this.#peek())} ${where}`);
  }
}

function isDigit(character: string): boolean {
  return character >= "0" && character <= "9" && character.length === 1;
}

function quotedCharacter(character: string): string {
  if (character === "'") return "'\\''";
  return character === '"' ? "'\"'" : `'${quote(character).slice(1, -1)}'`;
}
