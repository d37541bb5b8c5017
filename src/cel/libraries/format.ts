import { dynType, listType, runtimeName, stringType, type Type } from "../cel-type.ts";
import type { Expression } from "../syntax/ast.ts";
import type { Finding } from "../syntax/finding.ts";
import { fixedText, scientificText } from "../values/decimal-text.ts";
import { displayValue } from "../values/display.ts";
import { Failure } from "../values/failure.ts";
import { plainDecimal } from "../values/format-double.ts";
import { elementAt, listSize } from "../values/lists.ts";
import { asNumber } from "../values/numbers.ts";
import { typeNameOf } from "../values/type-name.ts";
import { encodeUtf8 } from "../values/utf8.ts";
import { type List, type Outcome, Uint, type Value } from "../values/value.ts";
import { displayCost, textCost } from "./costs.ts";
import { type CallSite, type FunctionDeclaration, method } from "./library.ts";

/** What a letter after the percent sign does. */
interface Conversion {
  /** The kinds of type it takes; all of them if there are none. */
  readonly kinds: readonly Type["kind"][];
  readonly rule: string;
  /** Undefined for a value of another type. */
  readonly write: (value: Value, precision: number) => string | undefined;
}

const numberKinds: readonly Type["kind"][] = ["int", "uint", "double"];

const conversions: Readonly<Record<string, Conversion>> = {
  s: { kinds: [], rule: "", write: (value) => displayValue(value) },
  d: {
    kinds: numberKinds,
    rule: "decimal clause can only be used on ints, uints, and doubles",
    write: (value) => (typeof value === "number" ? plainDecimal(value) : integerText(value, 10)),
  },
  f: {
    kinds: numberKinds,
    rule: "fixed-point clause can only be used on ints, uints, and doubles",
    write: (value, precision) => numberText(value, (number) => fixedText(number, precision)),
  },
  e: {
    kinds: numberKinds,
    rule: "scientific clause can only be used on ints, uints, and doubles",
    write: (value, precision) => numberText(value, (number) => scientificText(number, precision)),
  },
  b: {
    kinds: ["int", "uint", "bool"],
    rule: "only ints, uints, and bools can be formatted as binary",
    write: (value) => (typeof value === "boolean" ? String(Number(value)) : integerText(value, 2)),
  },
  o: {
    kinds: ["int", "uint"],
    rule: "octal clause can only be used on ints and uints",
    write: (value) => integerText(value, 8),
  },
  x: {
    kinds: ["int", "uint", "bytes", "string"],
    rule: "only ints, uints, bytes, and strings can be formatted as hex",
    write: hexText,
  },
  X: {
    kinds: ["int", "uint", "bytes", "string"],
    rule: "only ints, uints, bytes, and strings can be formatted as hex",
    write: (value) => hexText(value)?.toUpperCase(),
  },
};

function integerText(value: Value, radix: number): string | undefined {
  const integer = value instanceof Uint ? value.value : value;
  return typeof integer === "bigint" ? integer.toString(radix) : undefined;
}

function numberText(value: Value, write: (number: number | bigint) => string): string | undefined {
  const number = asNumber(value);
  return number === undefined ? undefined : write(number);
}

