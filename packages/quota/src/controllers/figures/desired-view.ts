import { type Condition, setCondition } from "@milo-quota/kubernetes/protocol/condition.ts";
import { type JsonObject, type JsonValue, jsonEquals } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { bucketStatus } from "../../core/ledger/bucket-status.ts";
import { overLimit } from "../../core/ledger/over-limit.ts";
import type { TypeLedger } from "../../core/ledger/type-ledger.ts";
import { allocatedFrom, dimensionContent, effectiveStatus, shownDimensions } from "../../core/ledger/view-status.ts";
import { bucketManifest } from "../../core/resources/bucket-manifest.ts";
import { parseDimensionKey } from "../../core/resources/fields/dimensions.ts";
import { bucketName, effectiveGrantName } from "../../core/resources/object-names.ts";
import type { ResourceGrant } from "../../core/resources/resource-grant.ts";
import type { BucketKey } from "../writer/buckets/figures-observer.ts";

/** The kinds of objects that show figures derived from a ledger bucket. */
export type ViewKind = "EffectiveResourceGrant" | "AllowanceBucket";

/** An object that should exist, and its status. */
export interface DesiredView {
  readonly kind: ViewKind;
  readonly manifest: KubernetesObject;
  /** Returns `before` itself if it is up to date. */
  statusAfter(before: JsonObject, now: string): JsonObject;
}

/** The spec of a view never changes, so its generation is always 1. */
const generation = 1;
const bucketRefsMax = 200;

/** All views derived from one ledger bucket. */
export function desiredViews(
  key: BucketKey,
  namespace: string,
  ledger: TypeLedger,
  grants: readonly ResourceGrant[],
): readonly DesiredView[] {
  const dimensions = shownDimensions(ledger);
  return [
    effectiveView(key, namespace, ledger),
    ...dimensions.map((dimensionKey) => dimensionView(key, namespace, { ledger, dimensionKey, grants })),
  ];
}

function effectiveView({ consumer, resourceType }: BucketKey, namespace: string, ledger: TypeLedger): DesiredView {
  const ref = { namespace, name: effectiveGrantName(consumer, resourceType) };
  const keys = ["", ...shownDimensions(ledger)].slice(0, bucketRefsMax);
  const allowanceBucketRefs = keys.map((key) => ({
    name: bucketName(consumer, resourceType, parseDimensionKey(key)),
    allocated: allocatedFrom(ledger, key),
    observedGeneration: generation,
  }));
  const status = { observedGeneration: generation, ...effectiveStatus(ledger), allowanceBucketRefs };
  return {
    kind: "EffectiveResourceGrant",
    manifest: { ...bucketManifest(ref, { consumer, resourceType }, []), kind: "EffectiveResourceGrant" },
    statusAfter: (before) => (jsonEquals(before, status) ? before : status),
  };
}

interface DimensionFigures {
  readonly ledger: TypeLedger;
  readonly dimensionKey: string;
  readonly grants: readonly ResourceGrant[];
}

function dimensionView(
  { consumer, resourceType }: BucketKey,
  namespace: string,
  { ledger, dimensionKey, grants }: DimensionFigures,
): DesiredView {
  const dimensions = parseDimensionKey(dimensionKey) ?? {};
  const ref = { namespace, name: bucketName(consumer, resourceType, dimensions) };
  const content = dimensionContent(ledger, dimensionKey, grants);
  return {
    kind: "AllowanceBucket",
    manifest: bucketManifest(ref, { consumer, resourceType, dimensions }, []),
    statusAfter: (before, now) => {
      const conditions = (before["conditions"] ?? []) as unknown as readonly Condition[];
      // Only the ledger bucket has reservations and a writer.
      const {
        writer: _writer,
        reservations: _reservations,
        ...status
      } = bucketStatus(content, { writer: "", now, generation });
      const after = { ...status, conditions: setCondition(conditions, overLimit(content, conditions), now) };
      return sameButForTime(before, after as unknown as JsonObject);
    },
  };
}

/** Returns `before` if nothing but the time has changed. */
function sameButForTime(before: JsonObject, after: JsonObject): JsonObject {
  const { lastReconciliation = null } = before;
  return jsonEquals(before, { ...after, lastReconciliation } as JsonValue) ? before : after;
}
