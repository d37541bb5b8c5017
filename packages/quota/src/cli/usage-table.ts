import type { AllowanceBucket, AllowanceBucketStatus } from "../core/resources/allowance-bucket.ts";
import { amountOf } from "../core/resources/fields/amount.ts";
import { consumerKey } from "../core/resources/fields/consumer-ref.ts";
import { dimensionKey } from "../core/resources/fields/dimensions.ts";
import { shortName } from "../core/resources/rules/display-names.ts";
import { kindAndName } from "./consumer-filter.ts";
import { typeInfo } from "./resource-type-info.ts";
import { type Column, textTable } from "./text-table.ts";
import type { Units } from "./units.ts";

/** A bucket, and the control plane it is in. */
export interface PlaneBucket {
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

/** Sorted by control plane, consumer, owner and type, totals before their dimensions; undefined without buckets. */
export function usageTable(buckets: readonly PlaneBucket[], units: Units): string | undefined {
  if (buckets.length === 0) return undefined;
  const sorted = [...buckets].sort((left, right) => (sortKey(left, units) < sortKey(right, units) ? -1 : 1));
  const hasPlanes = new Set(buckets.map(({ plane }) => plane)).size > 1;
  const table = textTable(
    columns,
    sorted.map((shown, at) => rowOf(shown, sorted[at - 1], units, hasPlanes)),
  );
  const hasDimensions = buckets.some(({ bucket }) => Object.keys(bucket.dimensions).length > 0);
  return hasDimensions ? `${table}\n\n${dimensionsNote}` : table;
}

const dimensionsNote =
  "Rows with dimensions are included in the row above them and share its grants: do not add them up.\n" +
  "AVAILABLE is what remains after the allocations of all rows that share a grant.";

function sortKey({ plane, bucket }: PlaneBucket, units: Units): string {
  const { consumer, resourceType, dimensions } = bucket;
  const first = plane === "root" ? "" : plane;
  const { owner = "" } = typeInfo(units, resourceType);
  return [first, consumerKey(consumer), owner, resourceType, dimensionKey(dimensions)].join("\n");
}

/** Cells that repeat the row above are blank. */
function rowOf(
  { plane, bucket }: PlaneBucket,
  above: PlaneBucket | undefined,
  units: Units,
  hasPlanes: boolean,
): readonly string[] {
  const isSamePlane = above?.plane === plane;
  const isSameConsumer = isSamePlane && consumerKey(above.bucket.consumer) === consumerKey(bucket.consumer);
  const isSameType = isSameConsumer && above.bucket.resourceType === bucket.resourceType;
  const { status, resourceType } = bucket;
  const { owner = "", displayName = "" } = typeInfo(units, resourceType);
  const isSameOwner = isSameConsumer && (typeInfo(units, above.bucket.resourceType).owner ?? "") === owner;
  const isFeature = units.isFeature(resourceType);
  const number = (amount: number | bigint = 0): string =>
    status === undefined ? "?" : units.number(amountOf(amount), resourceType);
  return [
    hasPlanes && !isSamePlane ? plane : "",
    isSameConsumer ? "" : kindAndName(bucket.consumer),
    isSameOwner ? "" : owner,
    isSameType ? "" : shortName(displayName),
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
  if (status === undefined) return "not computed yet";
  const percent = Number(status.usedPercent ?? 0);
  const filled = Math.min(barLength, percent === 0 ? 0 : Math.max(1, Math.floor((percent * barLength) / 100)));
  const bar = "#".repeat(filled) + "-".repeat(barLength - filled);
  const over = BigInt(status.overage ?? 0) > 0n ? "  over the limit" : "";
  return `${bar} ${String(percent).padStart(3)}%${over}`;
}

/** The JSON form, in base units. */
export function usageValue({ plane, bucket }: PlaneBucket, units: Units): object {
  const { metadata, consumer, resourceType, dimensions, status } = bucket;
  const unit = units.unitOf(resourceType);
  return {
    plane,
    consumer,
    resourceType,
    ...typeInfo(units, resourceType),
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
