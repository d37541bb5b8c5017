import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import type { JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { type Operator, operators } from "./json-path-compare.ts";

/**
 * The subset of kubectl's JSONPath that definitions use: names, indexes, slices, unions, filters, wildcards, descent.
 */
export type JsonPath = readonly PathStep[];

export type PathStep =
  | { readonly step: "field"; readonly name: string }
  | { readonly step: "slice"; readonly from?: number; readonly to?: number; readonly by?: number }
  | { readonly step: "index"; readonly at: number }
  | { readonly step: "wildcard" }
  | { readonly step: "descent" }
  | { readonly step: "union"; readonly paths: readonly JsonPath[] }
  | {
      readonly step: "filter";
      readonly left: JsonPath;
      readonly operator: Operator | "exists";
      readonly right: JsonPath;
    }
  | { readonly step: "literal"; readonly value: JsonValue };

export type ParsedPath =
  | { readonly ok: true; readonly value: JsonPath }
  | { readonly ok: false; readonly fault: string };

/** Longer paths are rejected. */
const lengthMax = 4_096;

/** Parses a path as written in a definition, without braces. Errors are those of Kubernetes. */
export function parseJsonPath(text: string): ParsedPath {
  if (text.length > lengthMax) return { ok: false, fault: `path longer than ${lengthMax} characters` };
  try {
    return { ok: true, value: new PathReader(text).read() };
  } catch (error) {
    if (error instanceof PathFault) return { ok: false, fault: error.message };
    throw error;
  }
}

class PathFault extends Error {
  override readonly name = "PathFault";
}

class PathReader {
  readonly #text: string;
  readonly #steps: PathStep[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): JsonPath {
    while (this.#at < this.#text.length) this.#readStep();
    return this.#steps;
  }

  #readStep(): void {
    const rest = this.#text.slice(this.#at);
    const [character = ""] = rest;
    if (rest.startsWith("[?(")) this.#readFilter();
    else if (rest.startsWith("..")) this.#readDescent();
    else if (/^[ @$]/.test(rest)) this.#at += 1;
    else if (character === "[") this.#readBrackets();
    else if (character === '"' || character === "'") this.#readQuoted(character);
    else if (character === ".") this.#readField(1);
    else if (/^[-+\d]/.test(rest)) this.#readNumber();
    else if (/^[\p{L}_]/u.test(rest)) this.#readWord();
    else if (/^[\r\n]/.test(rest)) throw new PathFault("unclosed action");
    else throw new PathFault(`unrecognized character in action: ${codeText(character)}`);
  }

  #readField(skip: number): void {
    this.#at += skip;
    const raw = this.#take(/^(?:\\[\s\S]|[^ \t\r\n.,[\]$@{}\\])*/);
    this.#steps.push(raw === "*" ? { step: "wildcard" } : { step: "field", name: raw.replaceAll("\\", "") });
  }

  #readDescent(): void {
    if (this.#steps.at(-1)?.step === "descent") throw new PathFault("invalid multiple recursive descent");
    this.#steps.push({ step: "descent" });
    this.#at += 2;
    if (/^[\p{L}\p{Nd}_]/u.test(this.#text.slice(this.#at))) this.#readField(0);
  }

  #readNumber(): void {
    const text = this.#take(/^[-+]?[\d.]*/);
    const value = Number(text);
    if (text === "" || Number.isNaN(value) || !/\d/.test(text)) throw new PathFault(`cannot parse number ${text}`);
    this.#steps.push({ step: "literal", value });
  }

  #readWord(): void {
    const word = this.#take(/^[^ \t\r\n.,[\]$@{}]+/);
    if (word !== "true" && word !== "false") throw new PathFault(`unrecognized identifier ${word}`);
    this.#steps.push({ step: "literal", value: word === "true" });
  }

  #readQuoted(mark: string): void {
    const text = this.#take(mark === '"' ? /^"(?:[^"\\\n]|\\.)*"/ : /^'(?:[^'\\\n]|\\.)*'/);
    if (text === "") throw new PathFault("unterminated quoted string");
    this.#steps.push({ step: "literal", value: text.slice(1, -1).replace(/\\(.)/g, "$1") });
  }

  #readBrackets(): void {
    const text = this.#take(/^\[[^\]\n]*\]/);
    if (text === "") throw new PathFault("unterminated array");
    this.#steps.push(...bracketSteps(text.slice(1, -1)));
  }

  #readFilter(): void {
    const text = this.#take(/^\[\?\((?:[^"'\n)]|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')*\)/);
    if (text === "") throw new PathFault("unterminated filter");
    if (this.#text[this.#at] !== "]") throw new PathFault("unclosed array expect ]");
    this.#at += 1;
    this.#steps.push(filterStep(text.slice(3, -1)));
  }

  #take(pattern: RegExp): string {
    const found = pattern.exec(this.#text.slice(this.#at))?.[0] ?? "";
    this.#at += found.length;
    return found;
  }
}

function bracketSteps(text: string): readonly PathStep[] {
  const parts = text.split(",");
  if (parts.length > 1) return [{ step: "union", paths: parts.map((part) => bracketSteps(part.trim())) }];
  if (text === "*") return [{ step: "slice" }];
  const key = /^'([^']*)'$/.exec(text)?.[1];
  if (key !== undefined) return new PathReader(`.${key}`).read();
  const slice = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/.exec(text);
  if (slice === null) throw new PathFault(`invalid array index ${text}`);
  const [from, to, by] = slice.slice(1).map((part) => indexOf(part));
  if (slice[2] === undefined) return [{ step: "index", at: from ?? 0 }];
  return [
    {
      step: "slice",
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      ...(by === undefined ? {} : { by }),
    },
  ];
}

function indexOf(part: string | undefined): number | undefined {
  const digits = part?.replace(/^:/, "") ?? "";
  if (digits === "") return undefined;
  const index = Number(digits);
  if (!Number.isSafeInteger(index)) throw new PathFault(`array index ${digits} is not a number`);
  return index;
}

function filterStep(text: string): PathStep {
  const match = /^([^!<>=]+)([!<>=]+)([\s\S]+?)$/.exec(text);
  if (match === null) return { step: "filter", left: new PathReader(text).read(), operator: "exists", right: [] };
  const [, left = "", operator = "", right = ""] = match;
  const known = operators.find((one) => one === operator);
  if (known === undefined) throw new PathFault(`unrecognized filter operator ${operator}`);
  return {
    step: "filter",
    left: new PathReader(left).read(),
    operator: known,
    right: new PathReader(right).read(),
  };
}

function codeText(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return `U+${code} ${quote(character).replace(/^"|"$/g, "'")}`;
}
