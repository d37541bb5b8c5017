// An embedded server with the quota kinds, with or without controllers, in a process of its own; and its clients, in the
// same process, so that what is measured is quota and not sockets.
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SqliteLog } from "../../src/apiserver/storage/sqlite-log.ts";
import { systemClock } from "../../src/apiserver/system-clock.ts";
import { Controllers } from "../../src/controllers/controllers.ts";
import { planesOfServer } from "../../src/controllers/planes-of-server.ts";
import { anyObject, grantsType, registrationsType } from "../../src/controllers/quota-types.ts";
import { Claimants } from "./claimants.ts";
import { storeHistory } from "./history.ts";
import type { Asked, Setup, Started } from "./quota-child.ts";
import { grant, registration } from "./quota-objects.ts";
import { type QuotaServer, startQuotaServer } from "./quota-server.ts";

const setup = JSON.parse(process.argv[2] ?? "{}") as Setup;
const { signal } = new AbortController();
const directory = mkdtempSync(join(tmpdir(), "milo-quota-bench-"));
const quota = await startQuotaServer(new SqliteLog({ directory }));
await quota.root.resource(registrationsType, anyObject).create(registration, {}, signal);
for (let consumer = 0; consumer < setup.consumers; consumer += 1) {
  await quota.root.resource(grantsType, anyObject).create(grant(consumer), {}, signal);
}
await storeHistory(quota.server.registry.store, setup.history);

const claimants = new Claimants(quota);
const controllers = setup.controllers ? controllersOf(quota) : undefined;
process.send?.(await started(controllers));
process.on("message", async ({ work }: Asked) => {
  if (work !== undefined) {
    process.send?.(await claimants.run({ ...work, consumers: setup.consumers }));
    return;
  }
  claimants.stop();
  await controllers?.stop();
  await quota.server.stop();
  rmSync(directory, { recursive: true, force: true });
  process.disconnect();
});

function controllersOf({ transport }: QuotaServer): Controllers {
  const layout = {
    addressOf: (plane: string) => ({ plane, prefix: "" }),
    planeOf: () => undefined,
    ownerOf: () => undefined,
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

/** Starts the controllers, if any, up to the first decision. */
async function started(these: Controllers | undefined): Promise<Started> {
  if (these === undefined) return { startMs: 0, heapBytes: 0 };
  await claimants.watch();
  const [heapBefore, start] = [heapUsed(), performance.now()];
  these.start();
  await claimants.claim({ consumers: 1, until: "decided" });
  const startMs = performance.now() - start;
  return { startMs, heapBytes: heapUsed() - heapBefore };
}

function heapUsed(): number {
  if (globalThis.gc === undefined) throw new Error("run with --expose-gc");
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}
