// Implemented here because pure packages have neither TextEncoder nor Buffer.

const replacement = 0xfffd;

/** A lone surrogate becomes U+FFFD, as in every encoder. */
export function encodeUtf8(text: string): Uint8Array {
  const bytes = new Uint8Array(3 * text.length);
  let length = 0;
  for (let unit = 0; unit < text.length; unit += 1) {
    const point = text.codePointAt(unit) ?? replacement;
    if (point > 0xffff) unit += 1;
    length = writeCodePoint(bytes, length, point >= 0xd800 && point < 0xe000 ? replacement : point);
  }
  return bytes.slice(0, length);
}

/** Writes a code point at a position, and returns the position after it. */
function writeCodePoint(bytes: Uint8Array, at: number, point: number): number {
  if (point < 0x80) {
    bytes[at] = point;
    return at + 1;
  }
  const length = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  for (let index = length - 1; index > 0; index -= 1)
    bytes[at + index] = 0x80 | ((point >> (6 * (length - 1 - index))) & 0x3f);
  bytes[at] = ((0xf00 >> length) & 0xff) | (point >> (6 * (length - 1)));
  return at + length;
}

/** Undefined for invalid UTF-8. */
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

/** The smallest code point of each sequence length, to detect overlong encodings. */
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
