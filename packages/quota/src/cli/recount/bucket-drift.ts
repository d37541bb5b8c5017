import { readBucket } from "../../core/ledger/ledger-bucket.ts";
import { capped, contentOf, noChanges } from "../../core/ledger/rewrite.ts";
import type { Figures } from "../../core/ledger/type-ledger.ts";
import type { AllowanceBucket } from "../../core/resources/allowance-bucket.ts";
import { type Amount, amountToJson } from "../../core/resources/fields/amount.ts";
import { consumerKey } from "../../core/resources/fields/consumer-ref.ts";
import { kindAndName } from "../consumer-filter.ts";
import type { Units } from "../units.ts";
import type { RecountedConsumer } from "./recounted-consumers.ts";

/** A bucket whose status differs from what its grants and claims add up to. */
export interface Drift {
  readonly consumer: RecountedConsumer["consumer"];
  readonly resourceType: string;
  /** Undefined if the bucket does not exist although it should. */
  readonly bucket: AllowanceBucket | undefined;
  readonly differences: readonly Difference[];
}

interface Difference {
  readonly field: keyof Figures;
  readonly stored: Amount;
  readonly expected: Amount;
}

const fields = ["limit", "allocated", "reserved", "available", "overage"] as const;

/** Compares the buckets of a consumer with the recount. */
export function driftsOf(recounted: RecountedConsumer): readonly Drift[] {
  const { consumer, ledger, buckets, types } = recounted;
  return types.flatMap((resourceType) => {
    const bucket = buckets.get(resourceType);
    const expected =
      bucket === undefined ? capped(ledger.ofType(resourceType).figures()) : expectedFigures(recounted, bucket);
    const stored = bucket === undefined ? undefined : readBucket(bucket).content.figures;
    const differences = fields
      .map((field) => ({ field, stored: stored?.[field] ?? (0n as Amount), expected: expected[field] }))
      .filter((difference) => difference.stored !== difference.expected);
    return differences.length === 0 ? [] : [{ consumer, resourceType, bucket, differences }];
  });
}

function expectedFigures({ ledger }: RecountedConsumer, bucket: AllowanceBucket): Figures {
  return contentOf(ledger, readBucket(bucket), noChanges).figures;
}

/** Equal for a drift that persists on an unchanged bucket. */
export function driftKey({ consumer, resourceType, bucket, differences }: Drift): string {
  const texts = differences.map(({ field, stored, expected }) => `${field} ${stored} ${expected}`);
  return [consumerKey(consumer), resourceType, bucket?.metadata.resourceVersion ?? "", ...texts].join("\n");
}

export function driftText({ consumer, resourceType, bucket, differences }: Drift, units: Units): string {
  const texts = differences.map(
    ({ field, stored, expected }) =>
      `${field} should be ${units.text(expected, resourceType)}${bucket === undefined ? "" : ` but is ${units.number(stored, resourceType)}`}`,
  );
  const missing = bucket === undefined ? "the bucket does not exist; " : "";
  return `${kindAndName(consumer)} ${resourceType}: ${missing}${texts.join("; ")}`;
}

export function driftValue({ consumer, resourceType, bucket, differences }: Drift): object {
  const entries = differences.map(({ field, stored, expected }) => [
    field,
    { stored: bucket === undefined ? null : amountToJson(stored), expected: amountToJson(expected) },
  ]);
  return {
    consumer,
    resourceType,
    bucket: bucket === undefined ? null : { namespace: bucket.metadata.namespace, name: bucket.metadata.name },
    differences: Object.fromEntries(entries),
  };
}
