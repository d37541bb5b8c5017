export interface DerElement {
  readonly tag: number;
  readonly content: Buffer;
}

/** Bytes that are no DER, or none that we read. */
export class DerError extends Error {
  override readonly name = "DerError";
}

/** The one element that the bytes are. */
export function readElement(bytes: Buffer): DerElement {
  const [only, ...more] = readElements(bytes);
  if (only === undefined || more.length > 0) throw new DerError("expected exactly one element");
  return only;
}

/** The elements that the bytes are, one after another. */
export function readElements(bytes: Buffer): readonly DerElement[] {
  const elements: DerElement[] = [];
  for (let at = 0; at < bytes.length; ) {
    const tag = byteAt(bytes, at);
    const { length, start } = readLength(bytes, at + 1);
    if (start + length > bytes.length) throw new DerError("element reaches beyond its end");
    elements.push({ tag, content: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return elements;
}

export function readObjectIdentifier(content: Buffer): string {
  const parts: number[] = [];
  let value = 0;
  for (const byte of content) {
    value = value * 128 + (byte & 0x7f);
    if (value > Number.MAX_SAFE_INTEGER / 128) throw new DerError("object identifier too large");
    if (byte >= 0x80) continue;
    parts.push(...(parts.length === 0 ? firstParts(value) : [value]));
    value = 0;
  }
  return parts.join(".");
}

function firstParts(value: number): number[] {
  const first = Math.min(Math.floor(value / 40), 2);
  return [first, value - first * 40];
}

function readLength(bytes: Buffer, at: number): { readonly length: number; readonly start: number } {
  const first = byteAt(bytes, at);
  if (first < 0x80) return { length: first, start: at + 1 };
  const digits = first & 0x7f;
  // Four bytes hold four gigabytes, and zero digits would be the indefinite form, which DER does not have.
  if (digits === 0 || digits > 4) throw new DerError("unreadable length");
  let length = 0;
  for (let digit = 1; digit <= digits; digit += 1) length = length * 256 + byteAt(bytes, at + digit);
  return { length, start: at + 1 + digits };
}

function byteAt(bytes: Buffer, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw new DerError("ends in the middle of an element");
  return byte;
}
