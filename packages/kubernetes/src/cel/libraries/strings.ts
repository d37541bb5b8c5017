import { escapedInQuotes } from "../../protocol/go-escapes.ts";
import { intType, listType, stringType } from "../cel-type.ts";
import { Failure } from "../values/failure.ts";
import { elementsOf } from "../values/lists.ts";
import type { Meter } from "../values/meter.ts";
import { changeUnits, codePointsOf, indexOfText, lastIndexOfText, sliceText, textLength } from "../values/text.ts";
import { type List, ListValue, type Outcome } from "../values/value.ts";
import { readingCost, rewriteCost, searchCost, tenth, textCost } from "./costs.ts";
import { formatFunction } from "./format.ts";
import { type FunctionDeclaration, free, type Library, method } from "./library.ts";

function outOfRange(index: bigint): Failure {
  return new Failure("index-out-of-range", `index out of range: ${index}`);
}

function charAt(text: string, index: bigint): Outcome {
  const length = textLength(text);
  if (index < 0n || index > length) return outOfRange(index);
  return sliceText(text, Number(index), Number(index) + 1);
}

function substringFrom(text: string, start: bigint): Outcome {
  const length = textLength(text);
  return start < 0n || start > length ? outOfRange(start) : sliceText(text, Number(start), length);
}

function substring(text: string, start: bigint, end: bigint): Outcome {
  if (start > end) return new Failure("invalid-argument", `invalid substring range. start: ${start}, end: ${end}`);
  const length = textLength(text);
  if (start < 0n || start > length) return outOfRange(start);
  return end > length ? outOfRange(end) : sliceText(text, Number(start), Number(end));
}

function indexOf(text: string, part: string, from: bigint): Outcome {
  if (from < 0n || from > textLength(text)) return outOfRange(from);
  return part === "" ? from : BigInt(indexOfText(text, part, Number(from)));
}

function lastIndexOf(text: string, part: string, from: bigint): Outcome {
  if (from < 0n || from > textLength(text)) return outOfRange(from);
  return part === "" ? from : BigInt(lastIndexOfText(text, part, Number(from)));
}

/** With a limit, the last item has the rest of the text. */
function split(text: string, separator: string, limit: number): ListValue {
  const parts = separator === "" ? codePointsOf(text) : text.split(separator);
  if (limit < 0 || parts.length <= limit) return new ListValue(parts);
  if (limit === 0) return new ListValue([]);
  return new ListValue([...parts.slice(0, limit - 1), parts.slice(limit - 1).join(separator)]);
}

/** The cost of splitting and copying, after a search that may take longer. */
function splitCost(text: string, separator: string): number {
  return Math.max(rewriteCost(text), searchCost(text, separator));
}

interface Replacement {
  readonly old: string;
  readonly fresh: string;
  readonly limit: number;
}

/** Replacing can multiply a text, so growth is charged before the result is built. */
function replace(text: string, { old, fresh, limit }: Replacement, meter: Meter): string {
  const parts = piecesAround(text, old);
  const times = limit < 0 ? parts.length - 1 : Math.min(limit, parts.length - 1);
  meter.spend(tenth(times * Math.max(0, fresh.length - old.length)));
  const kept = parts.slice(times).join(old);
  return [...parts.slice(0, times), kept].join(fresh);
}

/** The parts between occurrences of `old`; the empty string occurs before, between and after all characters. */
function piecesAround(text: string, old: string): readonly string[] {
  return old === "" ? ["", ...codePointsOf(text), ""] : text.split(old);
}

function join(list: List, separator: string): Outcome {
  const parts = elementsOf(list);
  const odd = parts.find((part) => typeof part !== "string");
  return odd === undefined
    ? parts.join(separator)
    : new Failure("no-such-overload", "join: a list element is not a string");
}

/** Twice the length of the result, for reading and writing. */
function joinCost(list: List, separator: string): number {
  const parts = elementsOf(list);
  const length = parts.reduce<number>((sum, part) => sum + (typeof part === "string" ? part.length : 0), 0);
  return tenth(2 * (length + separator.length * Math.max(0, parts.length - 1))) + Math.max(1, parts.length - 10);
}

const space = "[\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+";
const leading = new RegExp(`^${space}`);

function trim(text: string): string {
  return trimEnd(text.replace(leading, ""));
}

/** Without a pattern: one anchored only at the end would be tried at every character. */
function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && leading.test(text[end - 1] as string)) end -= 1;
  return text.slice(0, end);
}

