import {
  type LabelRequirements,
  type Labels,
  matchesLabels,
} from "@milo-quota/kubernetes/protocol/selectors/label-selector.ts";
import { amountMax, amountToJson } from "../resources/fields/amount.ts";
import { dimensionKey, parseDimensionKey } from "../resources/fields/dimensions.ts";
import type { ResourceGrant } from "../resources/resource-grant.ts";
import { least } from "./arithmetic.ts";
import type { BucketContent } from "./ledger-bucket.ts";
import { capacityOf } from "./pools.ts";
import { capped } from "./rewrite.ts";
import type { TypeLedger } from "./type-ledger.ts";

/** How many sets of dimensions of one resource type get a bucket. Claims choose dimensions, so their number is unbounded. */
const dimensionSetsMax = 1_000;

/** The keys of the sets of dimensions that get their own bucket: those that a grant names exactly, and those in use. */
export function shownDimensions(typeLedger: TypeLedger): readonly string[] {
  const granted = typeLedger.capacity.pools.map(({ requirements }) => exactKey(requirements)).sort();
  const used = typeLedger.dimensionKeys.filter((key) => parseDimensionKey(key) !== undefined).sort();
  const keys = [...new Set([...granted, ...used])].filter((key) => key !== "");
  return keys.slice(0, dimensionSetsMax);
}

/** The content of the bucket for one set of dimensions. Only the ledger bucket has reservations; `grants` are all the consumer has. */
export function dimensionContent(typeLedger: TypeLedger, key: string, grants: readonly ResourceGrant[]): BucketContent {
  const { claimCount, ...figures } = typeLedger.figuresFor(key);
  const dimensions = parseDimensionKey(key) ?? {};
  const { grantCount, shares } = capacityOf(
    grants.map((grant) => matchingPart(grant, dimensions)),
    typeLedger.resourceType,
  );
  return { figures: capped(figures), claimCount, grantCount, shares, reservations: [] };
}

/** The total of a consumer's resource type over all dimensions. */
export function effectiveStatus(typeLedger: TypeLedger): Readonly<Record<string, number | bigint>> {
  const { limit, allocated, reserved, available, overage } = capped(typeLedger.figures());
  return {
    totalLimit: amountToJson(limit),
    totalAllocated: amountToJson(allocated),
    totalReserved: amountToJson(reserved),
    available: amountToJson(available),
    overage: amountToJson(overage),
  };
}

/** What granted claims hold with exactly these dimensions, or with none if the key is empty. */
export function allocatedFrom(typeLedger: TypeLedger, key: string): number | bigint {
  return amountToJson(least(typeLedger.figuresFor(key).allocated, amountMax));
}

/** The key of the only set of dimensions that a pool matches; empty if it matches several. */
function exactKey(requirements: LabelRequirements): string {
  if (!requirements.every(({ operator, values }) => operator === "In" && values.length === 1)) return "";
  const dimensions = Object.fromEntries(requirements.map(({ key, values }) => [key, values[0] as string]));
  return matchesLabels(requirements, dimensions) ? dimensionKey(dimensions) : "";
}

/** The part of a grant that requests with these dimensions may draw from. */
function matchingPart(grant: ResourceGrant, dimensions: Labels): ResourceGrant {
  const allowances = grant.allowances.map(({ resourceType, buckets }) => ({
    resourceType,
    buckets: buckets.filter(({ requirements }) => matchesLabels(requirements, dimensions)),
  }));
  return { ...grant, allowances: allowances.filter(({ buckets }) => buckets.length > 0) };
}
