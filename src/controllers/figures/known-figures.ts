import type { Figures, PageBook } from "../../core/ledger/page-book.ts";
import { consumerKey } from "../../core/resources/consumer-ref.ts";
import type { BucketKey, BucketViews } from "../writer/bucket-views.ts";

/**
 * What the writer of pages in this process knows right now of how much is used, for others in the same process to read.
 * Nothing is decided by it.
 */
export class KnownFigures implements BucketViews {
  readonly #books = new Map<string, () => PageBook | undefined>();

  changed(key: BucketKey, read: () => PageBook | undefined): void {
    this.#books.set(idOf(key), read);
  }

  /** Undefined when nobody here knows. */
  figuresOf(key: BucketKey, dimensionKey: string): Figures | undefined {
    const id = idOf(key);
    const book = this.#books.get(id)?.();
    if (book === undefined) this.#books.delete(id);
    return dimensionKey === "" ? book?.figures() : book?.figuresFor(dimensionKey);
  }

  /** Whoever knew does not write any more. */
  forget(): void {
    this.#books.clear();
  }
}

function idOf({ plane, consumer, resourceType }: BucketKey): string {
  return `${plane}\n${consumerKey(consumer)}\n${resourceType}`;
}
