import { intType, listType, stringType } from "../cel-type.ts";
import type { Meter } from "../values/meter.ts";
import { ListValue } from "../values/value.ts";
import { type FunctionDeclaration, type Library, method } from "./library.ts";
import { patternCost } from "./pattern.ts";
import { type PatternUse, withConstantPattern, withPattern } from "./pattern-use.ts";

const find: PatternUse<[Meter]> = (pattern, text) => pattern.find(text);

/** With a limit and the meter, or with the meter only. */
const findAll: PatternUse<[bigint, Meter] | [Meter]> = (pattern, text, ...rest) => {
  const [limit, meter] = rest.length === 2 ? rest : [-1n, rest[0]];
  return new ListValue(pattern.findAll(text, Number(limit), meter));
};

const functions: readonly FunctionDeclaration[] = [
  {
    name: "find",
    overloads: [method([stringType, stringType], stringType, withPattern<[]>(find), patternCost)],
    summary: "The first match of a regular expression, empty if there is none.",
    example: '"abc 123".find("[0-9]+") == "123"',
    prepare: withConstantPattern(find),
  },
  {
    name: "findAll",
    overloads: [
      method([stringType, stringType], listType(stringType), withPattern<[]>(findAll), patternCost),
      method([stringType, stringType, intType], listType(stringType), withPattern<[bigint]>(findAll), patternCost),
    ],
    summary: "All matches of a regular expression, or the first few.",
    example: '"123 456".findAll("[0-9]+") == ["123", "456"] && "1 2 3".findAll("[0-9]", 2) == ["1", "2"]',
    prepare: withConstantPattern(findAll),
  },
];

export const regexLibrary: Library = { name: "regex", functions, macros: [] };
