import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  parameterType,
  stringType,
  type Type,
  timestampType,
  typeTypeOf,
  uintType,
} from "../cel-type.ts";
import { toBool, toBytes, toDouble, toDuration, toInt, toText, toTimestamp, toUint } from "../values/conversions.ts";
import { Failure } from "../values/failure.ts";
import { typeNameOf } from "../values/type-name.ts";
import { type Outcome, TypeName, type Value } from "../values/value.ts";
import { callCost, parsingCost, readingCost, textCost } from "./costs.ts";
import { type FunctionDeclaration, type Preparation, signatures } from "./library.ts";

const a = parameterType("A");

/**
 * Constant conversions run once, at compile time. A failure is left to the evaluation, which may never reach it; but an
 * invalid time is always an error.
 */
function folding(convert: (value: Value) => Outcome, refuses: boolean): Preparation {
  return {
    argument: 0,
    with: (value) => {
      const constant = convert(value);
      if (!(constant instanceof Failure)) return { constant };
      return refuses ? constant : undefined;
    },
  };
}

interface Conversion {
  readonly to: Type;
  readonly from: readonly Type[];
  readonly convert: (value: Value) => Outcome;
  readonly cost: (value: Value) => number;
  readonly summary: string;
  readonly example: string;
}

function conversion(name: string, { to, from, convert, cost, summary, example }: Conversion): FunctionDeclaration {
  const all = from.map((type): [readonly Type[], Type] => [[type], to]);
  const prepare = folding(convert, to === timestampType || to === durationType);
  return { name, overloads: signatures(convert, all, cost), summary, example, prepare };
}

/** Between strings and bytes every character is visited; other conversions have constant cost. */
function encodingCost(value: Value): number {
  return typeof value === "string" || value instanceof Uint8Array ? textCost(value) : 1;
}

export const conversionFunctions: readonly FunctionDeclaration[] = [
  conversion("int", {
    to: intType,
    from: [intType, uintType, doubleType, stringType, timestampType, durationType],
    convert: toInt,
    cost: readingCost,
    summary: "To int: fractions are cut off; a timestamp gives its seconds, a duration its nanoseconds.",
    example: 'int("42") == 42 && int(-1.9) == -1',
  }),
  conversion("uint", {
    to: uintType,
    from: [uintType, intType, doubleType, stringType],
    convert: toUint,
    cost: readingCost,
    summary: "To an unsigned int.",
    example: "uint(42) == 42u",
  }),
  conversion("double", {
    to: doubleType,
    from: [doubleType, intType, uintType, stringType],
    convert: toDouble,
    cost: readingCost,
    summary: "To double.",
    example: 'double("1.5") == 1.5',
  }),
  conversion("bool", {
    to: boolType,
    from: [boolType, stringType],
    convert: toBool,
    cost: readingCost,
    summary: 'From "true", "false", "t", "f", "1", "0" and their capitalized forms.',
    example: 'bool("true")',
  }),
  conversion("string", {
    to: stringType,
    from: [stringType, intType, uintType, doubleType, boolType, bytesType, timestampType, durationType],
    convert: toText,
    cost: (value) => (value instanceof Uint8Array ? textCost(value) : 1),
    summary: "To a string.",
    example: 'string(42) == "42"',
  }),
  conversion("bytes", {
    to: bytesType,
    from: [bytesType, stringType],
    convert: toBytes,
    cost: encodingCost,
    summary: "A string as UTF-8.",
    example: 'bytes("é") == b"\\xc3\\xa9"',
  }),
  conversion("timestamp", {
    to: timestampType,
    from: [timestampType, stringType, intType],
    convert: toTimestamp,
    cost: readingCost,
    summary: "From RFC 3339, or from seconds since 1970.",
    example: 'timestamp("1970-01-01T00:01:00Z") == timestamp(60)',
  }),
  conversion("duration", {
    to: durationType,
    from: [durationType, stringType],
    convert: toDuration,
    cost: parsingCost,
    summary: "From a string such as `1h30m`, `45s` or `1.5h`.",
    example: 'duration("90m") == duration("1h30m")',
  }),
  {
    name: "dyn",
    overloads: signatures((value: Value) => value, [[[a], dynType]], callCost),
    summary: "The same value as type dyn, checked at run time.",
    example: "dyn(1) == dyn(1.0)",
  },
  {
    name: "type",
    overloads: signatures((value: Value) => new TypeName(typeNameOf(value)), [[[a], typeTypeOf(a)]], callCost),
    summary: "The type of a value.",
    example: "type(1) == int",
  },
];
