/** Bytes that are not a message of the expected type; the text is Kubernetes' error. */
export class ProtobufError extends Error {
  override readonly name = "ProtobufError";
}

/** Wire types; four-byte values are only skipped. */
export const wireType = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** The tag of a field: its number and the wire type of its value. */
export interface Tag {
  readonly field: number;
  readonly type: number;
}

/** The bytes of a varint whose value fits into a double, and their bits. */
const narrowBytes = 7;
const narrowBits = 49n;

/** Tags below this are read with plain arithmetic. */
const tagNarrow = 2 ** 31;

/** Reads one message, never beyond its end. */
export class WireReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** The tag of the next field; `message` names the message in errors. */
  tag(message: string): Tag {
    const wire = this.#varint();
    const { field, type } = typeof wire === "number" && wire < tagNarrow ? narrowTag(wire) : wideTag(BigInt(wire));
    if (type === 4) throw new ProtobufError(`proto: ${message}: wiretype end group for non-group`);
    if (field <= 0) throw new ProtobufError(`proto: ${message}: illegal tag ${field} (wire type ${wire})`);
    return { field, type };
  }

  /** Skips a value. */
  skip(type: number): void {
    if (type === wireType.varint) this.#varint();
    else if (type === wireType.bytes) this.#take(this.#length());
    else if (type === wireType.fixed64) this.#take(8);
    else if (type === wireType.fixed32) this.#take(4);
    else throw new ProtobufError(`proto: illegal wireType ${type}`); // Groups too: Kubernetes uses none.
  }

  /** A length-prefixed value. It shares the memory of the message. */
  bytes(tag: Tag, name: string): Uint8Array {
    expectType(tag, wireType.bytes, name);
    return this.#take(this.#length());
  }

  bool(tag: Tag, name: string): boolean {
    expectType(tag, wireType.varint, name);
    const value = this.#varint();
    return typeof value === "number" ? value !== 0 : value !== 0n;
  }

  /** The low 32 bits, as in Go. */
  int32(tag: Tag, name: string): number {
    expectType(tag, wireType.varint, name);
    const value = this.#varint();
    return typeof value === "number" && value < 2 ** 31 ? value : int32(BigInt(value));
  }

  /** A bigint where a double would round. */
  int64(tag: Tag, name: string): number | bigint {
    expectType(tag, wireType.varint, name);
    const value = this.#varint();
    if (typeof value === "number") return value;
    const signed = BigInt.asIntN(64, value);
    return Number.isSafeInteger(Number(signed)) ? Number(signed) : signed;
  }

  double(tag: Tag, name: string): number {
    expectType(tag, wireType.fixed64, name);
    const { buffer, byteOffset } = this.#take(8);
    return new DataView(buffer, byteOffset, 8).getFloat64(0, true);
  }

  /** Seven bits per byte, least significant first; 64 bits at most. */
  #varint(): number | bigint {
    let value = 0;
    for (let size = 0, scale = 1; size < narrowBytes; size += 1, scale *= 128) {
      const byte = this.#byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    let wide = BigInt(value);
    for (let shift = narrowBits; shift < 64n; shift += 7n) {
      const byte = this.#byte();
      wide |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, wide);
    }
    throw new ProtobufError("proto: integer overflow");
  }

  #length(): number {
    const length = this.#varint();
    if (typeof length === "number") return length;
    if (length >= 2n ** 63n) throw new ProtobufError("proto: negative length found during unmarshaling");
    return Number(length);
  }

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new ProtobufError("unexpected EOF");
    this.#at += 1;
    return byte;
  }

  #take(length: number): Uint8Array {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new ProtobufError("unexpected EOF");
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}

function narrowTag(wire: number): Tag {
  return { field: wire >>> 3, type: wire & 7 };
}

function wideTag(wire: bigint): Tag {
  return { field: int32(wire >> 3n), type: Number(wire & 7n) };
}

function int32(value: bigint): number {
  return Number(BigInt.asIntN(32, value));
}

function expectType({ type }: Tag, expected: number, name: string): void {
  if (type !== expected) throw new ProtobufError(`proto: wrong wireType = ${type} for field ${goFieldName(name)}`);
}

/** Go's field names begin with a capital. */
function goFieldName(name: string): string {
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}
