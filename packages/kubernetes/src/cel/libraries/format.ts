import { dynType, listType, runtimeName, stringType, type Type } from "../cel-type.ts";
import type { Expression } from "../syntax/ast.ts";
import type { Finding } from "../syntax/syntax-issue.ts";
import { displayValue } from "../values/display.ts";
import { Failure } from "../values/failure.ts";
import { elementAt, listSize } from "../values/lists.ts";
import type { Meter } from "../values/meter.ts";
import { fixedText, scientificText } from "../values/numbers/decimal-text.ts";
import { asNumber } from "../values/numbers/numbers.ts";
import { typeNameOf } from "../values/type-name.ts";
import { encodeUtf8 } from "../values/utf8.ts";
import { type List, type Outcome, Uint, type Value } from "../values/value.ts";
import { rewriteCost, tenth } from "./costs.ts";
import { type CallSite, type FunctionDeclaration, method } from "./library.ts";

/** A formatting verb. */
interface Conversion {
  /** The types it accepts; empty for all. */
  readonly kinds: readonly Type["kind"][];
  readonly rule: string;
  /** Undefined for a value of another type. Charges for longer output. */
  readonly write: (value: Value, meter: Meter, precision: number) => string | undefined;
}

const numberKinds: readonly Type["kind"][] = ["int", "uint", "double"];

const conversions: Readonly<Record<string, Conversion>> = {
  s: { kinds: [], rule: "", write: displayAny },
  d: {
    kinds: numberKinds,
    rule: "decimal clause can only be used on ints, uints, and doubles",
    write: (value, meter) => (typeof value === "number" ? displayValue(value, meter) : integerText(value, 10)),
  },
  f: {
    kinds: numberKinds,
    rule: "fixed-point clause can only be used on ints, uints, and doubles",
    write: numberText(fixedText),
  },
  e: {
    kinds: numberKinds,
    rule: "scientific clause can only be used on ints, uints, and doubles",
    write: numberText(scientificText),
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
    write: (value, meter) => hexText(value, meter)?.toUpperCase(),
  },
};

function integerText(value: Value, radix: number): string | undefined {
  const integer = value instanceof Uint ? value.value : value;
  return typeof integer === "bigint" ? integer.toString(radix) : undefined;
}

function displayAny(value: Value, meter: Meter): string {
  return displayValue(value, meter);
}

/** Charged by the digits to compute: those requested, and those before the point or the zeros after it. */
function numberText(write: (number: number | bigint, precision: number) => string): Conversion["write"] {
  return (value, meter, precision) => {
    const number = asNumber(value);
    if (number === undefined) return undefined;
    const zeros = Math.abs(Math.log10(Math.abs(Number(number))));
    meter.spend(tenth(precision + (Number.isFinite(zeros) ? zeros : 0)));
    return write(number, precision);
  };
}

const hexPairs: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

function hexText(value: Value, meter: Meter): string | undefined {
  if (typeof value !== "string" && !(value instanceof Uint8Array)) return integerText(value, 16);
  meter.spend(Math.floor(value.length / 2));
  const bytes = typeof value === "string" ? encodeUtf8(value) : value;
  let text = "";
  for (const byte of bytes) text += hexPairs[byte];
  return text;
}

/** A part of a template: plain text, a placeholder for the next argument, or an error. */
type Piece =
  | { readonly text: string }
  | { readonly conversion: Conversion; readonly precision: number }
  | { readonly mistake: string };

const precisionDefault = 6;
const precisionMax = 100;

/** The text after a percent sign: another one, or an optional precision and a letter. */
const clause = /(?:\.(\d*))?(.?)/suy;

function piecesOf(template: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (let percent = template.indexOf("%"); percent >= 0; percent = template.indexOf("%", end)) {
    if (percent > end) pieces.push({ text: template.slice(end, percent) });
    clause.lastIndex = percent + 1;
    const [, precision, letter = ""] = clause.exec(template) ?? [];
    pieces.push(letter === "%" && precision === undefined ? { text: "%" } : pieceOf(precision, letter));
    end = clause.lastIndex;
  }
  if (end < template.length) pieces.push({ text: template.slice(end) });
  return pieces;
}

