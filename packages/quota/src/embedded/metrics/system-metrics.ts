import type { EmbeddedServer } from "@milo-quota/apiserver/embedded-server.ts";
import type { RequestObserver } from "@milo-quota/apiserver/http/observed-api.ts";
import type { RecordLog } from "@milo-quota/apiserver/storage/log/record-log.ts";
import { pause } from "@milo-quota/kubernetes/client/pause.ts";
import type { QueueListeners } from "@milo-quota/kubernetes/client/queue/queue-listener.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import type { AdmissionOptions } from "../../admission/admission.ts";
import { measureDecisions } from "../../controllers/metrics/decision-metrics.ts";
import { measureHealth, measureInformers } from "../../controllers/metrics/health-metrics.ts";
import { measureQueues } from "../../controllers/metrics/queue-metrics.ts";
import type { DecisionListener } from "../../controllers/writer/writer-deps.ts";
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
  /** Where the data is; undefined when it is in memory. */
  readonly directory: string | undefined;
}

/** What everything in one process has to tell. Parts that are yet to start are heard of through these listeners. */
export class SystemMetrics {
  readonly #options: SystemMetricsOptions;
  readonly #metrics: Metrics;
  readonly #stopProcess: () => void;
  readonly scrapes: Scrapes;
  readonly requestObserver: RequestObserver;
  readonly toldQueues: QueueListeners;
  readonly toldDecisions: DecisionListener;
  readonly admission: Required<Pick<AdmissionOptions, "told" | "toldStreams">>;
  readonly overLog: (log: RecordLog) => RecordLog;

  constructor(options: SystemMetricsOptions) {
    const { clock, elapsedMs, report } = options;
    const metrics = new Metrics(report);
    this.#options = options;
    this.#metrics = metrics;
    this.scrapes = new Scrapes(metrics);
    this.requestObserver = measureRequests(metrics);
    this.toldQueues = measureQueues(metrics);
    this.toldDecisions = measureDecisions(metrics);
    this.admission = {
      told: measureAdmission(metrics),
      toldStreams: measureStreams(metrics),
    };
    this.overLog = (log) => measuredLog(log, metrics, elapsedMs);
    this.#stopProcess = measureProcess(metrics, clock.now() - elapsedMs());
  }

  /** The server has started. */
  showServer({ registry: { store }, watches }: Pick<EmbeddedServer, "registry" | "watches">): void {
    measureStore(this.#metrics, () => store.revision, this.#options.directory);
    measureWatches(this.#metrics, () => watches.count);
  }

  /** Quota is about to be at work. */
  showQuota(quota: QuotaSystem, tenancy: Pick<Tenancy, "informers">, { planes, clock, report }: Runtime): void {
    measureEnforcement(this.#metrics, () => quota.enforcement);
    measureStreamHealth(this.#metrics, () => quota.health);
    measurePolicies(this.#metrics, quota.views.claimPolicies);
    measurePolicyCount(this.#metrics, () => quota.health.activePolicies);
    measureHealth(this.#metrics, quota.controllers, planes);
    const { controllers } = quota;
    measureInformers(this.#metrics, () => [...controllers.health.informers, ...tenancy.informers]);
    const nextTurn = (signal: AbortSignal): Promise<void> => pause(clock, 0, signal);
    this.#metrics.add(new StateMetrics({ planes, report, nextTurn }));
  }

  async stop(): Promise<void> {
    this.#stopProcess();
    await this.scrapes.stop();
  }
}
