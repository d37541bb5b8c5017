import type { ObjectKey } from "../object-key.ts";
import type { StoredObject } from "../stored-object.ts";
import { hasNativeOrder } from "./key-order.ts";
import { Missing, RecentObjects } from "./recent-objects.ts";
import { SortedChunk } from "./sorted-chunk.ts";
import { SortedKeys } from "./sorted-keys.ts";

const chunkMax = 512;
const chunkMin = chunkMax / 4;
const recentMax = 2_048;

/** The position of the first object at or after a key. */
interface KeyPosition {
  readonly key: ObjectKey;
  readonly chunk: number;
  readonly position: number;
}

/**
 * The objects of one resource, sorted by plane, namespace and name, in chunks, so that a write moves few of them.
 * Chunks are never empty, and are copied on write once a snapshot refers to them.
 */
export class SortedObjects {
  readonly #chunks: SortedChunk[] = [];
  /** The first key of each chunk. */
  readonly #firstKeys = new SortedKeys();
  readonly #recent = new RecentObjects(recentMax);
  /** The last search, valid until objects move: a writer looks its key up several times. */
  #lastPosition: KeyPosition | undefined;
  #epoch = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get chunkCount(): number {
    return this.#chunks.length;
  }

  get(key: ObjectKey): StoredObject | undefined {
    const cached = this.#recent.get(key);
    if (cached === undefined) return this.#search(key);
    return cached instanceof Missing ? undefined : cached;
  }

  /** An object close to where the key is or would be. */
  near(key: ObjectKey): StoredObject | undefined {
    const { chunk, position } = this.#positionOf(key);
    return this.#chunks[chunk]?.objects[Math.max(0, position - 1)];
  }

  /** Adds an object, or replaces the previous version, which it returns. */
  set(stored: StoredObject): StoredObject | undefined {
    this.#recent.set(stored);
    const { chunk: at, position } = this.#positionOf(stored.key);
    const chunk = this.#own(at, stored.key);
    if (chunk.keys.isAt(position, stored.key)) {
      const found = chunk.objects[position];
      chunk.objects[position] = stored;
      return found;
    }
    this.#lastPosition = undefined;
    chunk.insert(position, stored);
    if (position === 0) this.#firstKeys.replace(at, stored.key);
    this.#size += 1;
    if (chunk.size > chunkMax) this.#split(at, position);
    return undefined;
  }

  /** Returns the deleted version. */
  delete(key: ObjectKey): StoredObject | undefined {
    const found = this.get(key);
    if (found === undefined) return undefined;
    this.#recent.delete(key);
    const { chunk: at, position } = this.#positionOf(key);
    const chunk = this.#own(at, key);
    this.#lastPosition = undefined;
    chunk.remove(position);
    this.#size -= 1;
    if (position === 0 && chunk.size > 0) this.#firstKeys.replace(at, chunk.firstKey);
    if (chunk.size < chunkMin) this.#merge(at);
    return found;
  }

  /** A snapshot of the objects from a key on. */
  from(start: ObjectKey): Iterable<StoredObject> {
    const isPlain = hasNativeOrder(start);
    const chunks = this.#chunks.slice(this.#chunkOf(start, isPlain));
    this.#epoch += 1;
    return { [Symbol.iterator]: () => walk(chunks, start, isPlain) };
  }

  #search(key: ObjectKey): StoredObject | undefined {
    const { chunk: at, position } = this.#positionOf(key);
    const chunk = this.#chunks[at];
    if (chunk === undefined || !chunk.keys.isAt(position, key)) {
      this.#recent.set(new Missing(key));
      return undefined;
    }
    const found = chunk.objects[position] as StoredObject;
    this.#recent.set(found);
    return found;
  }

  #positionOf(key: ObjectKey): KeyPosition {
    const last = this.#lastPosition;
    if (last !== undefined && isSame(last.key, key)) return last;
    const isPlain = hasNativeOrder(key);
    const chunk = this.#chunkOf(key, isPlain);
    const found = { key, chunk, position: this.#chunks[chunk]?.keys.lowerBound(key, isPlain) ?? 0 };
    this.#lastPosition = found;
    return found;
  }

  /** The last chunk that begins at or before the key, or the first. */
  #chunkOf(key: ObjectKey, isPlain: boolean): number {
    const after = this.#firstKeys.lowerBound(key, isPlain);
    return this.#firstKeys.isAt(after, key) ? after : Math.max(0, after - 1);
  }

  /** The chunk for a key, copied if a snapshot refers to it. */
  #own(at: number, key: ObjectKey): SortedChunk {
    const chunk = this.#chunks[at] ?? this.#first(key);
    if (chunk.epoch === this.#epoch) return chunk;
    const copy = chunk.copy(this.#epoch);
    this.#chunks[at] = copy;
    return copy;
  }

  #first(key: ObjectKey): SortedChunk {
    const chunk = SortedChunk.empty(this.#epoch);
    this.#chunks.push(chunk);
    this.#firstKeys.insert(0, key);
    return chunk;
  }

  /** In half, unless the new object is the last: ascending names would leave every chunk half empty. */
  #split(at: number, position: number): void {
    const chunk = this.#chunks[at] as SortedChunk;
    const rest = chunk.splitAt(position === chunkMax ? position : chunkMax / 2, this.#epoch);
    this.#chunks.splice(at + 1, 0, rest);
    this.#firstKeys.insert(at + 1, rest.firstKey);
  }

  /** Merges a small chunk with its successor, or with its predecessor if it is the last. */
  #merge(at: number): void {
    if ((this.#chunks[at] as SortedChunk).size === 0) {
      this.#chunks.splice(at, 1);
      this.#firstKeys.remove(at);
      return;
    }
    const left = at + 1 < this.#chunks.length ? at : at - 1;
    const [one, two] = [this.#chunks[left], this.#chunks[left + 1]];
    if (one === undefined || two === undefined || one.size + two.size > chunkMax / 2) return;
    this.#chunks.splice(left, 2, one.joinedWith(two, this.#epoch));
    this.#firstKeys.remove(left + 1);
  }
}

function isSame(left: ObjectKey, right: ObjectKey): boolean {
  return left.name === right.name && left.namespace === right.namespace && left.plane === right.plane;
}

function* walk(chunks: readonly SortedChunk[], start: ObjectKey, isPlain: boolean): Generator<StoredObject> {
  for (const [index, { objects, keys }] of chunks.entries()) {
    for (let at = index === 0 ? keys.lowerBound(start, isPlain) : 0; at < objects.length; at += 1) {
      yield objects[at] as StoredObject;
    }
  }
}
