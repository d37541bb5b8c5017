import {
  type ReconcileResult,
  reconciled,
  requeueAfter,
  WorkQueue,
} from "@milo-quota/kubernetes/client/queue/work-queue.ts";
import type { TypeLedger } from "../../core/ledger/type-ledger.ts";
import type { RegistrationIndex } from "../../views/registration-index.ts";
import type { Running, Runtime } from "../../views/runtime.ts";
import type { Views } from "../../views/views.ts";
import { shouldReport } from "../status/conflicts.ts";
import { isNamespaceMissing } from "../system-namespace.ts";
import { type BucketKey, bucketId, type FiguresObserver } from "../writer/buckets/figures-observer.ts";
import type { Leadership } from "../writer/writer-deps.ts";
import { type DesiredView, desiredViews } from "./desired-view.ts";
import { GrantsByConsumer } from "./grants-by-consumer.ts";
import { listViews } from "./list-views.ts";
import { type ListedView, ViewCache } from "./view-cache.ts";
import { ViewReconciler } from "./view-reconciler.ts";
import { ViewStore } from "./view-store.ts";

/** How late figures may be: frequent changes are coalesced into one write. */
const lateMs = 1_000;
/** How often stored views are listed and compared with the cache. */
const checkMs = 300_000;
/** How often to retry while a namespace does not exist. */
const namespaceMs = 10_000;

const concurrency = 4;

interface Source {
  readonly key: BucketKey;
  readonly read: () => TypeLedger | undefined;
}

/**
 * Writes objects that show figures derived from ledger buckets: an EffectiveResourceGrant with the total, and a bucket for
 * each set of dimensions. Caches what is stored, so that a change costs one write and no read; lists everything from time to
 * time to find changes by other clients.
 */
export class FigureViewController implements FiguresObserver, Running {
  readonly #runtime: Runtime;
  readonly #leadership: Leadership;
  readonly #sources = new Map<string, Source>();
  readonly #cache = new ViewCache();
  readonly #reconciler: ViewReconciler;
  readonly #registrations: RegistrationIndex;
  readonly #grants: GrantsByConsumer;
  readonly #queue: WorkQueue<string>;
  readonly #checks: WorkQueue<"check">;
  #isKnown: (key: BucketKey) => boolean = () => true;
  /** Nothing is written until the first list has ended: it is cheaper than reading every view. */
  #phase: "starting" | "unlisted" | "listed" = "starting";

  constructor(runtime: Runtime, views: Pick<Views, "registrationIndex" | "grants">, leadership: Leadership) {
    this.#runtime = runtime;
    this.#leadership = leadership;
    this.#reconciler = new ViewReconciler(new ViewStore(runtime), this.#cache);
    this.#registrations = views.registrationIndex;
    this.#grants = new GrantsByConsumer(views.grants);
    const { clock, random, report } = runtime;
    this.#queue = new WorkQueue({
      reconcile: (id, signal) => this.#reconcile(id, signal),
      idOf: (id) => id,
      laneOf: (id) => id.slice(0, id.indexOf("\n")),
      observer: runtime.queueObservers?.("figures"),
      clock,
      random,
      limits: { concurrency },
      report: (error, id, failures) => {
        if (shouldReport(error, failures)) report(`figures of ${id.replaceAll("\n", " ")}`, error);
      },
    });
    this.#checks = new WorkQueue({
      reconcile: (_, signal) => this.#check(signal),
      idOf: (id) => id,
      clock,
      random,
      report: (error) => report("figures, listing all of them", error),
    });
    this.#checks.add("check");
  }

  onFiguresChanged(key: BucketKey, read: () => TypeLedger | undefined): void {
    const id = bucketId(key);
    this.#sources.set(id, { key, read });
    if (this.#phase !== "starting") this.#queue.addAfter(id, lateMs);
  }

  /** Removes views without a known bucket, now and at every check. Call it once the bucket writer is ready. */
  sweep(isKnown: (key: BucketKey) => boolean): void {
    this.#isKnown = isKnown;
    this.#checks.add("check");
  }

  async stop(): Promise<void> {
    this.#grants.stop();
    await Promise.all([this.#queue.stop(), this.#checks.stop()]);
  }

  async #check(signal: AbortSignal): Promise<ReconcileResult> {
    try {
      this.#cache.beginList();
      const listed = await listViews(this.#runtime, signal);
      this.#cache.endList(listed);
      this.#phase = "listed";
      this.#removeUnknown(listed);
    } finally {
      if (this.#phase === "starting") this.#phase = "unlisted";
      for (const id of this.#sources.keys()) this.#queue.add(id);
    }
    return requeueAfter(checkMs);
  }

  #removeUnknown(listed: readonly ListedView[]): void {
    for (const { key } of listed) {
      const id = bucketId(key);
      if (!this.#sources.has(id) && !this.#isKnown(key)) this.#sources.set(id, { key, read: () => undefined });
    }
  }

  async #reconcile(id: string, signal: AbortSignal): Promise<ReconcileResult> {
    const source = this.#sources.get(id);
    if (source === undefined) return reconciled;
    this.#leadership.fence();
    const ledger = source.read();
    const desired = ledger === undefined ? [] : this.#desired(source.key, ledger);
    const uncached = this.#phase === "listed" ? "absent" : "unsure";
    const failures = await this.#reconciler.reconcile(source.key, desired, uncached, signal);
    if (failures.length > 0) return retryOrThrow(failures, this.#runtime.planes.bucketNamespace(source.key.consumer));
    if (ledger === undefined && this.#sources.get(id) === source) this.#sources.delete(id);
    return reconciled;
  }

  #desired(key: BucketKey, ledger: TypeLedger): readonly DesiredView[] {
    const { planes, clock } = this.#runtime;
    const grants = this.#grants.active(key, this.#registrations, clock.now());
    return desiredViews(key, planes.bucketNamespace(key.consumer), ledger, grants);
  }
}

/** A namespace may be created after the grants for it, so that its absence is not an error. */
function retryOrThrow(failures: readonly unknown[], namespace: string): ReconcileResult {
  const serious = failures.filter((error) => !isNamespaceMissing(error, namespace));
  if (serious.length === 0) return requeueAfter(namespaceMs);
  throw serious[0];
}