function quote(text: string): string {
  const escaped = text.replace(/["\\\p{Cc}\p{Surrogate}]/gu, quoteCharacter);
  return `"${escaped}"`;
}

/** Other control characters are kept; lone surrogates are dropped. */
function quoteCharacter(character: string): string {
  return escapedInQuotes[character] ?? character.replace(/\p{Surrogate}/u, "\ufffd");
}

const lowerAscii = (text: string) => changeUnits(text, (unit) => (unit >= 65 && unit <= 90 ? unit + 32 : unit));
const upperAscii = (text: string) => changeUnits(text, (unit) => (unit >= 97 && unit <= 122 ? unit - 32 : unit));

const functions: readonly FunctionDeclaration[] = [
  {
    name: "charAt",
    overloads: [method([stringType, intType], stringType, charAt, readingCost)],
    summary: "The character at an index.",
    example: '"hello".charAt(1) == "e"',
  },
  {
    name: "indexOf",
    overloads: [
      method([stringType, stringType], intType, (text, part) => indexOf(text, part, 0n), searchCost),
      method([stringType, stringType, intType], intType, indexOf, searchCost),
    ],
    summary: "The index of the first occurrence of a string, optionally from an index on; -1 if there is none.",
    example: '"hello".indexOf("l") == 2 && "hello".indexOf("l", 3) == 3',
  },
  {
    name: "lastIndexOf",
    overloads: [
      method(
        [stringType, stringType],
        intType,
        (text, part) => lastIndexOf(text, part, BigInt(textLength(text))),
        searchCost,
      ),
      method([stringType, stringType, intType], intType, lastIndexOf, searchCost),
    ],
    summary: "The index of the last occurrence of a string, optionally up to an index; -1 if there is none.",
    example: '"hello".lastIndexOf("l") == 3 && "hello".lastIndexOf("l", 2) == 2',
  },
  {
    name: "join",
    overloads: [
      method(
        [listType(stringType)],
        stringType,
        (list) => join(list, ""),
        (list) => joinCost(list, ""),
      ),
      method([listType(stringType), stringType], stringType, join, joinCost),
    ],
    summary: "Joins the strings of a list, optionally with a separator.",
    example: '["a", "b"].join("-") == "a-b"',
  },
  {
    name: "lowerAscii",
    overloads: [method([stringType], stringType, lowerAscii, textCost)],
    summary: "Converts the ASCII letters A to Z to lower case.",
    example: '"AbÇ".lowerAscii() == "abÇ"',
  },
  {
    name: "upperAscii",
    overloads: [method([stringType], stringType, upperAscii, textCost)],
    summary: "Converts the ASCII letters a to z to upper case.",
    example: '"aBç".upperAscii() == "ABç"',
  },
  {
    name: "replace",
    overloads: [
      method(
        [stringType, stringType, stringType],
        stringType,
        (text, old, fresh, meter) => replace(text, { old, fresh, limit: -1 }, meter),
        splitCost,
      ),
      method(
        [stringType, stringType, stringType, intType],
        stringType,
        (...[text, old, fresh, limit, meter]) => replace(text, { old, fresh, limit: Number(limit) }, meter),
        splitCost,
      ),
    ],
    summary: "Replaces all occurrences of a string, or a limited number of them.",
    example: '"a-b-c".replace("-", ".") == "a.b.c" && "a-b-c".replace("-", ".", 1) == "a.b-c"',
  },
  {
    name: "split",
    overloads: [
      method(
        [stringType, stringType],
        listType(stringType),
        (text, separator) => split(text, separator, -1),
        splitCost,
      ),
      method(
        [stringType, stringType, intType],
        listType(stringType),
        (text, separator, limit) => split(text, separator, Number(limit)),
        splitCost,
      ),
    ],
    summary: "Splits a string at separators, optionally into a limited number of parts.",
    example: '"a,b,c".split(",") == ["a", "b", "c"] && "a,b,c".split(",", 2) == ["a", "b,c"]',
  },
  {
    name: "substring",
    overloads: [
      method([stringType, intType], stringType, substringFrom, textCost),
      method([stringType, intType, intType], stringType, substring, textCost),
    ],
    summary: "The characters from an index on, optionally up to another.",
    example: '"hello".substring(2) == "llo" && "hello".substring(1, 3) == "el"',
  },
  {
    name: "trim",
    overloads: [method([stringType], stringType, trim, textCost)],
    summary: "Removes white space at both ends.",
    example: '"  a b\\t".trim() == "a b"',
  },
  {
    name: "reverse",
    overloads: [method([stringType], stringType, (text) => codePointsOf(text).toReversed().join(""), rewriteCost)],
    summary: "The characters in reverse order.",
    example: '"abc".reverse() == "cba"',
  },
  {
    name: "strings.quote",
    overloads: [free([stringType], stringType, quote, textCost)],
    summary: "Adds double quotes and escapes special characters.",
    example: `strings.quote('a"b') == '"a\\\\"b"'`,
  },
  formatFunction,
];

export const stringsLibrary: Library = { name: "strings", functions, macros: [] };
