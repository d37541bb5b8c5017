import { compareKeys } from "./key-order.ts";
import type { ObjectKey } from "./object-key.ts";
import type { StoredObject } from "./object-store.ts";
import { RecentObjects } from "./recent-objects.ts";

const chunkMax = 512;
const chunkMin = chunkMax / 4;
const recentMax = 2_048;

/** A run of objects in order, never empty. Once a snapshot has seen it, it is copied before it changes. */
interface Chunk {
  readonly objects: StoredObject[];
  readonly epoch: number;
}

/** Where the first object at or after a key is, or would be added. */
interface Place {
  readonly key: ObjectKey;
  readonly chunk: number;
  readonly position: number;
}

/** Objects of one resource in order of plane, namespace and name, in chunks, so that a write moves few of them. */
export class SortedObjects {
  #chunks: Chunk[] = [];
  readonly #recent = new RecentObjects(recentMax);
  /** Of the key that was searched for last, until objects move: who is about to write a key asks for it several times. */
  #lastPlace: Place | undefined;
  #epoch = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get chunkCount(): number {
    return this.#chunks.length;
  }

  get(key: ObjectKey): StoredObject | undefined {
    return this.#recent.get(key) ?? this.#search(key);
  }

  /** Some object close to where the key is or would be. */
  near(key: ObjectKey): StoredObject | undefined {
    const { chunk, position } = this.#placeOf(key);
    return this.#chunks[chunk]?.objects[Math.max(0, position - 1)];
  }

  /** Adds an object, or takes the place of the version before, which it returns. */
  set(stored: StoredObject): StoredObject | undefined {
    this.#recent.set(stored);
    if (this.#chunks.length === 0) this.#chunks.push({ objects: [], epoch: this.#epoch });
    const { chunk: at, position } = this.#placeOf(stored.key);
    const { objects } = this.#own(at);
    const found = objects[position];
    if (found !== undefined && compareKeys(found.key, stored.key) === 0) {
      objects[position] = stored;
      return found;
    }
    this.#lastPlace = undefined;
    objects.splice(position, 0, stored);
    this.#size += 1;
    if (objects.length > chunkMax) this.#split(at, position);
    return undefined;
  }

  /** Returns what was there. */
  delete(key: ObjectKey): StoredObject | undefined {
    const found = this.get(key);
    if (found === undefined) return undefined;
    this.#recent.delete(key);
    const { chunk: at, position } = this.#placeOf(key);
    const { objects } = this.#own(at);
    this.#lastPlace = undefined;
    objects.splice(position, 1);
    this.#size -= 1;
    if (objects.length < chunkMin) this.#merge(at);
    return found;
  }

  /** The objects from a key on, as they are now, whatever is written while they are read. */
  from(start: ObjectKey): Iterable<StoredObject> {
    const first = chunkOf(this.#chunks, start);
    const chunks = this.#chunks.slice(first);
    this.#epoch += 1;
    return { [Symbol.iterator]: () => walk(chunks, start) };
  }

  #search(key: ObjectKey): StoredObject | undefined {
    const { chunk, position } = this.#placeOf(key);
    const found = this.#chunks[chunk]?.objects[position];
    if (found === undefined || compareKeys(found.key, key) !== 0) return undefined;
    this.#recent.set(found);
    return found;
  }

  #placeOf(key: ObjectKey): Place {
    const last = this.#lastPlace;
    if (last !== undefined && isSame(last.key, key)) return last;
    const chunk = chunkOf(this.#chunks, key);
    const place = { key, chunk, position: lowerBound(this.#chunks[chunk]?.objects ?? [], key) };
    this.#lastPlace = place;
    return place;
  }

  /** The chunk as one that may be changed. */
  #own(at: number): Chunk {
    const chunk = this.#chunks[at] as Chunk;
    if (chunk.epoch === this.#epoch) return chunk;
    const copy = { objects: chunk.objects.slice(), epoch: this.#epoch };
    this.#chunks[at] = copy;
    return copy;
  }

  /** In half, unless the newest object is the last: names that count up would leave every chunk half empty. */
  #split(at: number, position: number): void {
    const { objects } = this.#chunks[at] as Chunk;
    const rest = objects.splice(position === chunkMax ? position : chunkMax / 2);
    this.#chunks.splice(at + 1, 0, { objects: rest, epoch: this.#epoch });
  }

  /** Joins a small chunk with the one after it, or with the one before when it is the last. */
  #merge(at: number): void {
    if ((this.#chunks[at] as Chunk).objects.length === 0) {
      this.#chunks.splice(at, 1);
      return;
    }
    const left = at + 1 < this.#chunks.length ? at : at - 1;
    const [one, two] = [this.#chunks[left], this.#chunks[left + 1]];
    if (one === undefined || two === undefined) return;
    if (one.objects.length + two.objects.length > chunkMax / 2) return;
    this.#chunks.splice(left, 2, { objects: [...one.objects, ...two.objects], epoch: this.#epoch });
  }
}

function isSame(left: ObjectKey, right: ObjectKey): boolean {
  return left.name === right.name && left.namespace === right.namespace && left.plane === right.plane;
}

function* walk(chunks: readonly Chunk[], start: ObjectKey): Generator<StoredObject> {
  for (const [index, { objects }] of chunks.entries()) {
    for (let at = index === 0 ? lowerBound(objects, start) : 0; at < objects.length; at += 1) {
      yield objects[at] as StoredObject;
    }
  }
}

/** The last chunk that begins at or before the key, or the first. */
function chunkOf(chunks: readonly Chunk[], key: ObjectKey): number {
  let low = 0;
  let high = chunks.length;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    const first = (chunks[middle] as Chunk).objects[0] as StoredObject;
    if (compareKeys(first.key, key) <= 0) low = middle;
    else high = middle;
  }
  return low;
}

/** Where the first object at or after the key is. */
function lowerBound(objects: readonly StoredObject[], key: ObjectKey): number {
  let low = 0;
  let high = objects.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareKeys((objects[middle] as StoredObject).key, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
