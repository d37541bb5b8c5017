import type { Condition } from "@milo-quota/kubernetes/protocol/condition.ts";
import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { type LedgerBucket, readBucket } from "../../../core/ledger/ledger-bucket.ts";
import type { AllowanceBucket } from "../../../core/resources/allowance-bucket.ts";

/** A page that is stored, and what a write of it needs beside its content. */
export interface StoredPage {
  readonly page: LedgerBucket & { readonly version: string };
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  readonly conditions: readonly Condition[];
  readonly finalizers: readonly string[];
  /** Somebody has deleted it: it goes when we let it. */
  readonly deleting: boolean;
}

export function storedPage(bucket: AllowanceBucket): StoredPage {
  const { namespace = "", name = "", uid = "", generation = 1, finalizers = [], deletionTimestamp } = bucket.metadata;
  return {
    page: { ...readBucket(bucket), version: versionIn(bucket.metadata) },
    namespace,
    name,
    uid,
    generation,
    conditions: bucket.status?.conditions ?? [],
    finalizers,
    deleting: deletionTimestamp !== undefined,
  };
}

/** Whatever is stored has one. */
function versionIn({ resourceVersion }: ObjectMeta): string {
  if (resourceVersion === undefined) throw new Error("a stored object without a resourceVersion");
  return resourceVersion;
}
