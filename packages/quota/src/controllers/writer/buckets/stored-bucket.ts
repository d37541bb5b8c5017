import type { Condition } from "@milo-quota/kubernetes/protocol/condition.ts";
import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { type LedgerBucket, readBucket } from "../../../core/ledger/ledger-bucket.ts";
import type { AllowanceBucket } from "../../../core/resources/allowance-bucket.ts";

/** A stored ledger bucket: its parsed content, and the metadata that its next write needs. */
export interface StoredBucket extends LedgerBucket {
  readonly version: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  readonly conditions: readonly Condition[];
  readonly finalizers: readonly string[];
  /** Has a deletionTimestamp, and waits for its finalizers. */
  readonly deleting: boolean;
}

export function storedBucket(bucket: AllowanceBucket): StoredBucket {
  const { namespace = "", name = "", uid = "", generation = 1, finalizers = [], deletionTimestamp } = bucket.metadata;
  return {
    ...readBucket(bucket),
    version: requireVersion(bucket.metadata),
    namespace,
    name,
    uid,
    generation,
    conditions: bucket.status?.conditions ?? [],
    finalizers,
    deleting: deletionTimestamp !== undefined,
  };
}

function requireVersion({ resourceVersion }: ObjectMeta): string {
  if (resourceVersion === undefined) throw new Error("a stored object without a resourceVersion");
  return resourceVersion;
}
