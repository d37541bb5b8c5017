import type { Invariant } from "./invariant.ts";
import type { QuotaChange } from "./quota-truth.ts";
import { pagesOfClaim } from "./true-claim.ts";

/**
 * A claim that is stored as granted comes to the disk in one piece with the promises that it is granted by: nobody ever sees
 * them without it.
 */
export class BornTogether implements Invariant {
  readonly name = "I13";
  /** When each page came to promise each claim something. */
  readonly #promisedMs = new Map<string, Map<string, number>>();

  *faults(change: QuotaChange): Generator<string> {
    if (change.about === "page") {
      const { id = "" } = change.after ?? change.before ?? {};
      const before = this.#promisedMs.get(id);
      const uids = change.after?.reservations.map(({ uid }) => uid) ?? [];
      this.#promisedMs.set(id, new Map(uids.map((uid) => [uid, before?.get(uid) ?? change.atMs])));
    }
    if (change.about !== "claim" || change.before !== undefined || change.after?.state !== "granted") return;
    const { key, uid } = change.after;
    for (const page of pagesOfClaim(change.after)) {
      const sinceMs = this.#promisedMs.get(page)?.get(uid);
      // What goes to the disk in one piece is there at the same time.
      if (sinceMs !== undefined && sinceMs !== change.atMs)
        yield `claim ${key.name} (${uid}) is born granted ${change.atMs - sinceMs} ms after page ${page} promised it`;
    }
  }
}
