import { pause } from "@milo-quota/kubernetes/client/pause.ts";
import { TokenBucket } from "@milo-quota/kubernetes/client/queue/token-bucket.ts";
import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { namespacesType } from "@milo-quota/kubernetes/client/resources/namespaces.ts";
import type { ResourceClient } from "@milo-quota/kubernetes/client/resources/resource-client.ts";
import type { ObjectRef } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import type { ObjectPlace } from "@milo-quota/kubernetes/client/watch/object-place.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { setCondition } from "@milo-quota/kubernetes/protocol/condition.ts";
import { extended } from "@milo-quota/kubernetes/protocol/extended.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { timeText } from "@milo-quota/kubernetes/protocol/time.ts";
import { bucketStatus } from "../../../core/ledger/bucket-status.ts";
import { type BucketContent, reservationBytes } from "../../../core/ledger/ledger-bucket.ts";
import { overLimit } from "../../../core/ledger/over-limit.ts";
import { type AllowanceBucket, parseAllowanceBucket } from "../../../core/resources/allowance-bucket.ts";
import { bucketManifest } from "../../../core/resources/bucket-manifest.ts";
import { bucketName } from "../../../core/resources/object-names.ts";
import { pageFinalizer, quotaApiVersion, systemNamespace } from "../../../core/resources/well-known.ts";
import { bucketsType } from "../../../views/quota-types.ts";
import type { Runtime } from "../../../views/runtime.ts";
import { findIfAny } from "../../find-if-any.ts";
import { ensureSystemNamespace, isNamespaceMissing } from "../../system-namespace.ts";
import type { ConsumerKey } from "../consumer-state.ts";
import { meaningOf } from "../write-failure.ts";
import { type StoredPage, storedPage } from "./stored-page.ts";
import { parseWritten, type Written } from "./written.ts";

/** Far above what one busy page takes; below what would make an API server do nothing else than keep its history. */
const bytesPace = { burst: 32 * 1024 * 1024, perSecond: 16 * 1024 * 1024 };
const pageFrame = 2 * 1024;

/** A page as it is about to be written. */
export interface NextPage {
  readonly place: ObjectPlace;
  readonly uid: string;
  /** The version that it follows. */
  readonly version: string;
  readonly status: JsonObject;
  readonly writer: string;
  /** What is stored once it is written. */
  readonly stored: (version: string) => StoredPage;
}

