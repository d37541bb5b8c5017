import { randomUUID } from "node:crypto";
import { type ServeOptions, type Serving, serve } from "../apiserver/serve.ts";
import { planesOfServer } from "../controllers/planes-of-server.ts";
import type { Runtime } from "../controllers/runtime.ts";
import { ensureNamespace } from "../controllers/system-namespace.ts";
import { quotaKinds } from "../core/resources/kinds.ts";
import { sharedAbort } from "../kube/shared-abort.ts";
import { directTransport } from "../kube/transport/direct-transport.ts";
import { tenantLayout } from "../tenancy/plane-layout.ts";
import { tenancyKinds } from "../tenancy/resources/tenancy-kinds.ts";
import { Tenancy } from "../tenancy/tenancy.ts";
import { QuotaPlugin } from "./admission-plugin.ts";
import { installKinds } from "./install-kinds.ts";
import { LateServer } from "./late-server.ts";
import { QuotaSystem, systemUser } from "./quota-system.ts";

export interface UpOptions extends Omit<ServeOptions, "additions" | "report"> {
  readonly elapsedMs: () => number;
  readonly report: (where: string, error: unknown) => void;
}

/** Starts everything, each part after those it needs; nobody can reach the server before all of it is there. */
export function up({ elapsedMs, report, ...options }: UpOptions): Promise<Serving> {
  const server = new LateServer();
  const runtime = runtimeOn(server, { ...options, elapsedMs, report });
  const tenancy = tenancyOn(server, runtime);
  const plugin = new QuotaPlugin();
  return serve({
    ...options,
    report: (error) => report("server", error),
    additions: {
      plugins: [tenancy.guard, plugin],
      resolvePlane: (path) => tenancy.resolvePlane(path),
      definitionsFrom: (plane) => tenantLayout.definitionsFrom(plane),
      authorizers: [tenancy.authorizer],
      tokens: [tenancy.tokens],
      prepare: (started) => {
        server.set(started);
        return startAll(runtime, tenancy, plugin);
      },
    },
  });
}

function runtimeOn(
  server: LateServer,
  { clock, elapsedMs, report }: Pick<UpOptions, "clock" | "elapsedMs" | "report">,
): Runtime {
  const user = { username: systemUser, uid: "", groups: ["system:masters"], extra: {} };
  const transport = directTransport((request) => server.get().api.handle(request), user);
  return {
    planes: planesOfServer(transport, tenantLayout),
    clock,
    elapsedMs,
    random: { fraction: Math.random, uuid: randomUUID },
    incarnation: randomUUID(),
    report,
  };
}

function tenancyOn(server: LateServer, { planes, clock, random, report }: Runtime): Tenancy {
  return new Tenancy({
    client: planes.client(planes.root),
    planes: {
      open: (plane) => server.get().openPlane(plane),
      close: (plane) => server.get().closePlane(plane),
    },
    clock,
    random,
    report,
  });
}

/** Tenants come before quota, which is theirs; quota is stopped before they are. */
async function startAll(runtime: Runtime, tenancy: Tenancy, plugin: QuotaPlugin): Promise<{ stop(): Promise<void> }> {
  const { signal } = sharedAbort();
  const { planes, clock } = runtime;
  await installKinds(planes.client(planes.root), [...tenancyKinds, ...quotaKinds], clock, signal);
  await ensureNamespace(runtime, planes.root, signal);
  tenancy.start();
  await tenancy.ready;
  const quota = new QuotaSystem({ runtime, plugin });
  await quota.start();
  return {
    stop: async () => {
      await quota.stop();
      await tenancy.stop();
    },
  };
}
