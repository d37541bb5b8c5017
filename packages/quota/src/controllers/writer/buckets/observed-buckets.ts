import { Informer } from "@milo-quota/kubernetes/client/watch/informer.ts";
import { invalid, type Parsed } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { type ConsumerRef, readConsumerRef } from "../../../core/resources/fields/consumer-ref.ts";
import { annotations } from "../../../core/resources/well-known.ts";
import { bucketsType } from "../../../views/quota-types.ts";
import type { Runtime } from "../../../views/runtime.ts";

/** The fields of a ledger bucket that tell its consumer and its last writer. */
export interface ObservedBucket {
  readonly consumer: ConsumerRef;
  readonly resourceType: string;
  readonly writer: string;
  readonly deleting: boolean;
  /** The value of the recount annotation: changing it requests a recount. */
  readonly recount: string;
}

/** Watches ledger buckets for writes by other clients. Decisions use what the writer read itself; buckets with dimensions are skipped. */
export function bucketInformer(runtime: Runtime): Informer<Bucket, ObservedBucket> {
  const { planes, clock, random, report } = runtime;
  return new Informer<Bucket, ObservedBucket>({
    source: planes.everywhere(bucketsType),
    parse: anyBucket,
    transform: (bucket) => observedBucket(bucket),
    isSame: (before, now) =>
      before.writer === now.writer && before.deleting === now.deleting && before.recount === now.recount,
    clock,
    random,
    report: (error) => report("buckets", error),
  });
}

/** The fields read here. The server has validated them against the schema. */
interface Bucket {
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly consumerRef?: ConsumerRef;
    readonly resourceType?: string;
    readonly dimensions?: Readonly<Record<string, string>>;
  };
  readonly status?: { readonly writer?: string };
}

/** Hot: runs for every bucket write, and skips the full parser because few fields are needed. */
function anyBucket(value: JsonValue): Parsed<Bucket> {
  const { metadata, spec } = (value ?? {}) as JsonObject;
  if (isJsonObject(metadata ?? null) && isJsonObject(spec ?? null)) {
    return { ok: true, value: value as unknown as Bucket };
  }
  return { ok: false, issues: [invalid("spec", "", "a bucket has metadata and a spec")] };
}

function observedBucket({ metadata, spec, status }: Bucket): ObservedBucket | undefined {
  const { consumerRef, resourceType = "", dimensions = {} } = spec;
  if (consumerRef === undefined || Object.keys(dimensions).length > 0) return undefined;
  return {
    consumer: readConsumerRef(consumerRef),
    resourceType,
    writer: status?.writer ?? "",
    deleting: metadata.deletionTimestamp !== undefined,
    recount: metadata.annotations?.[annotations.recount] ?? "",
  };
}
