import { abortable } from "@milo-quota/kubernetes/client/abortable.ts";
import { backoffMs } from "@milo-quota/kubernetes/client/backoff.ts";
import { EventRecorder, eventType } from "@milo-quota/kubernetes/client/events/event-recorder.ts";
import { LeaderElector } from "@milo-quota/kubernetes/client/lease/leader-elector.ts";
import { leaseType, parseLease } from "@milo-quota/kubernetes/client/lease/lease-object.ts";
import { lightAbortController } from "@milo-quota/kubernetes/client/light-abort-controller.ts";
import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { sleep } from "@milo-quota/kubernetes/client/sleep.ts";
import type { InformerHealth } from "@milo-quota/kubernetes/client/watch/informer-health.ts";
import { parseApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { type GroupKind, sameGroupKind } from "../core/resources/fields/consumer-ref.ts";
import { defaultQuotaOptions, type QuotaOptions } from "../core/resources/quota-options.ts";
import { systemNamespace } from "../core/resources/well-known.ts";
import { ClaimCounts } from "../views/claim-counts.ts";
import type { ClaimRecord } from "../views/claim-record.ts";
import type { Runtime } from "../views/runtime.ts";
import { Views } from "../views/views.ts";
import { FiguresCache } from "./figures/figures-cache.ts";
import { startLeaderControllers } from "./leader-controllers.ts";
import { LeaderTransactions } from "./leader-transactions.ts";
import { ensureSystemNamespace } from "./system-namespace.ts";
import type { DecisionObserver, Leadership } from "./writer/writer-deps.ts";

export interface ControllersOptions {
  readonly runtime: Runtime;
  /** Shared with admission in the same process. The controllers start and stop them. */
  readonly views?: Views;
  /** `alone` if the data is locked by this process; otherwise replicas elect a leader. */
  readonly leadership: "alone" | "elected";
  readonly observer?: DecisionObserver;
  readonly quota?: QuotaOptions;
}

export interface ControllersHealth {
  readonly isLeading: boolean;
  readonly claims: Readonly<Record<ClaimRecord["state"], number>>;
  readonly informers: readonly InformerHealth[];
}

const alone: Leadership = { fence: () => undefined };
const retry = { minMs: 100, maxMs: 10_000 };
const leaseName = "milo-quota-controllers";

/** All controllers of quota. The informers always run; controllers write only while this process leads. */
export class Controllers {
  readonly #options: ControllersOptions;
  readonly #views: Views;
  readonly #events: EventRecorder;
  readonly #stopped = lightAbortController();
  /** Current usage; empty unless this process leads. */
  readonly figures: FiguresCache;
  /** For embedded mode: decides claims in one transaction with their objects. */
  readonly transactions = new LeaderTransactions();
  readonly #counts: ClaimCounts;
  #isLeading = false;
  #running: Promise<void> | undefined;

  constructor(options: ControllersOptions) {
    this.#options = options;
    const { runtime } = options;
    const { planes, clock, random, report } = runtime;
    this.#views = options.views ?? new Views(runtime);
    this.figures = new FiguresCache(runtime.elapsedMs);
    this.#counts = new ClaimCounts(this.#views.claims);
    this.#events = new EventRecorder({
      eventsOf: (plane) => planes.client(plane).resource(eventType, anyObject),
      source: { component: "milo-quota", instance: runtime.incarnation },
      clock,
      random,
      report: (error) => report("events", error),
    });
  }

  get health(): ControllersHealth {
    return { isLeading: this.#isLeading, claims: this.#counts.byState, informers: this.#views.health };
  }

  /** Whether an enabled grant policy creates grants for objects of this kind. */
  hasGrantPolicyFor(kind: GroupKind): boolean {
    for (const [, { trigger, enabled }] of this.#views.grantPolicies.entries()) {
      const apiGroup = parseApiVersion(trigger.apiVersion).group;
      if (enabled && sameGroupKind({ apiGroup, kind: trigger.kind }, kind)) return true;
    }
    return false;
  }

  start(): void {
    this.#views.start();
    this.#running ??= this.#options.leadership === "alone" ? this.#lead(alone, this.#stopped.signal) : this.#elect();
  }

  /** Waits for work in flight, releases the lease, and stops the informers. */
  async stop(): Promise<void> {
    this.#stopped.abort(new Error("the controllers were stopped"));
    await this.#running;
    await this.#events.stop();
    await this.#views.stop();
  }

  async #elect(): Promise<void> {
    const { planes, clock, elapsedMs, random, incarnation, report } = this.#options.runtime;
    await this.#ensureNamespace(this.#stopped.signal);
    const election: LeaderElector = new LeaderElector({
      leases: planes.client(planes.root).resource(leaseType, parseLease),
      namespace: systemNamespace,
      name: leaseName,
      identity: incarnation,
      onStartedLeading: (signal) => this.#lead(election, signal),
      clock,
      elapsedMs,
      random,
      report: (error) => report("lease", error),
    });
    await election.run(this.#stopped.signal);
  }

  /** The namespace of the lease. Retries until the server responds. */
  async #ensureNamespace(signal: AbortSignal): Promise<void> {
    const { runtime } = this.#options;
    for (let failures = 1; !signal.aborted; failures += 1) {
      try {
        await abortable(ensureSystemNamespace(runtime, runtime.planes.root, signal), signal);
        return;
      } catch (error) {
        if (!signal.aborted) runtime.report("system namespace", error);
        await sleep(runtime.clock, backoffMs(failures, retry, runtime.random), signal).catch(() => undefined);
      }
    }
  }

  /** Runs the controllers until the signal is aborted. */
  async #lead(leadership: Leadership, signal: AbortSignal): Promise<void> {
    const { runtime, observer = {}, quota = defaultQuotaOptions } = this.#options;
    try {
      await abortable(this.#views.ready, signal);
    } catch {
      return; // aborted before the informers had synced
    }
    const { figures, transactions } = this;
    this.#isLeading = true;
    const events = this.#events;
    const term = startLeaderControllers({
      runtime,
      views: this.#views,
      leadership,
      observer,
      events,
      figures,
      transactions,
      quota,
    });
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    this.#isLeading = false;
    await term.stop();
    figures.clear();
  }
}
