import { quote } from "../../protocol/go-quote.ts";
import { isJsonObject, type JsonValue, ownValue } from "../../protocol/json-value.ts";
import { goText } from "./go-text.ts";
import { compareValues, type Operator, operators } from "./json-path-compare.ts";

/** The subset of kubectl's JSONPath that definitions use: names, indexes, slices, unions, filters, wildcards, descent. */
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

/** Paths longer than this mean nothing to anybody. */
const lengthMax = 4_096;

/** Reads a path as a definition writes it, without braces. Faults are worded as Kubernetes words them. */
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

/** Everything a path leads to; undefined where it cannot be followed, such as an index into a text. */
export function findValues(path: JsonPath, root: JsonValue): readonly JsonValue[] | undefined {
  let found: readonly JsonValue[] | undefined = [root];
  for (const step of path) {
    found = found === undefined ? undefined : taken(step, found);
    if (found === undefined) return undefined;
  }
  return found;
}

function taken(step: PathStep, values: readonly JsonValue[]): readonly JsonValue[] | undefined {
  switch (step.step) {
    case "field":
      return values.flatMap((value) => {
        const member = isJsonObject(value) ? ownValue(value, step.name) : undefined;
        return member === undefined ? [] : [member];
      });
    case "literal":
      return values.map(() => step.value);
    case "wildcard":
      return values.flatMap(members);
    case "descent":
      return values.flatMap(withDescendants);
    case "union":
      return joined(step.paths.map((path) => follow(path, values)));
    case "filter":
      return joined(values.map((value) => filtered(step, value)));
    case "index":
    case "slice":
      return joined(values.filter((value) => value !== null).map((value) => sliced(step, value)));
    default:
      throw new Error(`unknown step ${JSON.stringify(step satisfies never)}`);
  }
}

function follow(path: JsonPath, values: readonly JsonValue[]): readonly JsonValue[] | undefined {
  return joined(values.map((value) => findValues(path, value)));
}

function joined(parts: readonly (readonly JsonValue[] | undefined)[]): readonly JsonValue[] | undefined {
  return parts.includes(undefined) ? undefined : (parts as readonly (readonly JsonValue[])[]).flat();
}

function members(value: JsonValue): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  return isJsonObject(value) ? Object.values(value) : [];
}

function withDescendants(value: JsonValue): readonly JsonValue[] {
  const inner = members(value);
  return inner.length === 0 ? [] : [value, ...inner.flatMap(withDescendants)];
}

type Sliced = Extract<PathStep, { step: "index" | "slice" }>;

function sliced(step: Sliced, value: JsonValue): readonly JsonValue[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const items: readonly JsonValue[] = value;
  const { length } = items;
  const given = step.step === "index" ? step.at : (step.from ?? 0);
  const from = given < 0 ? given + length : given;
  const end = step.step === "index" ? from + 1 : endOf(step.to, length);
  if (from === end) return [];
  if (from < 0 || from >= length || end < 0 || end > length || from > end) return undefined;
  const by = step.step === "slice" ? (step.by ?? 1) : 1;
  return by <= 0 ? undefined : items.slice(from, end).filter((_, at) => at % by === 0);
}

function endOf(to: number | undefined, length: number): number {
  if (to === undefined) return length;
  return to < 0 ? to + length : to;
}

function filtered(step: Extract<PathStep, { step: "filter" }>, value: JsonValue): readonly JsonValue[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const kept: JsonValue[] = [];
  for (const item of value as readonly JsonValue[]) {
    const isKept = passes(step, item);
    if (isKept === undefined) return undefined;
    if (isKept) kept.push(item);
  }
  return kept;
}

/** Undefined when the two sides cannot be compared. */
function passes(step: Extract<PathStep, { step: "filter" }>, item: JsonValue): boolean | undefined {
  const left = findValues(step.left, item);
  if (step.operator === "exists") return left !== undefined && left.length > 0;
  const right = findValues(step.right, item);
  if (left === undefined || right === undefined || left.length > 1 || right.length > 1) return undefined;
  const [[first], [second]] = [left, right];
  if (first === undefined || second === undefined) return false;
  return compareValues(first, step.operator, second);
}

/** The text of a field for selectors, empty when there is none. */
export function fieldText(path: JsonPath, object: JsonValue): string {
  const [value] = findValues(path, object) ?? [];
  return value === undefined || value === null ? "" : goText(value);
}
