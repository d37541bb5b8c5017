import { TokenBucket } from "@milo-quota/kubernetes/client/queue/token-bucket.ts";
import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { namespacesType } from "@milo-quota/kubernetes/client/resources/namespaces.ts";
import type { ResourceClient } from "@milo-quota/kubernetes/client/resources/resource-client.ts";
import type { ObjectRef } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { sleep } from "@milo-quota/kubernetes/client/sleep.ts";
import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { setCondition } from "@milo-quota/kubernetes/protocol/condition.ts";
import { extendObject } from "@milo-quota/kubernetes/protocol/extend-object.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { formatTime } from "@milo-quota/kubernetes/protocol/time.ts";
import { bucketStatus } from "../../../core/ledger/bucket-status.ts";
import { type BucketContent, reservationBytes } from "../../../core/ledger/ledger-bucket.ts";
import { overLimit } from "../../../core/ledger/over-limit.ts";
import { type AllowanceBucket, parseAllowanceBucket } from "../../../core/resources/allowance-bucket.ts";
import { bucketManifest } from "../../../core/resources/bucket-manifest.ts";
import { bucketName } from "../../../core/resources/object-names.ts";
import {
  bucketFinalizer,
  bucketFinalizers,
  quotaApiVersion,
  systemNamespace,
} from "../../../core/resources/well-known.ts";
import { bucketsType } from "../../../views/quota-types.ts";
import type { Runtime } from "../../../views/runtime.ts";
import { findOrUndefined } from "../../find-or-undefined.ts";
import { ensureSystemNamespace, isNamespaceMissing } from "../../system-namespace.ts";
import type { ConsumerKey } from "../consumer-state.ts";
import { meaningOf } from "../write-failure.ts";
import { type ObjectVersion, parseObjectVersion } from "./object-version.ts";
import { type StoredBucket, storedBucket } from "./stored-bucket.ts";

/** Far more than one busy bucket needs, and little enough to leave an API server time for other requests. */
const byteRate = { burst: 32 * 1024 * 1024, perSecond: 16 * 1024 * 1024 };
const bucketFrameBytes = 2 * 1024;

/** A bucket status that is about to be written. */
export interface NextBucket {
  readonly objectKey: PlaneObjectKey;
  readonly uid: string;
  /** The resourceVersion that the write expects. */
  readonly version: string;
  readonly status: JsonObject;
  readonly writer: string;
  /** The stored bucket, given the version that the server assigned. */
  readonly stored: (version: string) => StoredBucket;
}

