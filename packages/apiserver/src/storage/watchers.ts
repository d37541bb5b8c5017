import { inScope } from "./memory/object-index.ts";
import type { Scope } from "./object-key.ts";
import type { Change } from "./object-store.ts";

export interface Watcher {
  readonly scope: Scope;
  readonly observer: (change: Change) => void;
  /** The revision of the last change it was notified of, or asked to start after. */
  lastRevision: number;
}

/** Watchers by resource and plane, so that changes elsewhere cost them nothing. */
export class Watchers {
  readonly #byScope = new Map<string, Set<Watcher>>();
  readonly #global = new Set<(change: Change) => void>();
  readonly #report: (error: unknown) => void;

  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  /** Returns the function that unsubscribes. */
  add(watcher: Watcher): () => void {
    const key = scopeKey(watcher.scope.resource, watcher.scope.plane);
    const watchers = this.#byScope.get(key) ?? new Set();
    this.#byScope.set(key, watchers.add(watcher));
    return () => this.#remove(key, watcher);
  }

  /** Adds an observer of every change. Returns the function that unsubscribes. */
  addForAll(observer: (change: Change) => void): () => void {
    this.#global.add(observer);
    return () => this.#global.delete(observer);
  }

  notify(change: Change): void {
    for (const observer of this.#global) if (!this.#call(observer, change)) this.#global.delete(observer);
    const { resource, plane } = change.stored.key;
    for (const key of [scopeKey(resource, plane), scopeKey(resource, undefined)]) {
      for (const watcher of this.#byScope.get(key) ?? []) {
        if (!this.deliver(watcher, change)) this.#remove(key, watcher);
      }
    }
  }

  /** Returns whether the observer succeeded. One that throws is reported and unsubscribed. */
  deliver(watcher: Watcher, change: Change): boolean {
    if (change.revision <= watcher.lastRevision || !inScope(watcher.scope, change.stored.key)) return true;
    watcher.lastRevision = change.revision;
    return this.#call(watcher.observer, change);
  }

  #call(observer: (change: Change) => void, change: Change): boolean {
    try {
      observer(change);
      return true;
    } catch (error) {
      this.#report(error);
      return false;
    }
  }

  clear(): void {
    this.#byScope.clear();
    this.#global.clear();
  }

  #remove(key: string, watcher: Watcher): void {
    const watchers = this.#byScope.get(key);
    watchers?.delete(watcher);
    if (watchers?.size === 0) this.#byScope.delete(key);
  }
}

function scopeKey(resource: string, plane: string | undefined): string {
  return plane === undefined ? resource : `${resource}\0${plane}`;
}
