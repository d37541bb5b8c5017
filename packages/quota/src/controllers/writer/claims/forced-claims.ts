import type { ObjectPlace } from "@milo-quota/kubernetes/client/watch/object-place.ts";

/**
 * Claims that are granted whether they fit or not, because what they are for is there already. Nobody can ask for that in
 * a claim itself: only whoever makes such a claim in this process says so, before it makes it.
 */
export class ForcedClaims {
  readonly #uids = new Map<string, string | undefined>();
  readonly #listeners = new Set<(place: ObjectPlace) => void>();

  /** A claim will be made there; until it is known to be ours, nobody decides it. */
  expect(place: ObjectPlace): void {
    this.#uids.set(keyOf(place), undefined);
  }

  /** It was made, and this is its UID. */
  confirm(place: ObjectPlace, uid: string): void {
    this.#uids.set(keyOf(place), uid);
    this.#tell(place);
  }

  /** It was not made, or is decided, or gone: what is there is a claim like any other. */
  release(place: ObjectPlace): void {
    if (this.#uids.delete(keyOf(place))) this.#tell(place);
  }

  verdict(place: ObjectPlace, uid: string): "forced" | "ordinary" | "unknown" {
    const key = keyOf(place);
    if (!this.#uids.has(key)) return "ordinary";
    const expected = this.#uids.get(key);
    if (expected === undefined) return "unknown";
    return expected === uid ? "forced" : "ordinary";
  }

  onChange(listener: (place: ObjectPlace) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(place: ObjectPlace): void {
    for (const listener of this.#listeners) listener(place);
  }
}

function keyOf({ plane, namespace, name }: ObjectPlace): string {
  return `${plane}\n${namespace}\n${name}`;
}
