import type { ObjectKey } from "../object-key.ts";
import type { StoredObject } from "../stored-object.ts";
import { SortedKeys } from "./sorted-keys.ts";

/** A sorted run of objects, with their keys in parallel arrays. */
export class SortedChunk {
  readonly objects: StoredObject[];
  readonly keys: SortedKeys;
  /**
   * Number of snapshots when it was created: a chunk that is older than the latest snapshot is copied before a change.
   */
  readonly epoch: number;

  private constructor(objects: StoredObject[], keys: SortedKeys, epoch: number) {
    this.objects = objects;
    this.keys = keys;
    this.epoch = epoch;
  }

  static empty(epoch: number): SortedChunk {
    return new SortedChunk([], new SortedKeys(), epoch);
  }

  get size(): number {
    return this.objects.length;
  }

  /** Of its first object; chunks are never empty. */
  get firstKey(): ObjectKey {
    return (this.objects[0] as StoredObject).key;
  }

  copy(epoch: number): SortedChunk {
    return new SortedChunk(this.objects.slice(), this.keys.copy(), epoch);
  }

  insert(position: number, stored: StoredObject): void {
    this.keys.insert(position, stored.key);
    this.objects.splice(position, 0, stored);
  }

  remove(position: number): void {
    this.keys.remove(position);
    this.objects.splice(position, 1);
  }

  /** Moves all objects from a position on into a new chunk. */
  splitAt(position: number, epoch: number): SortedChunk {
    return new SortedChunk(this.objects.splice(position), this.keys.splitAt(position), epoch);
  }

  /** A chunk with its objects followed by those of the next one. */
  joinedWith(after: SortedChunk, epoch: number): SortedChunk {
    return new SortedChunk(this.objects.concat(after.objects), this.keys.joinedWith(after.keys), epoch);
  }
}