function pieceOf(precision: string | undefined, letter: string): Piece {
  if (letter === "") return { mistake: "unexpected end of string" };
  const digits = precision === undefined ? precisionDefault : Number(precision || Number.NaN);
  if (!(digits <= precisionMax)) return { mistake: `precision must be 0 to ${precisionMax}` };
  const conversion = conversions[letter];
  if (conversion !== undefined) return { conversion, precision: digits };
  return { mistake: `could not parse formatting clause: unrecognized formatting clause "${letter}"` };
}

function format(template: string, args: List, meter: Meter): Outcome {
  const parts: string[] = [];
  let taken = 0;
  for (const piece of piecesOf(template)) {
    const part = "text" in piece ? piece.text : writePiece(piece, elementOf(args, taken), meter);
    if (part === undefined) return new Failure("invalid-argument", `index ${taken} out of range`);
    if (part instanceof Failure) return part;
    if (!("text" in piece)) taken += 1;
    parts.push(part);
  }
  return parts.join("");
}

function elementOf(list: List, index: number): Value | undefined {
  return index < listSize(list) ? elementAt(list, index) : undefined;
}

/** Undefined if there is no argument left. */
function writePiece(piece: Placeholder, value: Value | undefined, meter: Meter): string | Failure | undefined {
  if ("mistake" in piece) return new Failure("invalid-argument", piece.mistake);
  if (value === undefined) return undefined;
  meter.spend(1);
  const text = piece.conversion.write(value, meter, piece.precision);
  return text ?? new Failure("invalid-argument", mismatchMessage(piece.conversion, typeNameOf(value)));
}

function mismatchMessage({ rule }: Conversion, typeName: string): string {
  return `error during formatting: ${rule}, was given ${typeName}`;
}

/** A literal template with literal arguments is checked at compile time. */
function examine({ args: [template, args], offset }: CallSite, typeOf: (expression: Expression) => Type): Finding[] {
  if (template?.kind !== "literal" || typeof template.value !== "string" || args?.kind !== "list") return [];
  const placeholders = piecesOf(template.value).filter(isPlaceholder);
  const findings = placeholders.flatMap((placeholder, index) => {
    const message = mistakeOf(placeholder, args.elements[index]?.value, index);
    return message === undefined
      ? typeMismatch(placeholder, args.elements[index]?.value, typeOf)
      : [{ message, offset }];
  });
  if (findings.length > 0) return findings.slice(0, 1);
  const [wanted, given] = [placeholders.length, args.elements.length];
  if (given <= wanted) return [];
  return [{ message: `too many arguments supplied to string.format (expected ${wanted}, got ${given})`, offset }];
}

type Placeholder = Exclude<Piece, { text: string }>;

function isPlaceholder(piece: Piece): piece is Placeholder {
  return !("text" in piece);
}

function mistakeOf(placeholder: Placeholder, argument: Expression | undefined, index: number): string | undefined {
  if ("mistake" in placeholder) return placeholder.mistake;
  return argument === undefined ? `index ${index} out of range` : undefined;
}

function typeMismatch(
  placeholder: Placeholder,
  argument: Expression | undefined,
  typeOf: (expression: Expression) => Type,
): Finding[] {
  if (argument === undefined || "mistake" in placeholder) return [];
  const type = typeOf(argument);
  if (mayBe(type, placeholder.conversion.kinds)) return [];
  return [{ message: mismatchMessage(placeholder.conversion, runtimeName(type)), offset: argument.offset }];
}

function mayBe(type: Type, kinds: readonly Type["kind"][]): boolean {
  const kind = type.kind === "wrapper" ? type.of : type.kind;
  return kinds.length === 0 || kind === "dyn" || kind === "error" || kinds.includes(kind);
}

export const formatFunction: FunctionDeclaration = {
  name: "format",
  overloads: [method([stringType, listType(dynType)], stringType, format, rewriteCost)],
  summary: "Formats values: %s anything, %d numbers, %f and %e with a precision, %b %o %x %X integers, %% itself.",
  example: '"%s has %d of %.1f".format(["a", 3, 4.25]) == "a has 3 of 4.2"',
  takesMixedList: true,
  examine,
};
