import type Database from "libsql";
import { DiskReserve, fileBytes } from "./disk-reserve.ts";
import { databasePath } from "./sqlite-messages.ts";
import { scalar } from "./sqlite-open.ts";

/** Shares of the reserve. The next checkpoint needs about the first one, and removals get the rest. */
const checkpointShare = 1 / 2;
/** While the reserve is in use: the write-ahead log starts over soon, and needs little space. */
const checkpointShareInReserve = 1 / 32;
/** Kept by removals for the compaction after them, and left free before all writes are accepted, which soon fail otherwise. */
const marginShare = 1 / 8;
/** Approximate size of the pages that the smallest transaction changes. */
const transactionBytes = 32 * 1024;

/**
 * Whether a database has room for more, on the disk or in its own free pages. Its file never shrinks, so that deleting
 * objects frees only pages. The write-ahead log does not shrink either, and starts over after a checkpoint.
 */
export class DiskRoom {
  readonly #db: Database.Database;
  readonly #path: string;
  readonly #reserve: DiskReserve;
  readonly #pageBytes: number;
  readonly #marginBytes: number;
  #isLow = false;

  constructor(db: Database.Database, directory: string) {
    this.#db = db;
    this.#path = databasePath(directory);
    this.#reserve = new DiskReserve(directory);
    this.#pageBytes = Number(scalar(db, "PRAGMA page_size"));
    this.#marginBytes = this.#reserve.bytes * marginShare;
  }

  /** False while only removals may be written. Hot: called for every append, and asks the disk nothing. */
  get isForAll(): boolean {
    return !this.#isLow && (this.#reserve.isWhole || this.#freePagesBytes >= this.#removalBytes);
  }

  get isReserveWhole(): boolean {
    return this.#reserve.isWhole;
  }

  /** Characters written between checkpoints: enough to amortize their cost, little enough for a short pause. */
  get checkpointChars(): number {
    const { bytes, isWhole } = this.#reserve;
    return bytes * (isWhole ? checkpointShare : checkpointShareInReserve);
  }

  /**
   * A checkpoint that fails half-way has enlarged the database with space that the write-ahead log needs more. While this
   * is false, only removals may be written.
   */
  hasSpaceForCheckpoint(): boolean {
    this.#isLow = this.#growthBytes > this.#reserve.freeBytes;
    return !this.#isLow;
  }

  onCheckpointFailed(): void {
    this.#isLow = true;
  }

  /** Whether there is space for a removal of this size, for which the reserve gives up what is needed. */
  makeRoomForRemoval(chars: number): boolean {
    const reserve = this.#reserve;
    const needed = transactionBytes + 2 * chars;
    if (this.#fitsIntoFreePages(needed)) return true;
    const spare = reserve.heldBytes - this.#marginBytes;
    const missing = this.#growthBytes + needed - reserve.freeBytes;
    if (missing > 0 && spare > 0) reserve.release(Math.min(missing, spare));
    const free = reserve.freeBytes;
    // Without the space for a checkpoint, the write-ahead log takes what there is.
    return free >= needed && (free >= this.#growthBytes + needed || this.#growthBytes > free);
  }

  /** Gives up all of the reserve. */
  releaseAll(): void {
    this.#reserve.release(this.#reserve.bytes);
  }

  /** Sets aside what space there is for the next start. */
  keep(): void {
    this.#reserve.grow();
  }

  /** Sets the reserve aside again, if there is space for more than that. To be called after a checkpoint. */
  regain(): boolean {
    const reserve = this.#reserve;
    const missing = Math.max(0, reserve.bytes - reserve.heldBytes);
    if (reserve.freeBytes - this.#growthBytes >= this.#marginBytes + missing) {
      reserve.grow();
      this.#isLow = !reserve.isWhole;
    } else {
      const needed = this.#marginBytes + (missing === 0 ? 0 : this.#removalBytes);
      this.#isLow = !this.#fitsIntoFreePages(needed);
    }
    return this.isForAll;
  }

  get #removalBytes(): number {
    return this.#reserve.bytes * (1 - checkpointShare);
  }

  #fitsIntoFreePages(bytes: number): boolean {
    const isKept = fileBytes(`${this.#path}-wal`) >= this.#marginBytes;
    return isKept && this.#freePagesBytes >= bytes && this.#growthBytes <= this.#reserve.freeBytes;
  }

  /** What the next checkpoint adds to the size of the file. */
  get #growthBytes(): number {
    return Math.max(0, Number(scalar(this.#db, "PRAGMA page_count")) * this.#pageBytes - fileBytes(this.#path));
  }

  get #freePagesBytes(): number {
    return Number(scalar(this.#db, "PRAGMA freelist_count")) * this.#pageBytes;
  }
}
