import { Informer } from "@milo-quota/kubernetes/client/watch/informer.ts";
import { invalid, type Parsed } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { type ConsumerRef, readConsumerRef } from "../../../core/resources/fields/consumer-ref.ts";
import { annotations } from "../../../core/resources/well-known.ts";
import { bucketsType } from "../../../views/quota-types.ts";
import type { Runtime } from "../../../views/runtime.ts";

/** As much of a page as tells whose it is, and who wrote it last. */
export interface SeenPage {
  readonly consumer: ConsumerRef;
  readonly resourceType: string;
  readonly writer: string;
  readonly deleting: boolean;
  /** Set by people who want it to be counted anew. */
  readonly recount: string;
}

/** Pages as they are seen from outside: whatever decides goes by what it read itself. Buckets with dimensions are none. */
export function seenPages(runtime: Runtime): Informer<Bucket, SeenPage> {
  const { planes, clock, random, report } = runtime;
  return new Informer<Bucket, SeenPage>({
    source: planes.everywhere(bucketsType),
    parse: anyBucket,
    keep: (bucket) => seenPage(bucket),
    isSame: (before, now) =>
      before.writer === now.writer && before.deleting === now.deleting && before.recount === now.recount,
    clock,
    random,
    report: (error) => report("buckets", error),
  });
}

/** As much of a bucket as is read here. The server has checked it by its schema. */
interface Bucket {
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly consumerRef?: ConsumerRef;
    readonly resourceType?: string;
    readonly dimensions?: Readonly<Record<string, string>>;
  };
  readonly status?: { readonly writer?: string };
}

/** Read by hand: a bucket is written for every batch of decisions, and most of it is of no interest here. */
function anyBucket(value: JsonValue): Parsed<Bucket> {
  const { metadata, spec } = (value ?? {}) as JsonObject;
  if (isJsonObject(metadata ?? null) && isJsonObject(spec ?? null)) {
    return { ok: true, value: value as unknown as Bucket };
  }
  return { ok: false, issues: [invalid("spec", "", "a bucket has metadata and a spec")] };
}

function seenPage({ metadata, spec, status }: Bucket): SeenPage | undefined {
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
