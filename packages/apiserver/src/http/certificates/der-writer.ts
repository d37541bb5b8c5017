/** Tags of DER, the encoding of certificates. Those with 0x20 are constructed. */
export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

export function element(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

export function sequence(...parts: readonly Uint8Array[]): Buffer {
  return element(tags.sequence, ...parts);
}

/** An element with a context-specific tag. */
export function contextElement(number: number, content: Uint8Array, form: "primitive" | "constructed"): Buffer {
  return element((form === "constructed" ? 0xa0 : 0x80) | number, content);
}

/** A positive integer, from its bytes. */
export function positiveInteger(bytes: Uint8Array): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = first < 0 ? Buffer.from([0]) : Buffer.from(bytes.subarray(first));
  return element(tags.integer, (digits[0] as number) >= 0x80 ? Buffer.concat([Buffer.from([0]), digits]) : digits);
}

/** Only true is ever written: DER omits defaults. */
export function trueValue(): Buffer {
  return element(tags.boolean, Buffer.from([0xff]));
}

export function octetString(content: Uint8Array): Buffer {
  return element(tags.octetString, content);
}

export function bitString(content: Uint8Array, unusedBits = 0): Buffer {
  return element(tags.bitString, Buffer.from([unusedBits]), content);
}

export function utf8String(text: string): Buffer {
  return element(tags.utf8String, Buffer.from(text, "utf8"));
}

/** `2.5.4.3` */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return element(tags.objectIdentifier, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let left = value >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80);
  return digits;
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const digits: number[] = [];
  for (let left = length; left > 0; left = Math.floor(left / 256)) digits.unshift(left % 256);
  return Buffer.from([0x80 | digits.length, ...digits]);
}
