import { inScope } from "./memory/object-index.ts";
import type { Scope } from "./object-key.ts";
import type { Change } from "./object-store.ts";

export interface Watcher {
  readonly scope: Scope;
  readonly listener: (change: Change) => void;
  /** The revision of the last change it was told of, or asked to start after. */
  seen: number;
}

/** Who is told of changes. Found by resource and plane, so that those of others cost nothing. */
export class Watchers {
  readonly #byPlace = new Map<string, Set<Watcher>>();
  readonly #ofAll = new Set<(change: Change) => void>();
  readonly #report: (error: unknown) => void;

  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  /** Returns how to stop. */
  add(watcher: Watcher): () => void {
    const place = placeOf(watcher.scope.resource, watcher.scope.plane);
    const there = this.#byPlace.get(place) ?? new Set();
    this.#byPlace.set(place, there.add(watcher));
    return () => this.#remove(place, watcher);
  }

  /** One who is told of every change. Returns how to stop. */
  addForAll(listener: (change: Change) => void): () => void {
    this.#ofAll.add(listener);
    return () => this.#ofAll.delete(listener);
  }

  notify(change: Change): void {
    for (const listener of this.#ofAll) if (!this.#call(listener, change)) this.#ofAll.delete(listener);
    const { resource, plane } = change.stored.key;
    for (const place of [placeOf(resource, plane), placeOf(resource, undefined)]) {
      for (const watcher of this.#byPlace.get(place) ?? []) {
        if (!this.tell(watcher, change)) this.#remove(place, watcher);
      }
    }
  }

  /** Whether the listener took it. One that throws is reported and told nothing more. */
  tell(watcher: Watcher, change: Change): boolean {
    if (change.revision <= watcher.seen || !inScope(watcher.scope, change.stored.key)) return true;
    watcher.seen = change.revision;
    return this.#call(watcher.listener, change);
  }

  #call(listener: (change: Change) => void, change: Change): boolean {
    try {
      listener(change);
      return true;
    } catch (error) {
      this.#report(error);
      return false;
    }
  }

  clear(): void {
    this.#byPlace.clear();
    this.#ofAll.clear();
  }

  #remove(place: string, watcher: Watcher): void {
    const there = this.#byPlace.get(place);
    there?.delete(watcher);
    if (there?.size === 0) this.#byPlace.delete(place);
  }
}

function placeOf(resource: string, plane: string | undefined): string {
  return plane === undefined ? resource : `${resource}\0${plane}`;
}
