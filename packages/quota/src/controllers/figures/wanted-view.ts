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
import type { BucketKey } from "../writer/pages/bucket-views.ts";

/** The two kinds that show figures beside a page. */
export type ViewKind = "EffectiveResourceGrant" | "AllowanceBucket";

/** An object that should be there, and what it should say. */
export interface WantedView {
  readonly kind: ViewKind;
  readonly manifest: KubernetesObject;
  /** Given what it says now. The same again, when that is right. */
  statusAfter(before: JsonObject, now: string): JsonObject;
}

/** The spec of a view never changes, so it is of its first generation for good. */
const generation = 1;
const bucketRefsMax = 200;

/** Everything that is shown of a consumer's resource type beside its page. */
export function wantedViews(
  key: BucketKey,
  namespace: string,
  book: TypeLedger,
  grants: readonly ResourceGrant[],
): readonly WantedView[] {
  const dimensions = shownDimensions(book);
  return [
    effectiveView(key, namespace, book),
    ...dimensions.map((dimensionKey) => dimensionView(key, namespace, { book, dimensionKey, grants })),
  ];
}

function effectiveView({ consumer, resourceType }: BucketKey, namespace: string, book: TypeLedger): WantedView {
  const ref = { namespace, name: effectiveGrantName(consumer, resourceType) };
  const keys = ["", ...shownDimensions(book)].slice(0, bucketRefsMax);
  const allowanceBucketRefs = keys.map((key) => ({
    name: bucketName(consumer, resourceType, parseDimensionKey(key)),
    allocated: allocatedFrom(book, key),
    observedGeneration: generation,
  }));
  const status = { observedGeneration: generation, ...effectiveStatus(book), allowanceBucketRefs };
  return {
    kind: "EffectiveResourceGrant",
    manifest: { ...bucketManifest(ref, { consumer, resourceType }, []), kind: "EffectiveResourceGrant" },
    statusAfter: (before) => (jsonEquals(before, status) ? before : status),
  };
}

interface DimensionFigures {
  readonly book: TypeLedger;
  readonly dimensionKey: string;
  readonly grants: readonly ResourceGrant[];
}

function dimensionView(
  { consumer, resourceType }: BucketKey,
  namespace: string,
  { book, dimensionKey, grants }: DimensionFigures,
): WantedView {
  const dimensions = parseDimensionKey(dimensionKey) ?? {};
  const ref = { namespace, name: bucketName(consumer, resourceType, dimensions) };
  const content = dimensionContent(book, dimensionKey, grants);
  return {
    kind: "AllowanceBucket",
    manifest: bucketManifest(ref, { consumer, resourceType, dimensions }, []),
    statusAfter: (before, now) => {
      const conditions = (before["conditions"] ?? []) as unknown as readonly Condition[];
      // Promises, and whose writes they are, have no place beside the page.
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

/** What was said before, when nothing but the time has changed. */
function sameButForTime(before: JsonObject, after: JsonObject): JsonObject {
  const { lastReconciliation = null } = before;
  return jsonEquals(before, { ...after, lastReconciliation } as JsonValue) ? before : after;
}
