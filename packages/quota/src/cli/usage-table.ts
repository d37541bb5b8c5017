import type { AllowanceBucket, AllowanceBucketStatus } from "../core/resources/allowance-bucket.ts";
import { amountOf } from "../core/resources/fields/amount.ts";
import { consumerKey } from "../core/resources/fields/consumer-ref.ts";
import { dimensionKey } from "../core/resources/fields/dimensions.ts";
import { shortConsumer } from "./consumer-filter.ts";
import { namesOf, shownName } from "./registered-names.ts";
import { type Column, textTable } from "./text-table.ts";
import type { Units } from "./units.ts";

/** A bucket, and the control plane it is in. */
export interface ShownBucket {
  readonly plane: string;
  readonly bucket: AllowanceBucket;
}

const columns: readonly Column[] = [
  { title: "PLANE" },
  { title: "CONSUMER" },
  { title: "OWNER" },
  { title: "NAME" },
  { title: "RESOURCE TYPE" },
  { title: "DIMENSIONS" },
  { title: "LIMIT", align: "right" },
  { title: "ALLOCATED", align: "right" },
  { title: "RESERVED", align: "right" },
  { title: "AVAILABLE", align: "right" },
  { title: "USED" },
];

const barLength = 10;

/** By control plane, consumer, owner and type, the total before its parts; undefined when there is nothing. */
export function usageTable(buckets: readonly ShownBucket[], units: Units): string | undefined {
  if (buckets.length === 0) return undefined;
  const sorted = [...buckets].sort((left, right) => (orderOf(left, units) < orderOf(right, units) ? -1 : 1));
  const hasPlanes = new Set(buckets.map(({ plane }) => plane)).size > 1;
  const table = textTable(
    columns,
    sorted.map((shown, at) => rowOf(shown, sorted[at - 1], units, hasPlanes)),
  );
  const hasDimensions = buckets.some(({ bucket }) => Object.keys(bucket.dimensions).length > 0);
  return hasDimensions ? `${table}\n\n${sharing}` : table;
}

const sharing =
  "Lines with dimensions are parts of the line above them, and share what is granted with each other: do not add them up.\n" +
  "What others have taken of it is not available, though it is not allocated in that line.";

function orderOf({ plane, bucket }: ShownBucket, units: Units): string {
  const { consumer, resourceType, dimensions } = bucket;
  const first = plane === "root" ? "" : plane;
  const { owner = "" } = namesOf(units, resourceType);
  return [first, consumerKey(consumer), owner, resourceType, dimensionKey(dimensions)].join("\n");
}

/** What is the same as in the line above is not said again. */
function rowOf(
  { plane, bucket }: ShownBucket,
  above: ShownBucket | undefined,
  units: Units,
  hasPlanes: boolean,
): readonly string[] {
  const isSamePlane = above?.plane === plane;
  const isSameConsumer = isSamePlane && consumerKey(above.bucket.consumer) === consumerKey(bucket.consumer);
  const isSameType = isSameConsumer && above.bucket.resourceType === bucket.resourceType;
  const { status, resourceType } = bucket;
  const { owner = "", displayName = "" } = namesOf(units, resourceType);
  const isSameOwner = isSameConsumer && (namesOf(units, above.bucket.resourceType).owner ?? "") === owner;
  const isFeature = units.isFeature(resourceType);
  const number = (amount: number | bigint = 0): string =>
    status === undefined ? "?" : units.number(amountOf(amount), resourceType);
  return [
    hasPlanes && !isSamePlane ? plane : "",
    isSameConsumer ? "" : shortConsumer(bucket.consumer),
    isSameOwner ? "" : owner,
    isSameType ? "" : shownName(displayName),
    isSameType ? "" : resourceType,
    dimensionKey(bucket.dimensions),
    status === undefined ? "?" : units.limitText(amountOf(status.limit), resourceType),
    ...(isFeature && status !== undefined
      ? ["", "", "", ""]
      : [number(status?.allocated), number(status?.reserved), number(status?.available), usedText(status)]),
  ];
}

/** `######----  60%`. */
function usedText(status: AllowanceBucketStatus | undefined): string {
  if (status === undefined) return "not counted yet";
  const percent = Number(status.usedPercent ?? 0);
  const filled = Math.min(barLength, percent === 0 ? 0 : Math.max(1, Math.floor((percent * barLength) / 100)));
  const bar = "#".repeat(filled) + "-".repeat(barLength - filled);
  const over = BigInt(status.overage ?? 0) > 0n ? "  over the limit" : "";
  return `${bar} ${String(percent).padStart(3)}%${over}`;
}

/** In base units, for programs. */
export function usageValue({ plane, bucket }: ShownBucket, units: Units): object {
  const { metadata, consumer, resourceType, dimensions, status } = bucket;
  const unit = units.unitOf(resourceType);
  return {
    plane,
    consumer,
    resourceType,
    ...namesOf(units, resourceType),
    dimensions,
    limit: status?.limit,
    allocated: status?.allocated,
    reserved: status === undefined ? undefined : (status.reserved ?? 0),
    available: status?.available,
    overage: status === undefined ? undefined : (status.overage ?? 0),
    usedPercent: status?.usedPercent,
    claimCount: status?.claimCount,
    grantCount: status?.grantCount,
    ...(unit === undefined
      ? {}
      : { unit: { base: unit.baseUnit, display: unit.displayUnit, factor: Number(unit.factor) } }),
    bucket: { namespace: metadata.namespace, name: metadata.name },
  };
}
