import { randomUUID } from "node:crypto";
import { type ServeOptions, type Serving, serve } from "../apiserver/serve.ts";
import { planesOfServer } from "../controllers/planes-of-server.ts";
import type { Runtime } from "../controllers/runtime.ts";
import { ensureNamespace } from "../controllers/system-namespace.ts";
import { quotaKinds } from "../core/resources/kinds.ts";
import { defaultQuotaOptions, type QuotaOptions } from "../core/resources/quota-options.ts";
import { sharedAbort } from "../kube/shared-abort.ts";
import { directTransport } from "../kube/transport/direct-transport.ts";
import type { Log } from "../telemetry/log.ts";
import { tenantLayout } from "../tenancy/plane-layout.ts";
import { tenancyKinds } from "../tenancy/resources/tenancy-kinds.ts";
import { Tenancy } from "../tenancy/tenancy.ts";
import { QuotaPlugin } from "./admission-plugin.ts";
import { installKinds } from "./install-kinds.ts";
import { LateServer } from "./late-server.ts";
import { loggedAdmission, loggedDecisions, loggedRequests } from "./logged-listeners.ts";
import { metricsPath } from "./metrics/metrics-path.ts";
import { serveMetrics } from "./metrics/metrics-server.ts";
import { SystemMetrics } from "./metrics/system-metrics.ts";
import { QuotaSystem, systemUser } from "./quota-system.ts";

export interface UpOptions extends Omit<ServeOptions, "additions" | "report"> {
  readonly elapsedMs: () => number;
  readonly report: (where: string, error: unknown) => void;
  /** Hears of requests, decisions, and what policies that only watch would have refused. */
  readonly log?: Log;
  /** Where everybody on this machine may read metrics; 0 for any free port, nowhere when left out. */
  readonly metricsPort?: number;
  readonly quota?: QuotaOptions;
}

export interface Up extends Serving {
  /** Where metrics are to be read without a token. */
  readonly metricsUrl: string | undefined;
}

/** Starts everything, each part after those it needs; nobody can reach the server before all of it is there. */
export async function up({ elapsedMs, report, metricsPort, ...given }: UpOptions): Promise<Up> {
  const { log = silence, quota = defaultQuotaOptions, ...options } = given;
  const server = new LateServer();
  const { clock, directory } = options;
  const metrics = new SystemMetrics({ clock, elapsedMs, report, directory });
  const parts: Parts = { server, metrics, log, quota, plugin: new QuotaPlugin() };
  try {
    const serving = await serveAll({ ...options, elapsedMs, report }, parts);
    const all = await withMetricsPort(serving, metrics, metricsPort);
    log[quota.enforcement === "Enforce" ? "info" : "warn"](`enforcement is ${quota.enforcement}`);
    return all;
  } catch (error) {
    await metrics.stop();
    throw error;
  }
}

interface Parts {
  readonly server: LateServer;
  readonly metrics: SystemMetrics;
  readonly log: Log;
  readonly quota: QuotaOptions;
  readonly plugin: QuotaPlugin;
}

const nothing = (): void => undefined;
const silence: Log = { error: nothing, warn: nothing, info: nothing, debug: nothing };

function serveAll({ elapsedMs, report, ...options }: UpOptions, parts: Parts): Promise<Serving> {
  const { server, metrics, log, plugin } = parts;
  const { toldRequests, overLog, scrapes } = metrics;
  const runtime = runtimeOn(parts, { ...options, elapsedMs, report });
  const tenancy = tenancyOn(server, runtime);
  return serve({
    ...options,
    report: (error) => report("server", error),
    additions: {
      toldRequests: loggedRequests(log, toldRequests),
      overLog,
      otherPaths: [metricsPath(() => scrapes.text())],
      plugins: [tenancy.guard, plugin],
      resolvePlane: (path) => tenancy.resolvePlane(path),
      definitionsFrom: (plane) => tenantLayout.definitionsFrom(plane),
      authorizers: [tenancy.authorizer],
      tokens: [tenancy.tokens],
      prepare: (started) => {
        server.set(started);
        metrics.showServer(started);
        return startAll(runtime, tenancy, parts);
      },
    },
  });
}

/** Metrics end with everything else, and everything else when they cannot begin. */
async function withMetricsPort(serving: Serving, metrics: SystemMetrics, port: number | undefined): Promise<Up> {
  const { store } = serving.server.registry;
  const text = (): Promise<string> => metrics.scrapes.text();
  try {
    const open = port === undefined ? undefined : await serveMetrics({ port, text, fault: () => store.fault });
    const stop = async (): Promise<void> => {
      await open?.stop();
      await metrics.stop();
      await serving.stop();
    };
    return { ...serving, metricsUrl: open === undefined ? undefined : `${open.url}/metrics`, stop };
  } catch (error) {
    await serving.stop();
    throw error;
  }
}

function runtimeOn(
  { server, metrics }: Parts,
  { clock, elapsedMs, report }: Pick<UpOptions, "clock" | "elapsedMs" | "report">,
): Runtime {
  const user = { username: systemUser, uid: "", groups: ["system:masters"], extra: {} };
  const transport = directTransport((request) => server.get().api.handle(request), user, "believed");
  return {
    planes: planesOfServer(transport, tenantLayout),
    clock,
    elapsedMs,
    random: { fraction: Math.random, uuid: randomUUID },
    incarnation: randomUUID(),
    report,
    turn: () => new Promise((resolve) => setImmediate(resolve)),
    toldQueues: metrics.toldQueues,
  };
}

function tenancyOn(server: LateServer, { planes, ...runtime }: Runtime): Tenancy {
  return new Tenancy({
    ...runtime,
    client: planes.client(planes.root),
    planes: {
      open: (plane) => server.get().openPlane(plane),
      close: (plane) => server.get().closePlane(plane),
    },
  });
}

/** Tenants come before quota, which is theirs; quota is stopped before they are. */
async function startAll(runtime: Runtime, tenancy: Tenancy, parts: Parts): Promise<{ stop(): Promise<void> }> {
  const { signal } = sharedAbort();
  const { planes, clock } = runtime;
  await installKinds(planes.client(planes.root), [...tenancyKinds, ...quotaKinds], clock, signal);
  await ensureNamespace(runtime, planes.root, signal);
  tenancy.start();
  await tenancy.ready;
  const { plugin, metrics, log } = parts;
  const told = loggedAdmission(log, metrics.admission.told);
  const toldDecisions = loggedDecisions(log, metrics.toldDecisions);
  const quota = new QuotaSystem({
    runtime,
    plugin,
    quota: parts.quota,
    ...metrics.admission,
    told,
    toldDecisions,
  });
  metrics.showQuota(quota, tenancy, runtime);
  await quota.start();
  return {
    stop: async () => {
      await quota.stop();
      await tenancy.stop();
    },
  };
}
