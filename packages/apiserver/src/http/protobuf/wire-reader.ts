/** Bytes that are no message of the kind they should be; the text is what Kubernetes would say. */
export class ProtobufFault extends Error {
  override readonly name = "ProtobufFault";
}

/** How a value follows its tag; four-byte values are only ever skipped. */
export const wireType = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** The start of a field: its number, and what form its value has. */
export interface Tag {
  readonly field: number;
  readonly type: number;
}

/** The bytes of a varint whose value a double still holds, and their bits. */
const narrowBytes = 7;
const narrowBits = 49n;

/** Tags below this take plain arithmetic. */
const tagNarrow = 2 ** 31;

/** Reads a message from its start to its end, never beyond it. */
export class WireReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** The tag of the next field; `message` names what is being read when there can be no such field. */
  tag(message: string): Tag {
    const wire = this.#varint();
    const { field, type } = typeof wire === "number" && wire < tagNarrow ? narrowTag(wire) : wideTag(BigInt(wire));
    if (type === 4) throw new ProtobufFault(`proto: ${message}: wiretype end group for non-group`);
    if (field <= 0) throw new ProtobufFault(`proto: ${message}: illegal tag ${field} (wire type ${wire})`);
    return { field, type };
  }

  /** Passes over a value that nobody asks for. */
  skip(type: number): void {
    if (type === wireType.varint) this.#varint();
    else if (type === wireType.bytes) this.#take(this.#length());
    else if (type === wireType.fixed64) this.#take(8);
    else if (type === wireType.fixed32) this.#take(4);
    else throw new ProtobufFault(`proto: illegal wireType ${type}`); // Groups too: nothing in Kubernetes has any.
  }

  /** A value with a length before it. It shares the memory of the message. */
  bytes(tag: Tag, name: string): Uint8Array {
    expectType(tag, wireType.bytes, name);
    return this.#take(this.#length());
  }

  bool(tag: Tag, name: string): boolean {
    expectType(tag, wireType.varint, name);
    const value = this.#varint();
    return typeof value === "number" ? value !== 0 : value !== 0n;
  }

  /** Only the lowest bits count, as in Go. */
  int32(tag: Tag, name: string): number {
    expectType(tag, wireType.varint, name);
    const value = this.#varint();
    return typeof value === "number" && value < 2 ** 31 ? value : int32(BigInt(value));
  }

  /** A bigint where a double would round it. */
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

  /** Seven bits a byte, the lowest first; 64 bits at most. */
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
    throw new ProtobufFault("proto: integer overflow");
  }

  #length(): number {
    const length = this.#varint();
    if (typeof length === "number") return length;
    if (length >= 2n ** 63n) throw new ProtobufFault("proto: negative length found during unmarshaling");
    return Number(length);
  }

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new ProtobufFault("unexpected EOF");
    this.#at += 1;
    return byte;
  }

  #take(length: number): Uint8Array {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new ProtobufFault("unexpected EOF");
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
  if (type !== expected) throw new ProtobufFault(`proto: wrong wireType = ${type} for field ${goFieldName(name)}`);
}

/** Go's field names begin with a capital. */
function goFieldName(name: string): string {
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}
