import { randomUUID } from "node:crypto";
import type { EmbeddedServer } from "@milo-quota/apiserver/embedded-server.ts";
import { type Address, listenAt, type OpenOptions, openServer, type Serving } from "@milo-quota/apiserver/serve.ts";
import { StartedComponents } from "@milo-quota/apiserver/started-components.ts";
import { lightAbortController } from "@milo-quota/kubernetes/client/light-abort-controller.ts";
import { directTransport } from "@milo-quota/kubernetes/client/transport/direct-transport.ts";
import { ensureSystemNamespace } from "../controllers/system-namespace.ts";
import { quotaKinds } from "../core/resources/kinds.ts";
import { earlyNameHint } from "../core/resources/parsing/early-field-names.ts";
import { defaultQuotaOptions, type QuotaOptions } from "../core/resources/quota-options.ts";
import { quotaRoles } from "../core/resources/quota-roles.ts";
import { quotaGroup } from "../core/resources/well-known.ts";
import type { Log } from "../telemetry/log.ts";
import { tenantLayout } from "../tenancy/plane-layout.ts";
import { tenancyKinds } from "../tenancy/resources/tenancy-kinds.ts";
import { Tenancy } from "../tenancy/tenancy.ts";
import { planesOfServer } from "../views/planes-of-server.ts";
import type { Runtime } from "../views/runtime.ts";
import { installKinds } from "./install-kinds.ts";
import { loggedAdmission, loggedDecisions, loggedRequests, loggedStorage } from "./logged-observers.ts";
import { metricsPath } from "./metrics/metrics-path.ts";
import { serveMetrics } from "./metrics/metrics-server.ts";
import { SystemMetrics } from "./metrics/system-metrics.ts";
import { isQuotaRelease } from "./quota-release.ts";
import { QuotaSystem, systemUser } from "./quota-system.ts";

export interface UpOptions extends Address, Pick<OpenOptions, "directory" | "token" | "kubeconfig" | "clock"> {
  readonly elapsedMs: () => number;
  readonly report: (where: string, error: unknown) => void;
  /** Logs requests, decisions, and what policies in Shadow mode would reject. */
  readonly log?: Log;
  /** Port on localhost that serves metrics without a token. 0 for any free port; not served when omitted. */
  readonly metricsPort?: number;
  readonly quota?: QuotaOptions;
}

export interface Up extends Serving {
  /** URL of the metrics that need no token. */
  readonly metricsUrl: string | undefined;
}

/**
 * Starts the whole system, each part after its dependencies. The socket opens last, so that no client can reach the server
 * before quota is enforced. When a step fails, the parts started before it are stopped.
 */
export async function up(options: UpOptions): Promise<Up> {
  const parts = new StartedComponents();
  try {
    const started = await startAll(options, parts);
    return { ...started, stop: () => parts.stop() };
  } catch (error) {
    await parts.stop();
    throw error;
  }
}

/** Tells the current name of a field in manifests for early versions of the API. */
const unknownFieldHint: NonNullable<OpenOptions["unknownFieldHint"]> = ({ group, kind }, field) =>
  group === quotaGroup ? earlyNameHint(kind, field) : undefined;

const ignore = (): void => undefined;
const noLog: Log = { error: ignore, warn: ignore, info: ignore, debug: ignore };

async function startAll(options: UpOptions, parts: StartedComponents): Promise<Omit<Up, "stop">> {
  const { clock, elapsedMs, report, directory, log = noLog, quota = defaultQuotaOptions } = options;
  const metrics = parts.add(new SystemMetrics({ clock, elapsedMs, report, directory }));
  const opened = await openServer({
    ...options,
    ...serverOptions(metrics, log),
    report: (error) => report("server", error),
  });
  const server = parts.add(opened.server);
  metrics.measureServer(server);
  const secret = randomUUID();
  const runtime = createRuntime(server, secret, metrics, options);
  await install(runtime);
  const tenancy = await startTenancy(server, runtime, parts);
  const system = new QuotaSystem({ runtime, secret, server, quota, ...observers(metrics, log) });
  metrics.measureQuota(system, tenancy, runtime);
  await parts.add(system).start();
  server.extend({ plugins: [system.plugin] });
  const serving = parts.add(await listenAt(opened, options));
  parts.add(metrics.scrapes); // stopped first, because they read from the parts above
  const metricsUrl = await openMetricsPort(options.metricsPort, server, metrics, parts);
  log[quota.enforcement === "Enforce" ? "info" : "warn"](`enforcement is ${quota.enforcement}`);
  return { ...serving, metricsUrl };
}

function serverOptions({ scrapes, requestObserver, wrapLog }: SystemMetrics, log: Log): Partial<OpenOptions> {
  return {
    clusterRoles: quotaRoles,
    definitionsFrom: tenantLayout.definitionsFrom,
    unknownFieldHint,
    otherPaths: [metricsPath(() => scrapes.text())],
    requestObserver: loggedRequests(log, requestObserver),
    onWriteProblem: loggedStorage(log),
    isRelease: isQuotaRelease,
    wrapLog,
  };
}

function observers({ admissionObserver, streamObserver, decisionObserver }: SystemMetrics, log: Log) {
  return {
    observer: loggedAdmission(log, admissionObserver),
    streamObserver,
    decisionObserver: loggedDecisions(log, decisionObserver),
  };
}

function createRuntime(
  server: EmbeddedServer,
  secret: string,
  { queueObservers }: SystemMetrics,
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
    queueObservers,
  };
}

async function install(runtime: Runtime): Promise<void> {
  const { signal } = lightAbortController();
  const { planes, clock } = runtime;
  await installKinds(planes.client(planes.root), [...tenancyKinds, ...quotaKinds], clock, signal);
  await ensureSystemNamespace(runtime, planes.root, signal);
}

async function startTenancy(
  server: EmbeddedServer,
  { planes, ...runtime }: Runtime,
  parts: StartedComponents,
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
  parts: StartedComponents,
): Promise<string | undefined> {
  if (port === undefined) return undefined;
  const health = { fault: () => store.writeFailure, unready: () => store.writeProblem };
  const { url } = parts.add(await serveMetrics({ port, text: () => scrapes.text(), ...health }));
  return `${url}/metrics`;
}
