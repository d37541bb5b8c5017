// Reads one file of a ZIP archive. Supports only the parts of the format that this needs.
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { crc32, inflateRawSync } from "node:zlib";

const endBytesMax = 22 + 0xffff;
const directoryBytesMax = 1 << 20;
const entryBytesMax = 256 << 20;

interface Entry {
  readonly method: number;
  readonly crc: number;
  readonly packedBytes: number;
  readonly bytes: number;
  readonly headerAt: number;
}

export function readZipEntry(archive: string, name: string): Uint8Array {
  const file = openSync(archive, "r");
  try {
    const entry = findEntry(directoryOf(file), name);
    if (entry === undefined) throw new Error(`${archive} holds no ${name}`);
    const content = unpacked(file, entry);
    if (content.length !== entry.bytes || crc32(content) !== entry.crc) throw new Error(`${name} is damaged`);
    return content;
  } finally {
    closeSync(file);
  }
}

/** The list of entries is at the end of an archive, before a record that says where it begins. */
function directoryOf(file: number): Buffer {
  const { size } = fstatSync(file);
  const tail = readAt(file, Math.max(0, size - endBytesMax), Math.min(size, endBytesMax));
  const end = tail.lastIndexOf("PK\x05\x06", undefined, "latin1");
  if (end < 0 || end + 22 > tail.length) throw new Error("no ZIP archive");
  return readAt(file, tail.readUInt32LE(end + 16), limited(tail.readUInt32LE(end + 12), directoryBytesMax));
}

function findEntry(directory: Buffer, name: string): Entry | undefined {
  let at = 0;
  while (at + 46 <= directory.length && directory.readUInt32LE(at) === 0x02014b50) {
    const nameBytes = directory.readUInt16LE(at + 28);
    if (directory.toString("utf8", at + 46, at + 46 + nameBytes) === name) return entryAt(directory, at);
    at += 46 + nameBytes + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return undefined;
}

function entryAt(directory: Buffer, at: number): Entry {
  return {
    method: directory.readUInt16LE(at + 10),
    crc: directory.readUInt32LE(at + 16),
    packedBytes: directory.readUInt32LE(at + 20),
    bytes: directory.readUInt32LE(at + 24),
    headerAt: directory.readUInt32LE(at + 42),
  };
}

function unpacked(file: number, { method, packedBytes, bytes, headerAt }: Entry): Uint8Array {
  const header = readAt(file, headerAt, 30);
  const contentAt = headerAt + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
  const packed = readAt(file, contentAt, limited(packedBytes, entryBytesMax));
  if (method === 0) return packed;
  if (method !== 8) throw new Error(`packed by method ${method}, which is not known here`);
  return inflateRawSync(packed, { maxOutputLength: Math.max(1, limited(bytes, entryBytesMax)) });
}

function limited(bytes: number, bytesMax: number): number {
  if (bytes > bytesMax) throw new Error(`${bytes} bytes are more than the ${bytesMax} that are read`);
  return bytes;
}

function readAt(file: number, position: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  const read = readSync(file, buffer, 0, length, position);
  if (read < length) throw new Error("the archive ends too early");
  return buffer;
}
