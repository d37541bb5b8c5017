import { readBucket } from "../../core/ledger/ledger-bucket.ts";
import { contentOf, noChanges, shown } from "../../core/ledger/rewrite.ts";
import type { Figures } from "../../core/ledger/type-ledger.ts";
import type { AllowanceBucket } from "../../core/resources/allowance-bucket.ts";
import { type Amount, amountToJson } from "../../core/resources/fields/amount.ts";
import { consumerKey } from "../../core/resources/fields/consumer-ref.ts";
import { shortConsumer } from "../consumer-filter.ts";
import type { Units } from "../units.ts";
import type { ConsumerBooks } from "./consumer-books.ts";

/** A page that does not say what grants and claims come to. */
export interface Drift {
  readonly consumer: ConsumerBooks["consumer"];
  readonly resourceType: string;
  /** Undefined: there is none, though there should be. */
  readonly page: AllowanceBucket | undefined;
  readonly differences: readonly Difference[];
}

interface Difference {
  readonly field: keyof Figures;
  readonly says: Amount;
  readonly is: Amount;
}

const fields = ["limit", "allocated", "reserved", "available", "overage"] as const;

/** Compares each page with what it should say. */
export function driftsOf(books: ConsumerBooks): readonly Drift[] {
  const { consumer, ledger, pages, types } = books;
  return types.flatMap((resourceType) => {
    const page = pages.get(resourceType);
    const is = page === undefined ? shown(ledger.ofType(resourceType).figures()) : counted(books, page);
    const says = page === undefined ? undefined : readBucket(page).content.figures;
    const differences = fields
      .map((field) => ({ field, says: says?.[field] ?? (0n as Amount), is: is[field] }))
      .filter((difference) => difference.says !== difference.is);
    return differences.length === 0 ? [] : [{ consumer, resourceType, page, differences }];
  });
}

function counted({ ledger }: ConsumerBooks, page: AllowanceBucket): Figures {
  return contentOf(ledger, readBucket(page), noChanges).figures;
}

/** The same for a drift that is still there, on the page as it was; another for one that came since. */
export function driftKey({ consumer, resourceType, page, differences }: Drift): string {
  const texts = differences.map(({ field, says, is }) => `${field} ${says} ${is}`);
  return [consumerKey(consumer), resourceType, page?.metadata.resourceVersion ?? "", ...texts].join("\n");
}

export function driftText({ consumer, resourceType, page, differences }: Drift, units: Units): string {
  const texts = differences.map(
    ({ field, says, is }) =>
      `${field} is ${units.text(is, resourceType)}${page === undefined ? "" : `, the page says ${units.number(says, resourceType)}`}`,
  );
  const missing = page === undefined ? "there is no page; " : "";
  return `${shortConsumer(consumer)} ${resourceType}: ${missing}${texts.join("; ")}`;
}

export function driftValue({ consumer, resourceType, page, differences }: Drift): object {
  const entries = differences.map(({ field, says, is }) => [
    field,
    { page: page === undefined ? null : amountToJson(says), counted: amountToJson(is) },
  ]);
  return {
    consumer,
    resourceType,
    bucket: page === undefined ? null : { namespace: page.metadata.namespace, name: page.metadata.name },
    differences: Object.fromEntries(entries),
  };
}
