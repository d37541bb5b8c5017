import { consumerKey } from "../../core/resources/fields/consumer-ref.ts";
import type { BucketKey } from "../writer/pages/bucket-views.ts";
import { placeId, type StoredView, type ViewPlace } from "./view-store.ts";

/** What is known of a stored view. After a write of somebody else, or one without an answer, that is nothing. */
export interface KnownView {
  readonly place: ViewPlace;
  readonly stored: StoredView | "unsure";
}

/** A view that a list has told of. */
export interface ListedView {
  readonly key: BucketKey;
  readonly place: ViewPlace;
  readonly stored: StoredView;
}

/** The same for the same consumer's resource type in the same plane, and for nothing else. */
export function viewId({ plane, consumer, resourceType }: BucketKey): string {
  return `${plane}\n${consumerKey(consumer)}\n${resourceType}`;
}

/** The views that are stored, as far as this process knows. */
export class StoredViews {
  readonly #views = new Map<string, Map<string, KnownView>>();
  /** What was learned in other ways since a list was begun: there, the list may be older. */
  readonly #learned = new Set<string>();

  of(id: string): readonly KnownView[] {
    return [...(this.#views.get(id)?.values() ?? [])];
  }

  get(id: string, place: ViewPlace): KnownView | undefined {
    return this.#views.get(id)?.get(placeId(place));
  }

  put(id: string, known: KnownView): void {
    this.#learned.add(id);
    this.#put(id, known);
  }

  drop(id: string, place: ViewPlace): void {
    this.#learned.add(id);
    const own = this.#views.get(id);
    own?.delete(placeId(place));
    if (own?.size === 0) this.#views.delete(id);
  }

  /** A list of everything is begun. */
  listing(): void {
    this.#learned.clear();
  }

  /** It has ended, and this is what it told. */
  listed(views: readonly ListedView[]): void {
    for (const id of [...this.#views.keys()]) if (!this.#learned.has(id)) this.#views.delete(id);
    for (const { key, place, stored } of views) {
      const id = viewId(key);
      if (!this.#learned.has(id)) this.#put(id, { place, stored });
    }
  }

  #put(id: string, known: KnownView): void {
    const own = this.#views.get(id) ?? new Map<string, KnownView>();
    own.set(placeId(known.place), known);
    this.#views.set(id, own);
  }
}
