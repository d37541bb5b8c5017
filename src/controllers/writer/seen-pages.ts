import { type ConsumerRef, readConsumerRef } from "../../core/resources/consumer-ref.ts";
import { annotations } from "../../core/resources/well-known.ts";
import { Informer } from "../../kube/watch/informer.ts";
import { invalid, type Parsed } from "../../protocol/field-issue.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "../../protocol/json-value.ts";
import { bucketsType } from "../quota-types.ts";
import type { Runtime } from "../runtime.ts";

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
export function seenPages(runtime: Runtime): Informer<JsonObject, SeenPage> {
  const { planes, clock, random, report } = runtime;
  return new Informer<JsonObject, SeenPage>({
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

/** Read by hand: a page is written for every batch of decisions, and most of it is of no interest here. */
function anyBucket(value: JsonValue): Parsed<JsonObject> {
  if (isJsonObject(value) && isJsonObject(ownValue(value, "spec"))) return { ok: true, value };
  return { ok: false, issues: [invalid("spec", "", "a bucket has a spec")] };
}

function seenPage(bucket: JsonObject): SeenPage | undefined {
  const spec = ownValue(bucket, "spec") as JsonObject;
  const consumer = ownValue(spec, "consumerRef");
  const dimensions = ownValue(spec, "dimensions");
  if (!isJsonObject(consumer) || (isJsonObject(dimensions) && Object.keys(dimensions).length > 0)) return undefined;
  const status = ownValue(bucket, "status");
  const metadata = ownValue(bucket, "metadata");
  const noted = isJsonObject(metadata) ? ownValue(metadata, "annotations") : undefined;
  return {
    consumer: readConsumerRef(consumer as unknown as ConsumerRef),
    resourceType: String(ownValue(spec, "resourceType")),
    writer: isJsonObject(status) ? String(ownValue(status, "writer") ?? "") : "",
    deleting: isJsonObject(metadata) && ownValue(metadata, "deletionTimestamp") !== undefined,
    recount: isJsonObject(noted) ? String(ownValue(noted, annotations.recount) ?? "") : "",
  };
}
