import { randomUUID } from "node:crypto";
import type { EmbeddedServer } from "../apiserver/embedded-server.ts";
import { type ServeOptions, type Serving, serve } from "../apiserver/serve.ts";
import { planesOfServer } from "../controllers/planes-of-server.ts";
import type { Runtime } from "../controllers/runtime.ts";
import { ensureNamespace } from "../controllers/system-namespace.ts";
import { quotaKinds } from "../core/resources/kinds.ts";
import { directTransport } from "../kube/transport/direct-transport.ts";
import { tenantLayout } from "../tenancy/plane-layout.ts";
import { QuotaPlugin } from "./admission-plugin.ts";
import { installKinds } from "./install-kinds.ts";
import { QuotaSystem } from "./quota-system.ts";

export interface UpOptions extends Omit<ServeOptions, "additions" | "report"> {
  readonly elapsedMs: () => number;
  readonly report: (where: string, error: unknown) => void;
}

/** Who the system is to the server in its own process. */
const systemUser = { username: "system:milo-quota", uid: "", groups: ["system:masters"], extra: {} };

/** Starts everything, each part after those it needs; nobody can reach the server before all of it is there. */
export function up({ elapsedMs, report, ...options }: UpOptions): Promise<Serving> {
  const plugin = new QuotaPlugin();
  return serve({
    ...options,
    report: (error) => report("server", error),
    additions: {
      plugins: [plugin],
      definitionsFrom: (plane) => tenantLayout.definitionsFrom(plane),
      prepare: (server) => startQuota(plugin, runtimeOn(server, { ...options, elapsedMs, report })),
    },
  });
}

function runtimeOn(
  server: EmbeddedServer,
  { clock, elapsedMs, report }: Pick<UpOptions, "clock" | "elapsedMs" | "report">,
): Runtime {
  const transport = directTransport((request) => server.api.handle(request), systemUser);
  return {
    planes: planesOfServer(transport, tenantLayout),
    clock,
    elapsedMs,
    random: { fraction: Math.random, uuid: randomUUID },
    incarnation: randomUUID(),
    report,
  };
}

async function startQuota(plugin: QuotaPlugin, runtime: Runtime): Promise<QuotaSystem> {
  const { signal } = new AbortController();
  const { planes, clock } = runtime;
  await installKinds(planes.client(planes.root), quotaKinds, clock, signal);
  await ensureNamespace(runtime, planes.root, signal);
  const quota = new QuotaSystem({ runtime, plugin });
  await quota.start();
  return quota;
}
