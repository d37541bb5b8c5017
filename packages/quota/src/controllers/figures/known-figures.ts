import type { ClaimPart } from "../../core/ledger/claim-knowledge.ts";
import type { ShortPart } from "../../core/ledger/settle.ts";
import { tryClaims } from "../../core/ledger/trial.ts";
import type { Figures, TypeLedger } from "../../core/ledger/type-ledger.ts";
import { consumerKey } from "../../core/resources/fields/consumer-ref.ts";
import type { BucketKey, BucketViews } from "../writer/pages/bucket-views.ts";

interface Known {
  readonly key: BucketKey;
  readonly read: () => TypeLedger | undefined;
  readonly atMs: number;
}

/**
 * What the writer of pages in this process knows right now of how much is used, for others in the same process to read.
 * Nothing is decided by it.
 */
export class KnownFigures implements BucketViews {
  readonly #known = new Map<string, Known>();
  readonly #elapsedMs: () => number;

  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs;
  }

  changed(key: BucketKey, read: () => TypeLedger | undefined): void {
    if (read() === undefined) this.#known.delete(idOf(key));
    else this.#known.set(idOf(key), { key, read, atMs: this.#elapsedMs() });
  }

  /** Undefined when nobody here knows. */
  figuresOf(key: BucketKey, dimensionKey: string): Figures | undefined {
    const book = this.#bookOf(key);
    return dimensionKey === "" ? book?.figures() : book?.figuresFor(dimensionKey);
  }

  /**
   * What would not fit of claims that nobody has made, claim by claim: each as a whole, beside those before it that fit.
   * Undefined when nobody here knows all that they ask for.
   */
  shortOf(
    owner: Omit<BucketKey, "resourceType">,
    claims: readonly (readonly ClaimPart[])[],
  ): readonly (readonly ShortPart[])[] | undefined {
    const books = new Map<string, TypeLedger>();
    for (const { resourceType } of claims.flat()) {
      const book = books.get(resourceType) ?? this.#bookOf({ ...owner, resourceType });
      if (book === undefined) return undefined;
      books.set(resourceType, book);
    }
    return tryClaims(claims, (resourceType) => books.get(resourceType) as TypeLedger);
  }

  /** How long ago each page was last written, or read and counted: since then its figures are known to be true. */
  *ages(): Generator<readonly [BucketKey, number]> {
    const nowMs = this.#elapsedMs();
    for (const [id, { key, read, atMs }] of this.#known) {
      if (read() === undefined) this.#known.delete(id);
      else yield [key, nowMs - atMs];
    }
  }

  /** Whoever knew does not write any more. */
  forget(): void {
    this.#known.clear();
  }

  #bookOf(key: BucketKey): TypeLedger | undefined {
    const id = idOf(key);
    const book = this.#known.get(id)?.read();
    if (book === undefined) this.#known.delete(id);
    return book;
  }
}

function idOf({ plane, consumer, resourceType }: BucketKey): string {
  return `${plane}\n${consumerKey(consumer)}\n${resourceType}`;
}
