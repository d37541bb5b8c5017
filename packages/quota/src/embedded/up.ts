import { randomUUID } from "node:crypto";
import type { EmbeddedServer } from "@milo-quota/apiserver/embedded-server.ts";
import { type Address, listenAt, type OpenOptions, openServer, type Serving } from "@milo-quota/apiserver/serve.ts";
import { StartedParts } from "@milo-quota/apiserver/started-parts.ts";
import { sharedAbort } from "@milo-quota/kubernetes/client/shared-abort.ts";
import { directTransport } from "@milo-quota/kubernetes/client/transport/direct-transport.ts";
import { ensureSystemNamespace } from "../controllers/system-namespace.ts";
import { quotaKinds } from "../core/resources/kinds.ts";
import { defaultQuotaOptions, type QuotaOptions } from "../core/resources/quota-options.ts";
import type { Log } from "../telemetry/log.ts";
import { tenantLayout } from "../tenancy/plane-layout.ts";
import { tenancyKinds } from "../tenancy/resources/tenancy-kinds.ts";
import { Tenancy } from "../tenancy/tenancy.ts";
import { planesOfServer } from "../views/planes-of-server.ts";
import type { Runtime } from "../views/runtime.ts";
import { installKinds } from "./install-kinds.ts";
import { loggedAdmission, loggedDecisions, loggedRequests } from "./logged-listeners.ts";
import { metricsPath } from "./metrics/metrics-path.ts";
import { serveMetrics } from "./metrics/metrics-server.ts";
import { SystemMetrics } from "./metrics/system-metrics.ts";
import { QuotaSystem, systemUser } from "./quota-system.ts";

export interface UpOptions extends Address, Pick<OpenOptions, "directory" | "token" | "kubeconfig" | "clock"> {
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

/**
 * Starts the whole system, each part after those it needs; the socket opens last, so no client reaches the server before
 * quota works. When a step fails, the parts before it are stopped.
 */
export async function up(options: UpOptions): Promise<Up> {
  const parts = new StartedParts();
  try {
    const started = await startAll(options, parts);
    return { ...started, stop: () => parts.stop() };
  } catch (error) {
    await parts.stop();
    throw error;
  }
}

const nothing = (): void => undefined;
const silence: Log = { error: nothing, warn: nothing, info: nothing, debug: nothing };

async function startAll(options: UpOptions, parts: StartedParts): Promise<Omit<Up, "stop">> {
  const { clock, elapsedMs, report, directory, log = silence, quota = defaultQuotaOptions } = options;
  const metrics = parts.add(new SystemMetrics({ clock, elapsedMs, report, directory }));
  const opened = await openServer({
    ...options,
    ...additionsOf(metrics, log),
    report: (error) => report("server", error),
  });
  const server = parts.add(opened.server);
  metrics.showServer(server);
  const secret = randomUUID();
  const runtime = runtimeOn(server, secret, metrics, options);
  await install(runtime);
  const tenancy = await startTenancy(server, runtime, parts);
  const system = new QuotaSystem({ runtime, secret, server, quota, ...listenersOf(metrics, log) });
  metrics.showQuota(system, tenancy, runtime);
  await parts.add(system).start();
  server.extend({ plugins: [system.plugin] });
  const serving = parts.add(await listenAt(opened, options));
  parts.add(metrics.scrapes); // they read from the parts above
  const metricsUrl = await openMetricsPort(options.metricsPort, server, metrics, parts);
  log[quota.enforcement === "Enforce" ? "info" : "warn"](`enforcement is ${quota.enforcement}`);
  return { ...serving, metricsUrl };
}

function additionsOf({ scrapes, requestObserver, overLog }: SystemMetrics, log: Log) {
  return {
    definitionsFrom: tenantLayout.definitionsFrom,
    otherPaths: [metricsPath(() => scrapes.text())],
    requestObserver: loggedRequests(log, requestObserver),
    overLog,
  };
}

function listenersOf({ admission, toldDecisions }: SystemMetrics, log: Log) {
  return {
    ...admission,
    told: loggedAdmission(log, admission.told),
    toldDecisions: loggedDecisions(log, toldDecisions),
  };
}

function runtimeOn(
  server: EmbeddedServer,
  secret: string,
  { toldQueues }: SystemMetrics,
  { clock, elapsedMs, report }: Pick<UpOptions, "clock" | "elapsedMs" | "report">,
): Runtime {
  const transport = directTransport((request) => server.api.handle(request), systemUser(secret));
  return {
    planes: planesOfServer(transport, tenantLayout),
    clock,
    elapsedMs,
    random: { fraction: Math.random, uuid: randomUUID },
    incarnation: randomUUID(),
    report,
    toldQueues,
  };
}

async function install(runtime: Runtime): Promise<void> {
  const { signal } = sharedAbort();
  const { planes, clock } = runtime;
  await installKinds(planes.client(planes.root), [...tenancyKinds, ...quotaKinds], clock, signal);
  await ensureSystemNamespace(runtime, planes.root, signal);
}

async function startTenancy(
  server: EmbeddedServer,
  { planes, ...runtime }: Runtime,
  parts: StartedParts,
): Promise<Tenancy> {
  const tenancy = new Tenancy({
    ...runtime,
    client: planes.client(planes.root),
    planes: { open: server.openPlane, close: server.closePlane },
  });
  const { guard, authorizer, tokens, resolvePlane } = tenancy;
  server.extend({ plugins: [guard], authorizers: [authorizer], tokens: [tokens], resolvePlane });
  parts.add(tenancy).start();
  await tenancy.ready;
  return tenancy;
}

async function openMetricsPort(
  port: number | undefined,
  { registry: { store } }: EmbeddedServer,
  { scrapes }: SystemMetrics,
  parts: StartedParts,
): Promise<string | undefined> {
  if (port === undefined) return undefined;
  const { url } = parts.add(await serveMetrics({ port, text: () => scrapes.text(), fault: () => store.fault }));
  return `${url}/metrics`;
}
