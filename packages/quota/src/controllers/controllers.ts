import { backoffMs } from "@milo-quota/kubernetes/client/backoff.ts";
import { EventRecorder, eventType } from "@milo-quota/kubernetes/client/events/event-recorder.ts";
import { LeaderElection } from "@milo-quota/kubernetes/client/lease/leader-election.ts";
import { leaseType, parseLease } from "@milo-quota/kubernetes/client/lease/lease-object.ts";
import { pause } from "@milo-quota/kubernetes/client/pause.ts";
import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { sharedAbort } from "@milo-quota/kubernetes/client/shared-abort.ts";
import { untilAborted } from "@milo-quota/kubernetes/client/until-aborted.ts";
import type { InformerHealth } from "@milo-quota/kubernetes/client/watch/informer-health.ts";
import { parseApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { type GroupKind, sameGroupKind } from "../core/resources/fields/consumer-ref.ts";
import { defaultQuotaOptions, type QuotaOptions } from "../core/resources/quota-options.ts";
import { systemNamespace } from "../core/resources/well-known.ts";
import { ClaimCounts } from "../views/claim-counts.ts";
import type { ClaimRecord } from "../views/claim-record.ts";
import type { Runtime } from "../views/runtime.ts";
import { Views } from "../views/views.ts";
import { KnownFigures } from "./figures/known-figures.ts";
import { LeaderTransactions } from "./leader-transactions.ts";
import { leadWith } from "./leading.ts";
import { ensureSystemNamespace } from "./system-namespace.ts";
import type { DecisionListener, Leadership } from "./writer/writer-deps.ts";

export interface ControllersOptions {
  readonly runtime: Runtime;
  /** Those of the process, where admission uses them as well. They start and stop with the controllers. */
  readonly views?: Views;
  /** Alone where no other process can be at it, because the data is locked; else by election. */
  readonly leadership: "alone" | "elected";
  readonly told?: DecisionListener;
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

/** Everything that keeps quota: sees all the time, and acts while it leads. */
export class Controllers {
  readonly #options: ControllersOptions;
  readonly #views: Views;
  readonly #events: EventRecorder;
  readonly #stopped = sharedAbort();
  /** How much is used, as far as this process knows while it leads. */
  readonly known: KnownFigures;
  /** For a server in this process: quota that is decided in one transaction with objects. */
  readonly transactions = new LeaderTransactions();
  readonly #counts: ClaimCounts;
  #isLeading = false;
  #running: Promise<void> | undefined;

  constructor(options: ControllersOptions) {
    this.#options = options;
    const { runtime } = options;
    const { planes, clock, random, report } = runtime;
    this.#views = options.views ?? new Views(runtime);
    this.known = new KnownFigures(runtime.elapsedMs);
    this.#counts = new ClaimCounts(this.#views.claims);
    this.#events = new EventRecorder({
      eventsOf: (plane) => planes.client(plane).resource(eventType, anyObject),
      source: { component: "milo-quota", instance: runtime.incarnation },
      clock,
      random,
      report: (error) => report("events", error),
    });
  }

  /** How all of it is, for those who look from outside. */
  get health(): ControllersHealth {
    return { isLeading: this.#isLeading, claims: this.#counts.byState, informers: this.#views.health };
  }

  /** Whether policies grant something to objects of this kind as they come. */
  areGranted(kind: GroupKind): boolean {
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

  /** Finishes what is under way, gives the lease back, and sees nothing more. */
  async stop(): Promise<void> {
    this.#stopped.abort(new Error("the controllers were stopped"));
    await this.#running;
    await this.#events.stop();
    await this.#views.stop();
  }

  async #elect(): Promise<void> {
    const { planes, clock, elapsedMs, random, incarnation, report } = this.#options.runtime;
    await this.#haveNamespace(this.#stopped.signal);
    const election: LeaderElection = new LeaderElection({
      leases: planes.client(planes.root).resource(leaseType, parseLease),
      namespace: systemNamespace,
      name: leaseName,
      identity: incarnation,
      started: (signal) => this.#lead(election, signal),
      clock,
      elapsedMs,
      random,
      report: (error) => report("lease", error),
    });
    await election.run(this.#stopped.signal);
  }

  /** The lease needs one; until the server answers there is nothing to lead. */
  async #haveNamespace(signal: AbortSignal): Promise<void> {
    const { runtime } = this.#options;
    for (let failures = 1; !signal.aborted; failures += 1) {
      try {
        await untilAborted(ensureSystemNamespace(runtime, runtime.planes.root, signal), signal);
        return;
      } catch (error) {
        if (!signal.aborted) runtime.report("system namespace", error);
        await pause(runtime.clock, backoffMs(failures, retry, runtime.random), signal).catch(() => undefined);
      }
    }
  }

  /** Acts for all until the signal is aborted. */
  async #lead(leadership: Leadership, signal: AbortSignal): Promise<void> {
    const { runtime, told = {}, quota = defaultQuotaOptions } = this.#options;
    try {
      await untilAborted(this.#views.ready, signal);
    } catch {
      return; // it ended before it began
    }
    const { known, transactions } = this;
    this.#isLeading = true;
    const events = this.#events;
    const term = leadWith({ runtime, views: this.#views, leadership, told, events, known, transactions, quota });
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    this.#isLeading = false;
    await term.stop();
    known.forget();
  }
}
