import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";
import { objectId } from "../../object-id.ts";

/**
 * Claims that are granted without checking the limit, because their object already exists. A claim cannot request this
 * itself: the forced claim writer in this process announces each one here before it creates it.
 */
export class ForcedClaims {
  readonly #uids = new Map<string, string | undefined>();
  readonly #listeners = new Set<(key: PlaneObjectKey) => void>();

  /** A forced claim is about to be created. Until its UID is confirmed, no claim of this name is decided. */
  expect(key: PlaneObjectKey): void {
    this.#uids.set(objectId(key), undefined);
  }

  /** The claim was created, with this UID. */
  confirm(key: PlaneObjectKey, uid: string): void {
    this.#uids.set(objectId(key), uid);
    this.#notify(key);
  }

  /** The claim was not created, is decided, or is gone: a claim of this name is an ordinary one again. */
  release(key: PlaneObjectKey): void {
    if (this.#uids.delete(objectId(key))) this.#notify(key);
  }

  verdict(key: PlaneObjectKey, uid: string): "forced" | "ordinary" | "unknown" {
    const id = objectId(key);
    if (!this.#uids.has(id)) return "ordinary";
    const expected = this.#uids.get(id);
    if (expected === undefined) return "unknown";
    return expected === uid ? "forced" : "ordinary";
  }

  onChange(listener: (key: PlaneObjectKey) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #notify(key: PlaneObjectKey): void {
    for (const listener of this.#listeners) listener(key);
  }
}
