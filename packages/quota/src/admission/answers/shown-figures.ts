import type { ClaimPart } from "../../core/ledger/claim-knowledge.ts";
import type { ShownFigures } from "../../core/ledger/shown-trial.ts";
import type { Figures } from "../../core/ledger/type-ledger.ts";
import {
  type AllowanceBucket,
  allowanceBucketDefinition,
  parseAllowanceBucket,
} from "../../core/resources/allowance-bucket.ts";
import { amountOf } from "../../core/resources/fields/amount.ts";
import { parseDimensionKey } from "../../core/resources/fields/dimensions.ts";
import { bucketName } from "../../core/resources/object-names.ts";
import type { ControlPlanes } from "../../views/control-planes.ts";
import type { QuotaOwner } from "./usage-view.ts";

/**
 * Reads the figures of the buckets that the parts of a claim draw from. Dimensions without a bucket of their own can get what
 * requests without dimensions can.
 */
export async function shownFigures(
  planes: ControlPlanes,
  { plane, consumer }: QuotaOwner,
  parts: readonly ClaimPart[],
  signal: AbortSignal,
): Promise<ShownFigures> {
  const buckets = planes.client(plane).resource(allowanceBucketDefinition, parseAllowanceBucket);
  const namespace = planes.bucketNamespace(consumer);
  const nameOf = (resourceType: string, dimensionKey: string): string =>
    bucketName(consumer, resourceType, parseDimensionKey(dimensionKey));
  const names = parts.flatMap(({ resourceType, dimensionKey }) =>
    ["", dimensionKey].map((key) => nameOf(resourceType, key)),
  );
  const find = async (name: string) => [name, await buckets.find({ namespace, name }, signal)] as const;
  const found = new Map(await Promise.all([...new Set(names)].map(find)));
  const totalOf = (resourceType: string): Figures => figuresIn(found.get(nameOf(resourceType, "")));
  return {
    totalOf,
    figuresOf: (resourceType, dimensionKey) => {
      const own = dimensionKey === "" ? undefined : found.get(nameOf(resourceType, dimensionKey));
      if (own !== undefined) return figuresIn(own);
      const totals = totalOf(resourceType);
      return { ...totals, available: totals.undimensioned ?? totals.available };
    },
  };
}

/** All 0 without a bucket. */
export function figuresIn(bucket: AllowanceBucket | undefined): Figures {
  const { limit = 0, allocated = 0, reserved = 0, available = 0, overage = 0 } = bucket?.status ?? {};
  const undimensioned = bucket?.status?.availableWithoutDimensions;
  return {
    limit: amountOf(limit),
    allocated: amountOf(allocated),
    reserved: amountOf(reserved),
    available: amountOf(available),
    overage: amountOf(overage),
    ...(undimensioned === undefined ? {} : { undimensioned: amountOf(undimensioned) }),
  };
}