/** Reads, creates, swaps and removes ledger buckets. Every write names the resourceVersion that was read. */
export class BucketStore {
  readonly #runtime: Runtime;
  readonly #byteLimiter: TokenBucket;
  /** Keeps stamps unique across leader terms of one process: the sequence number starts again with each term. */
  readonly #term: string;
  #writes = 0;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
    this.#byteLimiter = new TokenBucket(byteRate, runtime.clock);
    this.#term = runtime.random.uuid().slice(0, 8);
  }

  /** Whether a bucket was last written by this process in this leader term. */
  isOurs(writer: string): boolean {
    return writer.startsWith(`${this.#runtime.incarnation}.${this.#term}.`);
  }

  async read(key: ConsumerKey, type: string, signal: AbortSignal): Promise<StoredBucket | undefined> {
    const bucket = await findOrUndefined(this.#buckets(key), this.#ref(key, type), signal);
    return bucket === undefined ? undefined : storedBucket(bucket);
  }

  /** Creates an empty bucket, or returns the one that another writer created first. */
  async create(key: ConsumerKey, type: string, signal: AbortSignal): Promise<StoredBucket> {
    const ref = this.#ref(key, type);
    const manifest = bucketManifest(ref, { consumer: key.consumer, resourceType: type }, [bucketFinalizer]);
    try {
      return storedBucket(await this.#buckets(key).create(manifest, {}, signal));
    } catch (error) {
      if (ref.namespace === systemNamespace && isNamespaceMissing(error, systemNamespace)) {
        await ensureSystemNamespace(this.#runtime, key.plane, signal);
        return storedBucket(await this.#buckets(key).create(manifest, {}, signal));
      }
      const found = await this.read(key, type, signal);
      if (found === undefined) throw error;
      return found;
    }
  }

  /** The next status of a bucket, with a unique writer stamp. */
  next(key: ConsumerKey, before: StoredBucket, content: BucketContent): NextBucket {
    const { incarnation, clock } = this.#runtime;
    this.#writes += 1;
    const { uid, version, generation } = before;
    const writer = `${incarnation}.${this.#term}.${this.#writes}`;
    const now = formatTime(clock.now());
    const conditions = setCondition(before.conditions, overLimit(content, before.conditions), now);
    const status = extendObject(bucketStatus(content, { writer, now, generation }), { conditions }) as JsonObject;
    return {
      objectKey: { plane: key.plane, namespace: before.namespace, name: before.name },
      uid,
      version,
      status,
      writer,
      stored: (storedVersion) => ({ ...before, conditions, version: storedVersion, writer, content }),
    };
  }

  /** Writes a bucket unless it changed since it was read; undefined after a conflict, or if the outcome cannot be determined. */
  async swap(
    key: ConsumerKey,
    before: StoredBucket,
    content: BucketContent,
    signal: AbortSignal,
  ): Promise<StoredBucket | undefined> {
    const waitMs = this.#byteLimiter.reserve(bytesOf(content));
    if (waitMs > 0) await sleep(this.#runtime.clock, waitMs, signal);
    const { objectKey, uid, version, status, writer, stored } = this.next(key, before, content);
    const { namespace, name } = objectKey;
    const metadata = { namespace, name, uid, resourceVersion: version };
    const object = { apiVersion: quotaApiVersion, kind: "AllowanceBucket", metadata, status };
    try {
      const written = await this.#versions(key).updateStatus(object, {}, signal);
      return stored(written.version);
    } catch (error) {
      const meaning = meaningOf(error);
      if (meaning === "rejected") throw error;
      if (meaning === "conflict") return undefined;
      const found = await this.read(key, before.resourceType, signal);
      return found?.writer === writer ? found : undefined;
    }
  }

  /**
   * Deletes a bucket and removes its finalizer: two writes, both on the version that was read. Returns false after a
   * conflict: the bucket then still exists, as another client changed it.
   */
  async remove(
    key: ConsumerKey,
    { resourceType, version, uid, deleting, finalizers }: StoredBucket,
    signal: AbortSignal,
  ): Promise<boolean> {
    const ref = this.#ref(key, resourceType);
    try {
      const deletingVersion = deleting ? version : await this.#delete(key, ref, { uid, version }, signal);
      if (deletingVersion === undefined) return true;
      const left = finalizers.filter((finalizer) => !bucketFinalizers.includes(finalizer));
      const body = { metadata: { uid, resourceVersion: deletingVersion, finalizers: left } };
      await this.#versions(key).patch(ref, { type: "merge", body }, {}, signal);
      return true;
    } catch (error) {
      if (meaningOf(error) !== "conflict") throw error;
      return error instanceof StatusError && error.status.code === 404;
    }
  }

  /** Whether the namespace of a consumer's buckets is being deleted. */
  async isNamespaceTerminating({ plane, consumer }: ConsumerKey, signal: AbortSignal): Promise<boolean> {
    const { planes } = this.#runtime;
    const namespaces = planes.client(plane).resource(namespacesType, anyObject);
    const found = await findOrUndefined(namespaces, { name: planes.bucketNamespace(consumer) }, signal);
    const { metadata } = (found ?? {}) as { readonly metadata?: ObjectMeta };
    return metadata?.deletionTimestamp !== undefined;
  }

  async #delete(
    key: ConsumerKey,
    ref: ObjectRef,
    { uid, version }: ObjectVersion,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const deletion = await this.#versions(key).delete(ref, { uid, resourceVersion: version }, signal);
    if (deletion.outcome === "gone") return undefined;
    const parsed = parseObjectVersion(deletion.object);
    return parsed.ok ? parsed.value.version : undefined;
  }

  #ref({ consumer }: ConsumerKey, type: string): { readonly namespace: string; readonly name: string } {
    return { namespace: this.#runtime.planes.bucketNamespace(consumer), name: bucketName(consumer, type) };
  }

  #buckets({ plane }: ConsumerKey): ResourceClient<AllowanceBucket> {
    return this.#runtime.planes.client(plane).resource(bucketsType, parseAllowanceBucket);
  }

  /** The same for writes: the writer needs only the new version from the response. */
  #versions({ plane }: ConsumerKey): ResourceClient<ObjectVersion> {
    return this.#runtime.planes.client(plane).resource(bucketsType, parseObjectVersion);
  }
}

function bytesOf({ reservations }: BucketContent): number {
  return reservations.reduce((sum, each) => sum + reservationBytes(each.claim, each.dimensionKey), bucketFrameBytes);
}
