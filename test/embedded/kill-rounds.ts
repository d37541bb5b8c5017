import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import { lightAbortController } from "@milo-quota/kubernetes/client/light-abort-controller.ts";
import { sleep } from "@milo-quota/kubernetes/client/sleep.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildServer, type ServerProgram } from "../apiserver/killable-server.ts";
import { pick, seeded } from "../apiserver/random-writes.ts";
import type { Body } from "../apiserver/test-server.ts";
import { ApiClient, eventually } from "./api-client.ts";
import { expectWithinLimit, KillClients, sizeOf } from "./kill-clients.ts";
import { limit, prepare, type QuotaScope, scopes, sized } from "./kill-scopes.ts";
import { RunningProgram } from "./running-program.ts";

const clientCount = 16;
/** Claims of objects that were never stored are released within 40 s after a start. */
const releasedMs = 60_000;

const reasonOf = ({ status }: Body): string => status?.conditions?.[0]?.reason ?? "PendingEvaluation";
const heldBy = ({ status }: Body): number =>
  status.allocations.reduce((sum: number, { allocatedAmount }: Body) => sum + allocatedAmount, 0);

interface Observed {
  readonly objects: readonly Body[];
  readonly granted: readonly Body[];
}

async function observe(
  admin: ApiClient,
  scope: QuotaScope,
): Promise<Observed & { claims: readonly Body[]; bucket: Body }> {
  const list = async (path: string): Promise<readonly Body[]> => (await admin.get(path)).body.items;
  const { consumer, quota } = scope;
  const isOwn = ({ spec }: Body): boolean => spec.consumerRef.name === consumer.name;
  const claims = (await list(`${quota}/resourceclaims`)).filter(isOwn);
  const objects = (await list(scope.objects)).filter((object) => sizeOf(object) > 0);
  const [bucket] = (await list(`${quota}/allowancebuckets`)).filter(isOwn);
  return { claims, objects, bucket, granted: claims.filter((claim) => reasonOf(claim) === "QuotaAvailable") };
}

/** UID of the object that a claim is bound to, by annotation or by the owner reference of its only candidate. */
function objectOf({ metadata: { annotations, ownerReferences = [] } }: Body): string | undefined {
  const isOwner = ({ uid }: Body): boolean => uid === annotations["quota.miloapis.com/candidates"];
  return annotations["quota.miloapis.com/bound"] ?? ownerReferences.find(isOwner)?.uid;
}

/** Each object is bound by one granted claim of its size, and no claim is bound to anything else. */
function expectCountedOnce({ objects, granted }: Observed): void {
  const pairs = granted
    .filter((claim) => objectOf(claim) !== undefined)
    .map((claim) => `${objectOf(claim)} takes ${heldBy(claim)}`);
  expect(pairs.sort()).toEqual(objects.map((object) => `${object.metadata.uid} takes ${sizeOf(object)}`).sort());
}

/** Returns the number of claims that are not bound to an object yet. */
async function expectSettled(admin: ApiClient, scope: QuotaScope, clients: KillClients): Promise<number> {
  let unbound = 0;
  await eventually(async () => {
    const observed = await observe(admin, scope);
    const pending = observed.claims.filter((claim) => reasonOf(claim) === "PendingEvaluation");
    expect(pending.map(({ metadata }) => metadata.name)).toEqual([]);
    expectCountedOnce(observed);
    const held = observed.granted.reduce((sum, claim) => sum + heldBy(claim), 0);
    const { limit: shown, allocated, reserved, overage = 0 } = observed.bucket.status;
    expect({ shown, allocated, reserved, overage }).toEqual({ shown: limit, allocated: held, reserved: 0, overage: 0 });
    expectWithinLimit(observed.objects, scope);
    clients.compare(scope, observed.objects);
    unbound = observed.granted.length - observed.objects.length;
  });
  return unbound;
}

/** All free quota can still be claimed, to the last unit. */
async function expectAllUsable(admin: ApiClient, scope: QuotaScope): Promise<void> {
  const free = limit - expectWithinLimit((await observe(admin, scope)).objects, scope);
  const tooMuch = await admin.create(scope.objects, sized("too-much", free + 1));
  expect(tooMuch.code, tooMuch.text).toBe(403);
  if (free === 0) return;
  const rest = await admin.create(scope.objects, sized("rest", free));
  expect(rest.code, rest.text).toBe(201);
}

interface Rounds {
  readonly first: number;
  readonly last: number;
}

/** Kills the program once a round on one data folder, while clients create objects. */
export function describeKills({ first, last }: Rounds): void {
  const kills = last - first + 1;
  describe("everything in one process, killed while objects are created", () => {
    let directory: string;
    let program: ServerProgram;
    let running: RunningProgram | undefined;
    const clients: ApiClient[] = [];

    beforeAll(async () => {
      directory = mkdtempSync(join(tmpdir(), "milo-quota-killed-"));
      program = await buildServer("packages/quota/src/main.ts");
    }, 60_000);

    afterAll(async () => {
      await running?.end("SIGKILL");
      await Promise.all(clients.map((client) => client.close()));
      rmSync(directory, { recursive: true, force: true });
      program.remove();
    });

    const open = (): ApiClient => {
      const client = ApiClient.byKubeconfig(join(directory, "kubeconfig"));
      clients.push(client);
      return client;
    };
    const run = (): RunningProgram => {
      running = RunningProgram.ofBundle(program, ["up", "--port", "0", "--data-dir", directory]);
      return running;
    };
    const start = async (): Promise<ApiClient> => {
      await run().welcome();
      return open();
    };
    const kill = async (): Promise<void> => {
      const { stderr } = (await running?.end("SIGKILL")) ?? { stderr: "" };
      expect(stderr).toBe("");
      await Promise.all(clients.splice(0).map((client) => client.close()));
    };
    const killWhileStarting = async (afterMs: number): Promise<void> => {
      run();
      await sleep(systemClock, afterMs, lightAbortController().signal);
      await kill();
    };

    it(`counts every object once and reserves nothing twice, rounds ${first} to ${last}`, async () => {
      const random = seeded(systemClock.now());
      const clients = new KillClients(random);
      let [admin, unboundMost] = [await start(), 0];
      await prepare(admin);
      for (const scope of scopes) await clients.fill(admin, scope);
      const { admitted, rejected } = clients.answers;
      for (let round = first; round <= last; round += 1) {
        const working = Array.from({ length: clientCount }, () => clients.churn(open(), pick(random, scopes)));
        working.push(clients.checkLimits(open(), scopes));
        await clients.answered(10 + random() * 60);
        await kill();
        await Promise.all(working);
        // In every fourth round it is killed again during its start, before it has reconciled everything.
        if (round % 4 === 0) await killWhileStarting(300 + random() * 1_500);
        admin = await start();
        const unbound = await Promise.all(scopes.map((scope) => expectSettled(admin, scope, clients)));
        unboundMost = Math.max(unboundMost, ...unbound);
      }
      await eventually(async () => {
        for (const scope of scopes) expect(await expectSettled(admin, scope, clients), scope.name).toBe(0);
      }, releasedMs);
      for (const scope of scopes) await expectAllUsable(admin, scope);
      await kill();
      console.log(`killed ${kills} times: ${JSON.stringify({ ...clients.answers, unboundMost })}`);
      expect(clients.answers.admitted - admitted, "objects that were admitted").toBeGreaterThan(kills);
      expect(clients.answers.rejected - rejected, "objects that were rejected").toBeGreaterThan(kills);
    }, 300_000);
  });
}
