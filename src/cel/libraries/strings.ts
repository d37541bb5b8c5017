import { intType, listType, stringType } from "../cel-type.ts";
import { Failure } from "../values/failure.ts";
import { elementsOf } from "../values/lists.ts";
import { codePointsOf, indexOfText, lastIndexOfText, sliceText, textLength } from "../values/text.ts";
import { type List, ListValue, type Outcome } from "../values/value.ts";
import { rewriteCost, tenth, textCost } from "./costs.ts";
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

/** The texts between separators; with a limit, the last one keeps the rest. */
function split(text: string, separator: string, limit: number): ListValue {
  const parts = separator === "" ? codePointsOf(text) : text.split(separator);
  if (limit < 0 || parts.length <= limit) return new ListValue(parts);
  if (limit === 0) return new ListValue([]);
  return new ListValue([...parts.slice(0, limit - 1), parts.slice(limit - 1).join(separator)]);
}

function replace(text: string, old: string, fresh: string, limit: number): string {
  const parts = piecesAround(text, old);
  if (limit < 0 || parts.length - 1 <= limit) return parts.join(fresh);
  const kept = parts.slice(limit).join(old);
  return [...parts.slice(0, limit), kept].join(fresh);
}

/** What stays when `old` is taken out; the empty text is found before, between and after all characters. */
function piecesAround(text: string, old: string): readonly string[] {
  return old === "" ? ["", ...codePointsOf(text), ""] : text.split(old);
}

/** The traversal, and what the result is longer than the text by: replacing can multiply a text. */
function replaceCost(text: string, old: string, fresh: string): number {
  const growth = Math.max(0, fresh.length - old.length);
  const replacements = growth === 0 ? 0 : occurrences(text, old);
  return rewriteCost(text) + tenth(growth * replacements);
}

function occurrences(text: string, part: string): number {
  if (part === "") return text.length + 1;
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count += 1;
  return count;
}

function join(list: List, separator: string): Outcome {
  const parts = elementsOf(list);
  const odd = parts.find((part) => typeof part !== "string");
  return odd === undefined
    ? parts.join(separator)
    : new Failure("no-such-overload", "join: a list element is not a string");
}

/** Twice the length of the result, as it is read and written. */
function joinCost(list: List, separator: string): number {
  const parts = elementsOf(list);
  const length = parts.reduce<number>((sum, part) => sum + (typeof part === "string" ? part.length : 0), 0);
  return tenth(2 * (length + separator.length * Math.max(0, parts.length - 1))) + tenth(parts.length);
}

const space = "[\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+";
const leading = new RegExp(`^${space}`);

function trim(text: string): string {
  return trimEnd(text.replace(leading, ""));
}

/** By hand: a pattern anchored at the end alone is tried at every character. */
function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && leading.test(text[end - 1] as string)) end -= 1;
  return text.slice(0, end);
}

const quoted: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

function quote(text: string): string {
  const characters = Array.from(
    text,
    (character) => quoted[character] ?? character.replace(/\p{Surrogate}/u, "\ufffd"),
  );
  return `"${characters.join("")}"`;
}

const lowerAscii = (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
const upperAscii = (text: string) => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());

const functions: readonly FunctionDeclaration[] = [
  {
    name: "charAt",
    overloads: [method([stringType, intType], stringType, charAt)],
    summary: "The character at an index.",
    example: '"hello".charAt(1) == "e"',
  },
  {
    name: "indexOf",
    overloads: [
      method([stringType, stringType], intType, (text, part) => indexOf(text, part, 0n), textCost),
      method([stringType, stringType, intType], intType, indexOf, textCost),
    ],
    summary: "Where a string is found first, perhaps from an index on; -1 if nowhere.",
    example: '"hello".indexOf("l") == 2 && "hello".indexOf("l", 3) == 3',
  },
  {
    name: "lastIndexOf",
    overloads: [
      method(
        [stringType, stringType],
        intType,
        (text, part) => lastIndexOf(text, part, BigInt(textLength(text))),
        textCost,
      ),
      method([stringType, stringType, intType], intType, lastIndexOf, textCost),
    ],
    summary: "Where a string is found last, perhaps from an index back; -1 if nowhere.",
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
    summary: "The strings of a list one after another, perhaps with a separator.",
    example: '["a", "b"].join("-") == "a-b"',
  },
  {
    name: "lowerAscii",
    overloads: [method([stringType], stringType, lowerAscii, textCost)],
    summary: "The letters A to Z as small letters.",
    example: '"AbÇ".lowerAscii() == "abÇ"',
  },
  {
    name: "upperAscii",
    overloads: [method([stringType], stringType, upperAscii, textCost)],
    summary: "The letters a to z as capitals.",
    example: '"aBç".upperAscii() == "ABç"',
  },
  {
    name: "replace",
    overloads: [
      method(
        [stringType, stringType, stringType],
        stringType,
        (text, old, fresh) => replace(text, old, fresh, -1),
        replaceCost,
      ),
      method(
        [stringType, stringType, stringType, intType],
        stringType,
        (text, old, fresh, limit) => replace(text, old, fresh, Number(limit)),
        replaceCost,
      ),
    ],
    summary: "Puts one string in the place of another, everywhere or a number of times.",
    example: '"a-b-c".replace("-", ".") == "a.b.c" && "a-b-c".replace("-", ".", 1) == "a.b-c"',
  },
  {
    name: "split",
    overloads: [
      method(
        [stringType, stringType],
        listType(stringType),
        (text, separator) => split(text, separator, -1),
        rewriteCost,
      ),
      method(
        [stringType, stringType, intType],
        listType(stringType),
        (text, separator, limit) => split(text, separator, Number(limit)),
        rewriteCost,
      ),
    ],
    summary: "The parts between separators, perhaps no more than a number of them.",
    example: '"a,b,c".split(",") == ["a", "b", "c"] && "a,b,c".split(",", 2) == ["a", "b,c"]',
  },
  {
    name: "substring",
    overloads: [
      method([stringType, intType], stringType, substringFrom, textCost),
      method([stringType, intType, intType], stringType, substring, textCost),
    ],
    summary: "The characters from an index on, perhaps up to another.",
    example: '"hello".substring(2) == "llo" && "hello".substring(1, 3) == "el"',
  },
  {
    name: "trim",
    overloads: [method([stringType], stringType, trim, textCost)],
    summary: "Without white space at either end.",
    example: '"  a b\\t".trim() == "a b"',
  },
  {
    name: "reverse",
    overloads: [method([stringType], stringType, (text) => codePointsOf(text).toReversed().join(""), textCost)],
    summary: "The characters in reverse order.",
    example: '"abc".reverse() == "cba"',
  },
  {
    name: "strings.quote",
    overloads: [free([stringType], stringType, quote, textCost)],
    summary: "In double quotes, special characters escaped.",
    example: `strings.quote('a"b') == '"a\\\\"b"'`,
  },
  formatFunction,
];

export const stringsLibrary: Library = { name: "strings", functions, macros: [] };
