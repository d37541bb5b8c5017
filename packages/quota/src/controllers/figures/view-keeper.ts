import type { BucketKey } from "../writer/pages/bucket-views.ts";
import { type StoredViews, viewId } from "./stored-views.ts";
import { placeId, type StoredView, type ViewPlace, type ViewStore } from "./view-store.ts";
import type { WantedView } from "./wanted-view.ts";

/** How to go about a view of which nothing is known: there is none, or nobody has looked. */
export type Unheard = "absent" | "unsure";

/** Makes what is stored what is wanted, one view after the other, and remembers it. */
export class ViewKeeper {
  readonly #store: ViewStore;
  readonly #stored: StoredViews;

  constructor(store: ViewStore, stored: StoredViews) {
    this.#store = store;
    this.#stored = stored;
  }

  /** Does what can be done, and gives what went wrong: one view that cannot be written hides no other. */
  async bringAbout(
    key: BucketKey,
    wanted: readonly WantedView[],
    unheard: Unheard,
    signal: AbortSignal,
  ): Promise<readonly unknown[]> {
    const failures: unknown[] = [];
    for (const { place, act } of this.#steps(key, wanted, unheard, signal)) {
      try {
        await act();
      } catch (error) {
        signal.throwIfAborted();
        failures.push(error);
        this.#stored.put(viewId(key), { place, stored: "unsure" });
      }
    }
    return failures;
  }

  #steps(key: BucketKey, wanted: readonly WantedView[], unheard: Unheard, signal: AbortSignal): readonly Step[] {
    const id = viewId(key);
    const shown = wanted.map((view) => ({ view, place: placeOf(key.plane, view) }));
    const places = new Set(shown.map(({ place }) => placeId(place)));
    const unwanted = this.#stored.of(id).filter(({ place }) => !places.has(placeId(place)));
    return [
      ...unwanted.map(({ place }) => ({ place, act: () => this.#remove(id, place, signal) })),
      ...shown.map(({ view, place }) => ({ place, act: () => this.#show(id, place, { view, unheard }, signal) })),
    ];
  }

  async #show(
    id: string,
    place: ViewPlace,
    { view, unheard }: { readonly view: WantedView; readonly unheard: Unheard },
    signal: AbortSignal,
  ): Promise<void> {
    const found = await this.#found(id, place, unheard, signal);
    const made = found ?? (await this.#store.make(place, view, signal));
    this.#stored.put(id, { place, stored: made });
    const written = await this.#store.show(place, made, view, signal);
    this.#stored.put(id, { place, stored: written });
  }

  async #remove(id: string, place: ViewPlace, signal: AbortSignal): Promise<void> {
    const found = await this.#found(id, place, "absent", signal);
    if (found !== undefined) await this.#store.remove(place, found, signal);
    this.#stored.drop(id, place);
  }

  async #found(id: string, place: ViewPlace, unheard: Unheard, signal: AbortSignal): Promise<StoredView | undefined> {
    const known = this.#stored.get(id, place)?.stored ?? unheard;
    if (known === "absent") return undefined;
    return known === "unsure" ? this.#store.read(place, signal) : known;
  }
}

interface Step {
  readonly place: ViewPlace;
  readonly act: () => Promise<void>;
}

function placeOf(plane: string, { kind, manifest: { metadata } }: WantedView): ViewPlace {
  return { plane, kind, namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
}
