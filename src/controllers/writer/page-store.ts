import { pageStatus } from "../../core/ledger/bucket-status.ts";
import { overLimit } from "../../core/ledger/over-limit.ts";
import { type PageContent, reservationBytes } from "../../core/ledger/page.ts";
import { type AllowanceBucket, parseAllowanceBucket } from "../../core/resources/allowance-bucket.ts";
import { bucketManifest } from "../../core/resources/bucket-manifest.ts";
import { bucketName } from "../../core/resources/object-names.ts";
import { pageFinalizer, quotaApiVersion, systemNamespace } from "../../core/resources/well-known.ts";
import type { ResourceClient } from "../../kube/client/resource-client.ts";
import type { ObjectRef } from "../../kube/client/resource-type.ts";
import { pause } from "../../kube/pause.ts";
import { TokenBucket } from "../../kube/queue/token-bucket.ts";
import { timeText } from "../../kube/timestamp.ts";
import { StatusError } from "../../protocol/api-status.ts";
import { setCondition } from "../../protocol/condition.ts";
import { extended } from "../../protocol/extended.ts";
import type { LogPlace } from "../../protocol/log-place.ts";
import type { ObjectMeta } from "../../protocol/object-meta.ts";
import { findIfAny } from "../find-if-any.ts";
import { anyObject, bucketsType, namespacesType } from "../quota-types.ts";
import type { Runtime } from "../runtime.ts";
import { ensureNamespace, isNamespaceMissing } from "../system-namespace.ts";
import type { DeskKey } from "./desk.ts";
import { type DeskPage, deskPage } from "./desk-page.ts";
import { meaningOf } from "./write-failure.ts";
import { parseWritten, type Written } from "./written.ts";

/** Far above what one busy page takes; below what would make an API server do nothing else than keep its history. */
const bytesPace = { burst: 32 * 1024 * 1024, perSecond: 16 * 1024 * 1024 };
const pageFrame = 2 * 1024;

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

  async read(key: DeskKey, type: string, signal: AbortSignal): Promise<DeskPage | undefined> {
    const bucket = await findIfAny(this.#buckets(key), this.#ref(key, type), signal);
    return bucket === undefined ? undefined : deskPage(bucket);
  }

  /** Makes an empty page; somebody else's, if they were faster. */
  async create(key: DeskKey, type: string, signal: AbortSignal): Promise<DeskPage> {
    const ref = this.#ref(key, type);
    const manifest = bucketManifest(ref, { consumer: key.consumer, resourceType: type }, [pageFinalizer]);
    try {
      return deskPage(await this.#buckets(key).create(manifest, {}, signal));
    } catch (error) {
      if (ref.namespace === systemNamespace && isNamespaceMissing(error, systemNamespace)) {
        await ensureNamespace(this.#runtime, key.plane, signal);
        return deskPage(await this.#buckets(key).create(manifest, {}, signal));
      }
      const found = await this.read(key, type, signal);
      if (found === undefined) throw error;
      return found;
    }
  }

  /**
   * Writes a page if nobody else did since it was read; undefined if somebody did, or if nobody can tell. `ordered` is
   * told once nothing but the disk can keep it from being written, if the server is in this process.
   */
  async swap(
    key: DeskKey,
    before: DeskPage,
    { content, ordered }: { readonly content: PageContent; readonly ordered: (place: LogPlace) => void },
    signal: AbortSignal,
  ): Promise<DeskPage | undefined> {
    const { incarnation, clock } = this.#runtime;
    const waitMs = this.#pace.reserve(bytesOf(content));
    if (waitMs > 0) await pause(clock, waitMs, signal);
    this.#writes += 1;
    const { page, uid, generation } = before;
    const writer = `${incarnation}.${this.#term}.${this.#writes}`;
    const now = timeText(clock.now());
    const conditions = setCondition(before.conditions, overLimit(content, before.conditions), now);
    const status = extended(pageStatus(content, { writer, now, generation }), { conditions });
    const metadata = extended(this.#ref(key, page.resourceType), { uid, resourceVersion: page.version });
    const object = { apiVersion: quotaApiVersion, kind: "AllowanceBucket", metadata, status };
    try {
      const { version } = await this.#versions(key).updateStatus(
        object,
        { ordered: (_, place) => ordered(place), vouched: true },
        signal,
      );
      return { ...before, conditions, page: { ...page, version, writer, content } };
    } catch (error) {
      const meaning = meaningOf(error);
      if (meaning === "refused") throw error;
      if (meaning === "conflict") return undefined;
      const found = await this.read(key, page.resourceType, signal);
      return found?.page.writer === writer ? found : undefined;
    }
  }

  /**
   * Deletes a page that nobody needs, and lets it go; in two steps, both on the version that was read. Returns whether
   * it may be forgotten; it may not, if somebody else changed it first.
   */
  async remove(key: DeskKey, { page, uid, deleting, finalizers }: DeskPage, signal: AbortSignal): Promise<boolean> {
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
  async isLosingNamespace({ plane, consumer }: DeskKey, signal: AbortSignal): Promise<boolean> {
    const { planes } = this.#runtime;
    const namespaces = planes.client(plane).resource(namespacesType, anyObject);
    const found = await findIfAny(namespaces, { name: planes.bucketNamespace(consumer) }, signal);
    const { metadata } = (found ?? {}) as { readonly metadata?: ObjectMeta };
    return metadata?.deletionTimestamp !== undefined;
  }

  async #delete(
    key: DeskKey,
    ref: ObjectRef,
    { uid, version }: Written,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const deletion = await this.#versions(key).delete(ref, { uid, resourceVersion: version }, signal);
    if (deletion.outcome === "gone") return undefined;
    const parsed = parseWritten(deletion.object);
    return parsed.ok ? parsed.value.version : undefined;
  }

  #ref({ consumer }: DeskKey, type: string): { readonly namespace: string; readonly name: string } {
    return { namespace: this.#runtime.planes.bucketNamespace(consumer), name: bucketName(consumer, type) };
  }

  #buckets({ plane }: DeskKey): ResourceClient<AllowanceBucket> {
    return this.#runtime.planes.client(plane).resource(bucketsType, parseAllowanceBucket);
  }

  /** The same, for writes whose answer is known but for its version. */
  #versions({ plane }: DeskKey): ResourceClient<Written> {
    return this.#runtime.planes.client(plane).resource(bucketsType, parseWritten);
  }
}

function bytesOf({ reservations }: PageContent): number {
  return reservations.reduce((sum, each) => sum + reservationBytes(each.claim, each.dimensionKey), pageFrame);
}
