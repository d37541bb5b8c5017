import { type BucketKey, bucketId } from "../writer/buckets/figures-observer.ts";
import { type StoredView, type ViewKey, viewKeyId } from "./view-store.ts";

/** The cached state of a view. `unsure` after a conflict or a write without a response: read it before the next write. */
export interface CachedView {
  readonly viewKey: ViewKey;
  readonly stored: StoredView | "unsure";
}

/** A view found by a list. */
export interface ListedView {
  readonly key: BucketKey;
  readonly viewKey: ViewKey;
  readonly stored: StoredView;
}

/** The stored views as this process last wrote or read them, by the ID of their ledger bucket. */
export class ViewCache {
  readonly #views = new Map<string, Map<string, CachedView>>();
  /** Buckets whose views changed since a list began: for these the list may be outdated. */
  readonly #changed = new Set<string>();

  of(id: string): readonly CachedView[] {
    return [...(this.#views.get(id)?.values() ?? [])];
  }

  get(id: string, viewKey: ViewKey): CachedView | undefined {
    return this.#views.get(id)?.get(viewKeyId(viewKey));
  }

  put(id: string, view: CachedView): void {
    this.#changed.add(id);
    this.#put(id, view);
  }

  drop(id: string, viewKey: ViewKey): void {
    this.#changed.add(id);
    const own = this.#views.get(id);
    own?.delete(viewKeyId(viewKey));
    if (own?.size === 0) this.#views.delete(id);
  }

  /** Call it before listing all views. */
  beginList(): void {
    this.#changed.clear();
  }

  endList(views: readonly ListedView[]): void {
    for (const id of [...this.#views.keys()]) if (!this.#changed.has(id)) this.#views.delete(id);
    for (const { key, viewKey, stored } of views) {
      const id = bucketId(key);
      if (!this.#changed.has(id)) this.#put(id, { viewKey, stored });
    }
  }

  #put(id: string, view: CachedView): void {
    const own = this.#views.get(id) ?? new Map<string, CachedView>();
    own.set(viewKeyId(view.viewKey), view);
    this.#views.set(id, own);
  }
}
