import { again, type Outcome, settled, WorkQueue } from "@milo-quota/kubernetes/client/queue/work-queue.ts";
import type { TypeLedger } from "../../core/ledger/type-ledger.ts";
import type { RegistrationIndex } from "../../views/registration-index.ts";
import type { Running, Runtime } from "../../views/runtime.ts";
import type { Views } from "../../views/views.ts";
import { isWorthReporting } from "../status/quiet-conflicts.ts";
import { isNamespaceMissing } from "../system-namespace.ts";
import type { BucketKey, BucketViews } from "../writer/pages/bucket-views.ts";
import type { Leadership } from "../writer/writer-deps.ts";
import { GrantsOfConsumers } from "./grants-of-consumers.ts";
import { listViews } from "./list-views.ts";
import { type ListedView, StoredViews, viewId } from "./stored-views.ts";
import { ViewKeeper } from "./view-keeper.ts";
import { ViewStore } from "./view-store.ts";
import { type WantedView, wantedViews } from "./wanted-view.ts";

/** How long figures may be late: what changes often is written once in that time. */
const lateMs = 1_000;
/** How often it is looked whether what is stored is what was written. */
const checkMs = 300_000;
/** How often it is looked whether a namespace has come. */
const namespaceMs = 10_000;

const concurrency = 4;

interface Shown {
  readonly key: BucketKey;
  readonly read: () => TypeLedger | undefined;
}

/**
 * Shows figures beside pages: a total, and a bucket for each set of dimensions. It remembers what it has written, so that
 * showing a change costs a write and no more; from time to time it looks whether somebody else has meddled.
 */
export class FigureViews implements BucketViews, Running {
  readonly #runtime: Runtime;
  readonly #leadership: Leadership;
  readonly #shown = new Map<string, Shown>();
  readonly #stored = new StoredViews();
  readonly #keeper: ViewKeeper;
  readonly #registrations: RegistrationIndex;
  readonly #grants: GrantsOfConsumers;
  readonly #work: WorkQueue<string>;
  readonly #checks: WorkQueue<"check">;
  #isKnown: (key: BucketKey) => boolean = () => true;
  /** Before the first list is there, or has failed, nothing is written: a list costs less than so many reads. */
  #phase: "starting" | "unlisted" | "listed" = "starting";

  constructor(runtime: Runtime, views: Pick<Views, "registrationIndex" | "grants">, leadership: Leadership) {
    this.#runtime = runtime;
    this.#leadership = leadership;
    this.#keeper = new ViewKeeper(new ViewStore(runtime), this.#stored);
    this.#registrations = views.registrationIndex;
    this.#grants = new GrantsOfConsumers(views.grants);
    const { clock, random, report } = runtime;
    this.#work = new WorkQueue({
      work: (id, signal) => this.#reconcile(id, signal),
      idOf: (id) => id,
      laneOf: (id) => id.slice(0, id.indexOf("\n")),
      told: runtime.toldQueues?.("figures"),
      clock,
      random,
      limits: { concurrency },
      report: (error, id, failures) => {
        if (isWorthReporting(error, failures)) report(`figures of ${id.replaceAll("\n", " ")}`, error);
      },
    });
    this.#checks = new WorkQueue({
      work: (_, signal) => this.#check(signal),
      idOf: (id) => id,
      clock,
      random,
      report: (error) => report("figures, looking at all of them", error),
    });
    this.#checks.add("check");
  }

  changed(key: BucketKey, read: () => TypeLedger | undefined): void {
    const id = viewId(key);
    this.#shown.set(id, { key, read });
    if (this.#phase !== "starting") this.#work.addAfter(id, lateMs);
  }

  /** Removes what is shown of whatever is not known, now and at every further look. To be called when all is known. */
  sweep(isKnown: (key: BucketKey) => boolean): void {
    this.#isKnown = isKnown;
    this.#checks.add("check");
  }

  async stop(): Promise<void> {
    this.#grants.stop();
    await Promise.all([this.#work.stop(), this.#checks.stop()]);
  }

  async #check(signal: AbortSignal): Promise<Outcome> {
    try {
      this.#stored.listing();
      const listed = await listViews(this.#runtime, signal);
      this.#stored.listed(listed);
      this.#phase = "listed";
      this.#abandonUnknown(listed);
    } finally {
      if (this.#phase === "starting") this.#phase = "unlisted";
      for (const id of this.#shown.keys()) this.#work.add(id);
    }
    return again(checkMs);
  }

  #abandonUnknown(listed: readonly ListedView[]): void {
    for (const { key } of listed) {
      const id = viewId(key);
      if (!this.#shown.has(id) && !this.#isKnown(key)) this.#shown.set(id, { key, read: () => undefined });
    }
  }

  async #reconcile(id: string, signal: AbortSignal): Promise<Outcome> {
    const shown = this.#shown.get(id);
    if (shown === undefined) return settled;
    this.#leadership.fence();
    const book = shown.read();
    const wanted = book === undefined ? [] : this.#wanted(shown.key, book);
    const unheard = this.#phase === "listed" ? "absent" : "unsure";
    const failures = await this.#keeper.bringAbout(shown.key, wanted, unheard, signal);
    if (failures.length > 0) return waitOrThrow(failures, this.#runtime.planes.bucketNamespace(shown.key.consumer));
    if (book === undefined && this.#shown.get(id) === shown) this.#shown.delete(id);
    return settled;
  }

  #wanted(key: BucketKey, book: TypeLedger): readonly WantedView[] {
    const { planes, clock } = this.#runtime;
    const grants = this.#grants.active(key, this.#registrations, clock.now());
    return wantedViews(key, planes.bucketNamespace(key.consumer), book, grants);
  }
}

/** A namespace may come later than what is granted in it; that is nobody's fault. */
function waitOrThrow(failures: readonly unknown[], namespace: string): Outcome {
  const serious = failures.filter((error) => !isNamespaceMissing(error, namespace));
  if (serious.length === 0) return again(namespaceMs);
  throw serious[0];
}
