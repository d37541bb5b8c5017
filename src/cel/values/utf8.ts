// Written out because the pure rooms have neither TextEncoder nor Buffer.

const replacement = 0xfffd;

/** The bytes of a text; a lone surrogate becomes U+FFFD, as in every encoder. */
export function encodeUtf8(text: string): Uint8Array {
  const bytes: number[] = [];
  for (const character of text) {
    const point = character.codePointAt(0) ?? replacement;
    pushCodePoint(bytes, point >= 0xd800 && point < 0xe000 ? replacement : point);
  }
  return Uint8Array.from(bytes);
}

function pushCodePoint(bytes: number[], point: number): void {
  if (point < 0x80) bytes.push(point);
  else if (point < 0x800) bytes.push(0xc0 | (point >> 6), tail(point));
  else if (point < 0x10000) bytes.push(0xe0 | (point >> 12), tail(point >> 6), tail(point));
  else bytes.push(0xf0 | (point >> 18), tail(point >> 12), tail(point >> 6), tail(point));
}

function tail(bits: number): number {
  return 0x80 | (bits & 0x3f);
}

/** The text of some bytes, or undefined if they are not valid UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  const parts: string[] = [];
  let index = 0;
  while (index < bytes.length) {
    const length = sequenceLength(bytes[index] as number);
    const point = codePointAt(bytes, index, length);
    if (point === undefined) return undefined;
    parts.push(String.fromCodePoint(point));
    index += length;
  }
  return parts.join("");
}

function sequenceLength(first: number): number {
  if (first < 0x80) return 1;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}

/** The smallest code point of each sequence length: anything below was encoded longer than it needs. */
const smallest = [0, 0, 0x80, 0x800, 0x10000] as const;

function codePointAt(bytes: Uint8Array, start: number, length: number): number | undefined {
  const first = bytes[start] as number;
  if ((first >= 0x80 && first < 0xc2) || first > 0xf4 || start + length > bytes.length) return undefined;
  let point = length === 1 ? first : first & (0x7f >> length);
  for (let index = start + 1; index < start + length; index += 1) {
    const next = bytes[index] as number;
    if ((next & 0xc0) !== 0x80) return undefined;
    point = (point << 6) | (next & 0x3f);
  }
  const surrogate = point >= 0xd800 && point < 0xe000;
  return surrogate || point > 0x10ffff || point < (smallest[length] ?? 0) ? undefined : point;
}
