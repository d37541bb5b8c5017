import { keywords, type Token } from "./lexer-token.ts";
import { scanString } from "./string-literal.ts";
import { SyntaxStop } from "./syntax-issue.ts";

const blank = /(?:[\t\n\f\r ]|\/\/[^\n]*)*/y;
const double = /(?:\d+\.\d+|\.\d+)(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+/y;
const integer = /(?:0x[0-9a-fA-F]+|\d+)([uU]?)/y;
const stringStart = /[bB]?[rR]?(?:"""|'''|"|')/y;
const name = /[A-Za-z_][A-Za-z0-9_]*/y;
const quotedName = /`([A-Za-z0-9_./ -]+)`/y;
const symbol = /==|!=|<=|>=|&&|\|\||[<>[\]{}().,\-!?:+*/%]/y;

/** Reads the token that starts at or after an offset. */
export function nextToken(source: string, from: number): Token {
  const offset = from + (match(blank, source, from)?.[0].length ?? 0);
  if (offset >= source.length) return { kind: "end", text: "<EOF>", offset };
  return numberAt(source, offset) ?? stringAt(source, offset) ?? wordAt(source, offset) ?? unreadable(source, offset);
}

function numberAt(source: string, offset: number): Token | undefined {
  const fractional = match(double, source, offset);
  if (fractional !== null) return { kind: "double", text: fractional[0], offset };
  const whole = match(integer, source, offset);
  if (whole === null) return undefined;
  return { kind: whole[1] === "" ? "int" : "uint", text: whole[0], offset };
}

function stringAt(source: string, offset: number): Token | undefined {
  const start = match(stringStart, source, offset);
  return start === null ? undefined : scanString(source, offset, start[0]);
}

function wordAt(source: string, offset: number): Token | undefined {
  const word = match(name, source, offset)?.[0];
  if (word !== undefined) return { kind: keywords.has(word) ? "symbol" : "name", text: word, offset };
  const mark = match(symbol, source, offset)?.[0];
  if (mark !== undefined) return { kind: "symbol", text: mark, offset };
  const quoted = match(quotedName, source, offset);
  return quoted === null ? undefined : { kind: "quoted-name", text: quoted[0], value: quoted[1] ?? "", offset };
}

function unreadable(source: string, offset: number): never {
  const character = String.fromCodePoint(source.codePointAt(offset) ?? 0);
  throw new SyntaxStop(`Syntax error: token recognition error at: '${character}'`, offset);
}

function match(pattern: RegExp, source: string, offset: number): RegExpExecArray | null {
  pattern.lastIndex = offset;
  return pattern.exec(source);
}