/** Reads, makes, swaps and removes pages. Every change is on the version that was read. */
export class PageStore {
  readonly #runtime: Runtime;
  readonly #pace: TokenBucket;
  /** A process that leads again counts anew: by this, its stamps are still others than those of its last term. */
  readonly #term: string;
  #writes = 0;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
    this.#pace = new TokenBucket(bytesPace, runtime.clock);
    this.#term = runtime.random.uuid().slice(0, 8);
  }

  /** Whether a page says that we wrote it, in this very term. */
  isOurs(writer: string): boolean {
    return writer.startsWith(`${this.#runtime.incarnation}.${this.#term}.`);
  }

  async read(key: ConsumerKey, type: string, signal: AbortSignal): Promise<StoredPage | undefined> {
    const bucket = await findIfAny(this.#buckets(key), this.#ref(key, type), signal);
    return bucket === undefined ? undefined : storedPage(bucket);
  }

  /** Makes an empty page; somebody else's, if they were faster. */
  async create(key: ConsumerKey, type: string, signal: AbortSignal): Promise<StoredPage> {
    const ref = this.#ref(key, type);
    const manifest = bucketManifest(ref, { consumer: key.consumer, resourceType: type }, [pageFinalizer]);
    try {
      return storedPage(await this.#buckets(key).create(manifest, {}, signal));
    } catch (error) {
      if (ref.namespace === systemNamespace && isNamespaceMissing(error, systemNamespace)) {
        await ensureSystemNamespace(this.#runtime, key.plane, signal);
        return storedPage(await this.#buckets(key).create(manifest, {}, signal));
      }
      const found = await this.read(key, type, signal);
      if (found === undefined) throw error;
      return found;
    }
  }

  /** The next version of a page, with a stamp of ours that no other has. */
  next(key: ConsumerKey, before: StoredPage, content: BucketContent): NextPage {
    const { incarnation, clock } = this.#runtime;
    this.#writes += 1;
    const { page, uid, generation } = before;
    const writer = `${incarnation}.${this.#term}.${this.#writes}`;
    const now = timeText(clock.now());
    const conditions = setCondition(before.conditions, overLimit(content, before.conditions), now);
    const status = extended(bucketStatus(content, { writer, now, generation }), { conditions }) as JsonObject;
    return {
      place: { plane: key.plane, namespace: before.namespace, name: before.name },
      uid,
      version: page.version,
      status,
      writer,
      stored: (version) => ({ ...before, conditions, page: { ...page, version, writer, content } }),
    };
  }

  /** Writes a page if nobody else did since it was read; undefined if somebody did, or if nobody can tell. */
  async swap(
    key: ConsumerKey,
    before: StoredPage,
    content: BucketContent,
    signal: AbortSignal,
  ): Promise<StoredPage | undefined> {
    const waitMs = this.#pace.reserve(bytesOf(content));
    if (waitMs > 0) await pause(this.#runtime.clock, waitMs, signal);
    const { place, uid, version, status, writer, stored } = this.next(key, before, content);
    const { namespace, name } = place;
    const metadata = { namespace, name, uid, resourceVersion: version };
    const object = { apiVersion: quotaApiVersion, kind: "AllowanceBucket", metadata, status };
    try {
      const written = await this.#versions(key).updateStatus(object, {}, signal);
      return stored(written.version);
    } catch (error) {
      const meaning = meaningOf(error);
      if (meaning === "refused") throw error;
      if (meaning === "conflict") return undefined;
      const found = await this.read(key, before.page.resourceType, signal);
      return found?.page.writer === writer ? found : undefined;
    }
  }

  /**
   * Deletes a page that nobody needs, and lets it go; in two steps, both on the version that was read. Returns whether
   * it may be forgotten; it may not, if somebody else changed it first.
   */
  async remove(
    key: ConsumerKey,
    { page, uid, deleting, finalizers }: StoredPage,
    signal: AbortSignal,
  ): Promise<boolean> {
    const ref = this.#ref(key, page.resourceType);
    try {
      const version = deleting ? page.version : await this.#delete(key, ref, { uid, version: page.version }, signal);
      if (version === undefined) return true;
      const left = finalizers.filter((finalizer) => finalizer !== pageFinalizer);
      const body = { metadata: { uid, resourceVersion: version, finalizers: left } };
      await this.#versions(key).patch(ref, { type: "merge", body }, {}, signal);
      return true;
    } catch (error) {
      if (meaningOf(error) !== "conflict") throw error;
      return error instanceof StatusError && error.status.code === 404;
    }
  }

  /** Whether the namespace of a consumer's pages is being deleted, and everything in it. */
  async isLosingNamespace({ plane, consumer }: ConsumerKey, signal: AbortSignal): Promise<boolean> {
    const { planes } = this.#runtime;
    const namespaces = planes.client(plane).resource(namespacesType, anyObject);
    const found = await findIfAny(namespaces, { name: planes.bucketNamespace(consumer) }, signal);
    const { metadata } = (found ?? {}) as { readonly metadata?: ObjectMeta };
    return metadata?.deletionTimestamp !== undefined;
  }

  async #delete(
    key: ConsumerKey,
    ref: ObjectRef,
    { uid, version }: Written,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const deletion = await this.#versions(key).delete(ref, { uid, resourceVersion: version }, signal);
    if (deletion.outcome === "gone") return undefined;
    const parsed = parseWritten(deletion.object);
    return parsed.ok ? parsed.value.version : undefined;
  }

  #ref({ consumer }: ConsumerKey, type: string): { readonly namespace: string; readonly name: string } {
    return { namespace: this.#runtime.planes.bucketNamespace(consumer), name: bucketName(consumer, type) };
  }

  #buckets({ plane }: ConsumerKey): ResourceClient<AllowanceBucket> {
    return this.#runtime.planes.client(plane).resource(bucketsType, parseAllowanceBucket);
  }

  /** The same, for writes whose answer is known but for its version. */
  #versions({ plane }: ConsumerKey): ResourceClient<Written> {
    return this.#runtime.planes.client(plane).resource(bucketsType, parseWritten);
  }
}

function bytesOf({ reservations }: BucketContent): number {
  return reservations.reduce((sum, each) => sum + reservationBytes(each.claim, each.dimensionKey), pageFrame);
}
