import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync, statfsSync, statSync, truncateSync, writeSync } from "node:fs";
import { join } from "node:path";

/** Half of it for the next checkpoint, which needs up to the size of the write-ahead log, and half for removals. */
const bytesMax = 8 * 1024 * 1024;
/** A small file system gives up this share of its size at most. */
const shareOfDisk = 1 / 8;
const chunkBytes = 64 * 1024;

export const reserveName = "objects.reserve";

/**
 * Disk space set aside for removals: a file that gets shorter as they need its space, so that no other program takes it.
 * It stays when it is empty, so that a lost database is noticed.
 */
export class DiskReserve {
  /** Its size when it is whole. */
  readonly bytes: number;
  readonly #directory: string;
  readonly #path: string;
  #heldBytes: number;

  constructor(directory: string) {
    this.#directory = directory;
    this.#path = join(directory, reserveName);
    this.bytes = Math.min(bytesMax, Math.floor(totalBytes(directory) * shareOfDisk));
    this.#heldBytes = fileBytes(this.#path);
  }

  get isWhole(): boolean {
    return this.#heldBytes >= this.bytes;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Free space on the disk, without the reserve. */
  get freeBytes(): number {
    return freeBytes(this.#directory);
  }

  /** Makes it as large as free space allows. */
  grow(): void {
    const missing = Math.min(this.bytes - this.#heldBytes, this.freeBytes - chunkBytes);
    if (missing <= 0) return;
    try {
      append(this.#path, missing);
      this.#heldBytes += missing;
    } catch (error) {
      if (fileBytes(this.#path) > this.#heldBytes) truncateSync(this.#path, this.#heldBytes);
      // Files cannot be that large here. A smaller reserve is better than no server.
      if (!isNoSpace(error)) this.#heldBytes = this.bytes;
    }
  }

  /** Frees at least this much, as far as it goes. */
  release(bytes: number): void {
    const chunks = Math.ceil(bytes / chunkBytes);
    const size = Math.min(this.#heldBytes, fileBytes(this.#path));
    this.#heldBytes = Math.max(0, size - chunks * chunkBytes);
    if (size > 0) truncateSync(this.#path, this.#heldBytes);
  }
}

export function fileBytes(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Random bytes, because a file system may compress others to nothing. */
function append(path: string, bytes: number): void {
  const file = openSync(path, "a", 0o600);
  try {
    for (let left = bytes; left > 0; ) left -= writeSync(file, randomBytes(Math.min(left, chunkBytes)));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function isNoSpace(error: unknown): boolean {
  return ["ENOSPC", "EDQUOT"].includes(String((error as NodeJS.ErrnoException).code));
}

/** File systems that do not tell their size count as unlimited. */
function totalBytes(directory: string): number {
  const { blocks, bsize } = statfsSync(directory);
  return blocks === 0 ? Number.POSITIVE_INFINITY : blocks * bsize;
}

/** Only root may use blocks that are reserved for root. */
function freeBytes(directory: string): number {
  const { blocks, bfree, bavail, bsize } = statfsSync(directory);
  if (blocks === 0) return Number.POSITIVE_INFINITY;
  return (process.getuid?.() === 0 ? bfree : bavail) * bsize;
}
