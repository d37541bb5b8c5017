import { type BucketKey, bucketId } from "../writer/buckets/figures-observer.ts";
import type { DesiredView } from "./desired-view.ts";
import type { ViewCache } from "./view-cache.ts";
import { type StoredView, type ViewKey, type ViewStore, viewKeyId } from "./view-store.ts";

/** How to treat a view that is not in the cache: it does not exist, or has to be read first. */
export type Uncached = "absent" | "unsure";

/** Brings the stored views of a bucket to their desired state, one after the other, and caches the result. */
export class ViewReconciler {
  readonly #store: ViewStore;
  readonly #cache: ViewCache;

  constructor(store: ViewStore, cache: ViewCache) {
    this.#store = store;
    this.#cache = cache;
  }

  /** Returns the failures: a view that cannot be written does not affect the others. */
  async reconcile(
    key: BucketKey,
    desired: readonly DesiredView[],
    uncached: Uncached,
    signal: AbortSignal,
  ): Promise<readonly unknown[]> {
    const failures: unknown[] = [];
    for (const { viewKey, run } of this.#steps(key, desired, uncached, signal)) {
      try {
        await run();
      } catch (error) {
        signal.throwIfAborted();
        failures.push(error);
        this.#cache.put(bucketId(key), { viewKey, stored: "unsure" });
      }
    }
    return failures;
  }

  #steps(key: BucketKey, desired: readonly DesiredView[], uncached: Uncached, signal: AbortSignal): readonly Step[] {
    const id = bucketId(key);
    const views = desired.map((view) => ({ view, viewKey: viewKeyOf(key.plane, view) }));
    const ids = new Set(views.map(({ viewKey }) => viewKeyId(viewKey)));
    const obsolete = this.#cache.of(id).filter(({ viewKey }) => !ids.has(viewKeyId(viewKey)));
    return [
      ...obsolete.map(({ viewKey }) => ({ viewKey, run: () => this.#remove(id, viewKey, signal) })),
      ...views.map(({ view, viewKey }) => ({
        viewKey,
        run: () => this.#apply(id, viewKey, { view, uncached }, signal),
      })),
    ];
  }

  async #apply(
    id: string,
    viewKey: ViewKey,
    { view, uncached }: { readonly view: DesiredView; readonly uncached: Uncached },
    signal: AbortSignal,
  ): Promise<void> {
    const found = await this.#find(id, viewKey, uncached, signal);
    const created = found ?? (await this.#store.create(viewKey, view, signal));
    this.#cache.put(id, { viewKey, stored: created });
    const written = await this.#store.updateStatus(viewKey, created, view, signal);
    this.#cache.put(id, { viewKey, stored: written });
  }

  async #remove(id: string, viewKey: ViewKey, signal: AbortSignal): Promise<void> {
    const found = await this.#find(id, viewKey, "absent", signal);
    if (found !== undefined) await this.#store.remove(viewKey, found, signal);
    this.#cache.drop(id, viewKey);
  }

  async #find(id: string, viewKey: ViewKey, uncached: Uncached, signal: AbortSignal): Promise<StoredView | undefined> {
    const cached = this.#cache.get(id, viewKey)?.stored ?? uncached;
    if (cached === "absent") return undefined;
    return cached === "unsure" ? this.#store.read(viewKey, signal) : cached;
  }
}

interface Step {
  readonly viewKey: ViewKey;
  readonly run: () => Promise<void>;
}

function viewKeyOf(plane: string, { kind, manifest: { metadata } }: DesiredView): ViewKey {
  return { plane, kind, namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
}
