import type { EmbeddedServer } from "@milo-quota/apiserver/embedded-server.ts";
import type { RequestObserver } from "@milo-quota/apiserver/http/observe-requests.ts";
import type { RecordLog } from "@milo-quota/apiserver/storage/log/record-log.ts";
import type { QueueObservers } from "@milo-quota/kubernetes/client/queue/queue-observer.ts";
import { sleep } from "@milo-quota/kubernetes/client/sleep.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import type { AdmissionObserver } from "../../admission/admission-observer.ts";
import type { StreamsObserver } from "../../admission/claims/stream-observer.ts";
import { measureDecisions } from "../../controllers/metrics/decision-metrics.ts";
import { measureHealth, measureInformers } from "../../controllers/metrics/health-metrics.ts";
import { measureQueues } from "../../controllers/metrics/queue-metrics.ts";
import type { DecisionObserver } from "../../controllers/writer/writer-deps.ts";
import { Metrics } from "../../telemetry/metrics.ts";
import { measureProcess } from "../../telemetry/process-metrics.ts";
import type { Tenancy } from "../../tenancy/tenancy.ts";
import type { Runtime } from "../../views/runtime.ts";
import type { QuotaSystem } from "../quota-system.ts";
import { measureAdmission, measureEnforcement, measurePolicies, measurePolicyCount } from "./admission-metrics.ts";
import { measureRequests, measureWatches } from "./request-metrics.ts";
import { Scrapes } from "./scrapes.ts";
import { StateMetrics } from "./state/state-metrics.ts";
import { measuredLog, measureStore } from "./storage-metrics.ts";
import { measureStreamHealth, measureStreams } from "./stream-metrics.ts";

export interface SystemMetricsOptions {
  readonly clock: Clock;
  readonly elapsedMs: () => number;
  readonly report: (where: string, error: unknown) => void;
  /** The data directory; undefined when the data is in memory. */
  readonly directory: string | undefined;
}

/** All metrics of one process, and the observers that the other parts report to. */
export class SystemMetrics {
  readonly #options: SystemMetricsOptions;
  readonly #metrics: Metrics;
  readonly #stopProcess: () => void;
  readonly scrapes: Scrapes;
  readonly requestObserver: RequestObserver;
  readonly queueObservers: QueueObservers;
  readonly decisionObserver: DecisionObserver;
  readonly admissionObserver: AdmissionObserver;
  readonly streamObserver: StreamsObserver;
  readonly wrapLog: (log: RecordLog) => RecordLog;

  constructor(options: SystemMetricsOptions) {
    const { clock, elapsedMs, report } = options;
    const metrics = new Metrics(report);
    this.#options = options;
    this.#metrics = metrics;
    this.scrapes = new Scrapes(metrics);
    this.requestObserver = measureRequests(metrics);
    this.queueObservers = measureQueues(metrics);
    this.decisionObserver = measureDecisions(metrics);
    this.admissionObserver = measureAdmission(metrics);
    this.streamObserver = measureStreams(metrics);
    this.wrapLog = (log) => measuredLog(log, metrics, elapsedMs);
    this.#stopProcess = measureProcess(metrics, clock.now() - elapsedMs());
  }

  /** To be called once the server has started. */
  measureServer({ registry: { store }, watches }: Pick<EmbeddedServer, "registry" | "watches">): void {
    measureStore(this.#metrics, store, this.#options.directory);
    measureWatches(this.#metrics, () => watches.count);
  }

  /** To be called before the quota system starts. */
  measureQuota(quota: QuotaSystem, tenancy: Pick<Tenancy, "informers">, { planes, clock, report }: Runtime): void {
    measureEnforcement(this.#metrics, () => quota.enforcement);
    measureStreamHealth(this.#metrics, () => quota.health);
    measurePolicies(this.#metrics, quota.views.claimPolicies);
    measurePolicyCount(this.#metrics, () => quota.health.activePolicies);
    measureHealth(this.#metrics, quota.controllers, planes);
    const { controllers } = quota;
    measureInformers(this.#metrics, () => [...controllers.health.informers, ...tenancy.informers]);
    const yieldToEventLoop = (signal: AbortSignal): Promise<void> => sleep(clock, 0, signal);
    this.#metrics.add(new StateMetrics({ planes, report, yieldToEventLoop }));
  }

  async stop(): Promise<void> {
    this.#stopProcess();
    await this.scrapes.stop();
  }
}
