import type { ObjectKey } from "../object-key.ts";
import type { StoredObject } from "../stored-object.ts";
import { SortedKeys } from "./sorted-keys.ts";

/** A run of objects in order, with their keys beside them. */
export class SortedChunk {
  readonly objects: StoredObject[];
  readonly keys: SortedKeys;
  /** The snapshots that were there when it was made: whoever is older than the next one copies it before a change. */
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

  /** Of its first object, which it has. */
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

  /** Takes out one object. */
  remove(position: number): void {
    this.keys.remove(position);
    this.objects.splice(position, 1);
  }

  /** Takes out all objects from a position on, and makes a chunk of them. */
  splitAt(position: number, epoch: number): SortedChunk {
    return new SortedChunk(this.objects.splice(position), this.keys.splitAt(position), epoch);
  }

  /** Its objects, and then those of the one after it. */
  joinedWith(after: SortedChunk, epoch: number): SortedChunk {
    return new SortedChunk(this.objects.concat(after.objects), this.keys.joinedWith(after.keys), epoch);
  }
}