function hexText(value: Value): string | undefined {
  const bytes = typeof value === "string" ? encodeUtf8(value) : value;
  if (!(bytes instanceof Uint8Array)) return integerText(value, 16);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A piece of a template: plain text, a place for the next argument, or a mistake. */
type Piece =
  | { readonly text: string }
  | { readonly conversion: Conversion; readonly precision: number }
  | { readonly mistake: string };

const precisionDefault = 6;
const precisionMax = 100;

/** `%%`, or a clause: an optional precision and a letter. A percent sign at the end has no letter. */
const clause = /%(?:(?<percent>%)|(?:\.(?<precision>\d*))?(?<letter>.?))|(?<text>[^%]+)/gsu;

function piecesOf(template: string): Piece[] {
  return Array.from(template.matchAll(clause), ({ groups = {} }): Piece => {
    const { percent, precision, letter = "", text } = groups;
    if (percent !== undefined || text !== undefined) return { text: percent ?? text ?? "" };
    if (letter === "") return { mistake: "unexpected end of string" };
    const digits = precision === undefined ? precisionDefault : Number(precision || Number.NaN);
    if (!(digits <= precisionMax)) return { mistake: `precision must be 0 to ${precisionMax}` };
    const conversion = conversions[letter];
    if (conversion !== undefined) return { conversion, precision: digits };
    return { mistake: `could not parse formatting clause: unrecognized formatting clause "${letter}"` };
  });
}

function format(template: string, args: List): Outcome {
  const parts: string[] = [];
  let taken = 0;
  for (const piece of piecesOf(template)) {
    const part = "text" in piece ? piece.text : writePiece(piece, args, taken);
    if (part instanceof Failure) return part;
    if (!("text" in piece)) taken += 1;
    parts.push(part);
  }
  return parts.join("");
}

function writePiece(piece: Place, args: List, index: number): string | Failure {
  if ("mistake" in piece) return new Failure("invalid-argument", piece.mistake);
  if (index >= listSize(args)) return new Failure("invalid-argument", `index ${index} out of range`);
  const value = elementAt(args, index);
  const text = piece.conversion.write(value, piece.precision);
  return text ?? new Failure("invalid-argument", refusal(piece.conversion, typeNameOf(value)));
}

function refusal({ rule }: Conversion, typeName: string): string {
  return `error during formatting: ${rule}, was given ${typeName}`;
}

/** Where template and arguments are both written out, they are compared before anything runs. */
function examine({ args: [template, args], offset }: CallSite, typeOf: (expression: Expression) => Type): Finding[] {
  if (template?.kind !== "literal" || typeof template.value !== "string" || args?.kind !== "list") return [];
  const places = piecesOf(template.value).filter(isPlace);
  const findings = places.flatMap((place, index) => {
    const message = mistakeOf(place, args.elements[index]?.value, index);
    return message === undefined ? misfit(place, args.elements[index]?.value, typeOf) : [{ message, offset }];
  });
  if (findings.length > 0) return findings.slice(0, 1);
  const [wanted, given] = [places.length, args.elements.length];
  if (given <= wanted) return [];
  return [{ message: `too many arguments supplied to string.format (expected ${wanted}, got ${given})`, offset }];
}

type Place = Exclude<Piece, { text: string }>;

function isPlace(piece: Piece): piece is Place {
  return !("text" in piece);
}

function mistakeOf(place: Place, argument: Expression | undefined, index: number): string | undefined {
  if ("mistake" in place) return place.mistake;
  return argument === undefined ? `index ${index} out of range` : undefined;
}

function misfit(place: Place, argument: Expression | undefined, typeOf: (expression: Expression) => Type): Finding[] {
  if (argument === undefined || "mistake" in place) return [];
  const type = typeOf(argument);
  if (mayBe(type, place.conversion.kinds)) return [];
  return [{ message: refusal(place.conversion, runtimeName(type)), offset: argument.offset }];
}

function mayBe(type: Type, kinds: readonly Type["kind"][]): boolean {
  const kind = type.kind === "wrapper" ? type.of : type.kind;
  return kinds.length === 0 || kind === "dyn" || kind === "error" || kinds.includes(kind);
}

export const formatFunction: FunctionDeclaration = {
  name: "format",
  overloads: [
    method(
      [stringType, listType(dynType)],
      stringType,
      format,
      (template, args) => textCost(template) + displayCost(args),
    ),
  ],
  summary:
    "Puts values into a text: %s anything, %d numbers, %f and %e with a precision, %b %o %x %X integers, %% itself.",
  example: '"%s has %d of %.1f".format(["a", 3, 4.25]) == "a has 3 of 4.2"',
  takesMixedList: true,
  examine,
};
