// Child process: an embedded server with the quota kinds, with or without controllers.
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { Controllers } from "@milo-quota/quota/controllers/controllers.ts";
import { planesOfServer } from "../../packages/quota/src/views/planes-of-server.ts";
import { grantsType, registrationsType } from "../../packages/quota/src/views/quota-types.ts";
import { directClient } from "./claim-client.ts";
import { ClaimLoad } from "./claim-load.ts";
import { storeHistory } from "./history.ts";
import type { ChildRequest, Setup, Started, State } from "./quota-child.ts";
import { grant, registration } from "./quota-objects.ts";
import { type QuotaServer, startQuotaServer, token } from "./quota-server.ts";

const setup = JSON.parse(process.argv[2] ?? "{}") as Setup;
const { signal } = new AbortController();
const directory = mkdtempSync(join(tmpdir(), "milo-quota-bench-"));
const quota = await startQuotaServer(directory);
const { store } = quota.serving.server.registry;
await quota.root.resource(registrationsType, anyObject).create(registration, {}, signal);
for (let consumer = 0; consumer < setup.consumers; consumer += 1) {
  await quota.root.resource(grantsType, anyObject).create(grant(consumer), {}, signal);
}
await storeHistory(store, setup.history);

const client = directClient(quota.transport);
const claims = new ClaimLoad(client);
const controllers = setup.controllers ? controllersOf(quota) : undefined;
process.send?.(await started(controllers));
process.on("message", async (request: ChildRequest) => {
  switch (request.ask) {
    case "work":
      process.send?.(await claims.run({ ...request.work, consumers: setup.consumers }));
      break;
    case "state":
      process.send?.(state());
      break;
    case "stop":
      await stop();
      break;
    default:
      throw new Error(`unknown request ${request satisfies never}`);
  }
});

function controllersOf({ transport }: QuotaServer): Controllers {
  const layout = {
    addressOf: (plane: string) => ({ plane, prefix: "" }),
    planeOf: () => undefined,
    tenantOf: () => undefined,
    tenantKinds: () => [],
    hasOrganizationNamespaces: false,
  };
  return new Controllers({
    leadership: "alone",
    runtime: {
      planes: planesOfServer(transport, layout),
      clock: systemClock,
      elapsedMs: () => performance.now(),
      random: { fraction: Math.random, uuid: randomUUID },
      incarnation: randomUUID(),
      report: (where, error) => console.error(where, error),
    },
  });
}

/** Starts the controllers, if any, and waits for the first decision. */
async function started(toStart: Controllers | undefined): Promise<Started> {
  const target = { url: quota.serving.url, token, ca: authority() };
  if (toStart === undefined) return { target, startMs: 0, heapBytes: 0 };
  await claims.watch();
  const [heapBefore, start] = [heapUsed(), performance.now()];
  toStart.start();
  await claims.claim({ consumers: 1, until: "decided" });
  const startMs = performance.now() - start;
  return { target, startMs, heapBytes: heapUsed() - heapBefore };
}

function authority(): string {
  const text = readFileSync(quota.serving.kubeconfig ?? "", "utf8");
  const data = /"certificate-authority-data": "([^"]+)"/.exec(text)?.[1] ?? "";
  return Buffer.from(data, "base64").toString();
}

function state(): State {
  const { user, system } = process.cpuUsage();
  return { revision: store.revision, cpuMs: (user + system) / 1_000 };
}

async function stop(): Promise<void> {
  await client.close();
  await controllers?.stop();
  await quota.serving.stop();
  rmSync(directory, { recursive: true, force: true });
  process.disconnect();
}

function heapUsed(): number {
  if (globalThis.gc === undefined) throw new Error("run with --expose-gc");
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}
