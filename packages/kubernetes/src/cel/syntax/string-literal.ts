import { goEscapes } from "../../protocol/go-escapes.ts";
import { encodeUtf8 } from "../values/utf8.ts";
import type { Token } from "./lexer-token.ts";
import { SyntaxStop } from "./syntax-issue.ts";

/** Reads a string or bytes literal after its prefix and opening quotes. */
export function scanString(source: string, offset: number, opening: string): Token {
  const quotes = opening.replace(/^[bBrR]*/, "");
  const raw = /[rR]/.test(opening);
  const start = offset + opening.length;
  const end = findEnd({ source, start, quotes, raw }) ?? unterminated(source, offset);
  const text = source.slice(offset, end + quotes.length);
  const body = source.slice(start, end).replace(/\r\n?/g, "\n");
  const pieces = raw ? [{ text: body }] : piecesOf(body, start);
  if (/^[bB]/.test(opening)) return { kind: "bytes", text, offset, value: bytesOf(pieces, start) };
  return { kind: "string", text, offset, value: textOf(pieces, start) };
}

interface StringScan {
  readonly source: string;
  readonly start: number;
  readonly quotes: string;
  readonly raw: boolean;
}

function findEnd({ source, start, quotes, raw }: StringScan): number | undefined {
  for (let index = start; index < source.length; index += 1) {
    if (source.startsWith(quotes, index)) return index;
    const character = source[index];
    if (quotes.length === 1 && (character === "\n" || character === "\r")) return undefined;
    if (character === "\\" && !raw) index += 1;
  }
  return undefined;
}

function unterminated(source: string, offset: number): never {
  const line = source.slice(offset).split("\n", 1)[0] ?? "";
  throw new SyntaxStop(`Syntax error: token recognition error at: '${line.slice(0, 80)}'`, offset);
}

/** Plain text, a code point (`\u`), or a byte in bytes and a code point in strings (`\x`, octal). */
type Piece = { readonly text: string } | { readonly point: number } | { readonly octet: number };

const pattern =
  /(?<plain>[^\\]+)|\\(?:(?<simple>[abfnrtv\\'"`?])|[xX](?<hex>[\da-fA-F]{2})|u(?<short>[\da-fA-F]{4})|U(?<long>[\da-fA-F]{8})|(?<octal>[0-3][0-7]{2})|)/g;

function piecesOf(body: string, start: number): Piece[] {
  return Array.from(body.matchAll(pattern), ({ groups = {}, index }): Piece => {
    const { plain, simple, hex, short, long, octal } = groups;
    if (plain !== undefined) return { text: plain };
    if (simple !== undefined) return { text: goEscapes[simple] ?? simple };
    if (hex !== undefined) return { octet: Number.parseInt(hex, 16) };
    if (octal !== undefined) return { octet: Number.parseInt(octal, 8) };
    const digits = short ?? long;
    if (digits !== undefined) return { point: Number.parseInt(digits, 16) };
    throw new SyntaxStop(`Syntax error: invalid escape sequence '${body.slice(index, index + 2)}'`, start + index);
  });
}

function textOf(pieces: readonly Piece[], start: number): string {
  return pieces
    .map((piece) => {
      if ("text" in piece) return piece.text;
      if ("octet" in piece) return String.fromCodePoint(piece.octet);
      if (isScalar(piece.point)) return String.fromCodePoint(piece.point);
      throw new SyntaxStop("Syntax error: invalid unicode code point", start);
    })
    .join("");
}

function bytesOf(pieces: readonly Piece[], start: number): Uint8Array {
  const bytes = pieces.flatMap((piece) => {
    if ("text" in piece) return [...encodeUtf8(piece.text)];
    if ("octet" in piece) return [piece.octet];
    throw new SyntaxStop("Syntax error: bytes have no unicode escapes", start);
  });
  return Uint8Array.from(bytes);
}

/** A code point that is not a surrogate. */
function isScalar(point: number): boolean {
  return point <= 0x10ffff && (point < 0xd800 || point >= 0xe000);
}
