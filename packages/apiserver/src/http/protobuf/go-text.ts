import { isUtf8 } from "node:buffer";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The replacement character. */
const replacement = Uint8Array.of(0xef, 0xbf, 0xbd);

/** Text as Go marshals it to JSON: every invalid byte becomes a replacement character. */
export function textOf(bytes: Uint8Array): string {
  return decoder.decode(isUtf8(bytes) ? bytes : repaired(bytes));
}

function repaired(bytes: Uint8Array): Uint8Array {
  const text = new Uint8Array(bytes.length * replacement.length);
  let end = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at);
    const character = length === 0 ? replacement : bytes;
    const start = length === 0 ? 0 : at;
    for (let next = 0; next < (length || replacement.length); next += 1) {
      text[end] = character[start + next] as number;
      end += 1;
    }
    at += length || 1;
  }
  return text.subarray(0, end);
}

/** Length in bytes of the character that begins here; zero for an invalid sequence. */
function characterLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return 1;
  const length = first < 0xc2 || first > 0xf4 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (length === 0 || !isSecond(first, bytes[at + 1])) return 0;
  for (let next = at + 2; next < at + length; next += 1) if (!isBetween(bytes[next], 0x80, 0xbf)) return 0;
  return length;
}

/** Excludes overlong encodings, surrogates and code points beyond U+10FFFF. */
function isSecond(first: number, second: number | undefined): boolean {
  if (first === 0xe0) return isBetween(second, 0xa0, 0xbf);
  if (first === 0xed) return isBetween(second, 0x80, 0x9f);
  if (first === 0xf0) return isBetween(second, 0x90, 0xbf);
  return isBetween(second, 0x80, first === 0xf4 ? 0x8f : 0xbf);
}

function isBetween(byte: number | undefined, min: number, max: number): boolean {
  return byte !== undefined && byte >= min && byte <= max;
}
