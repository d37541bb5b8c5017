import { boolType, bytesType, intType, listType, mapType, parameterType, stringType, type Type } from "../cel-type.ts";
import { noSuchOverload } from "../values/failure.ts";
import { listSize } from "../values/lists.ts";
import { mapSize } from "../values/maps.ts";
import type { Meter } from "../values/meter.ts";
import { textLength } from "../values/text.ts";
import { isList, isMapping, type Outcome, type Value } from "../values/value.ts";
import { searchCost, sizeCost, textCost } from "./costs.ts";
import { asMethods, type FunctionDeclaration, free, method, signatures } from "./library.ts";
import { patternCost } from "./pattern.ts";
import { type PatternUse, withConstantPattern, withPattern } from "./pattern-use.ts";

function size(value: Value): Outcome {
  if (typeof value === "string") return BigInt(textLength(value));
  if (value instanceof Uint8Array) return BigInt(value.length);
  if (isList(value)) return BigInt(listSize(value));
  return isMapping(value) ? BigInt(mapSize(value)) : noSuchOverload();
}

const sized: readonly Type[] = [
  stringType,
  bytesType,
  listType(parameterType("A")),
  mapType(parameterType("A"), parameterType("B")),
];
const sizes = signatures(
  size,
  sized.map((type) => [[type], intType]),
  sizeCost,
);

const matches: PatternUse<[Meter]> = (pattern, text) => pattern.test(text);

/** String functions of the standard library. */
export const textFunctions: readonly FunctionDeclaration[] = [
  {
    name: "size",
    overloads: [...sizes, ...asMethods(sizes)],
    summary: "The number of characters, bytes, list elements or map entries.",
    example: 'size("añb") == 3 && [1, 2].size() == 2',
  },
  {
    name: "contains",
    overloads: [method([stringType, stringType], boolType, (text, part) => text.includes(part), searchCost)],
    summary: "Whether a string contains another.",
    example: '"hello".contains("ell")',
  },
  {
    name: "startsWith",
    overloads: [method([stringType, stringType], boolType, (text, start) => text.startsWith(start), textCost)],
    summary: "Whether a string starts with another.",
    example: '"hello".startsWith("he")',
  },
  {
    name: "endsWith",
    overloads: [method([stringType, stringType], boolType, (text, end) => text.endsWith(end), textCost)],
    summary: "Whether a string ends with another.",
    example: '"hello".endsWith("lo")',
  },
  {
    name: "matches",
    overloads: [
      method([stringType, stringType], boolType, withPattern<[]>(matches), patternCost),
      free([stringType, stringType], boolType, withPattern<[]>(matches), patternCost),
    ],
    summary: "Whether a regular expression (RE2) matches somewhere in a string.",
    example: '"team-a".matches("^team-[a-z]+$")',
    prepare: withConstantPattern(matches),
  },
];
