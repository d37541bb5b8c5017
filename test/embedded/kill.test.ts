import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import { pause } from "@milo-quota/kubernetes/client/pause.ts";
import { sharedAbort } from "@milo-quota/kubernetes/client/shared-abort.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildServer, type ServerProgram } from "../apiserver/killable-server.ts";
import { pick, seeded } from "../apiserver/random-writes.ts";
import type { Body } from "../apiserver/test-server.ts";
import { eventually, FrontDoor } from "./front-door.ts";
import { expectWithinLimit, KillClients, sizeOf } from "./kill-clients.ts";
import { limit, type Place, places, prepare, sized } from "./kill-places.ts";
import { RunningProgram } from "./running-program.ts";

const kills = 20;
const clientCount = 16;
/** What was promised to an object that never came is returned within 40 s after a start. */
const returnedMs = 60_000;

const reasonOf = ({ status }: Body): string => status?.conditions?.[0]?.reason ?? "PendingEvaluation";
const heldBy = ({ status }: Body): number =>
  status.allocations.reduce((sum: number, { allocatedAmount }: Body) => sum + allocatedAmount, 0);

interface Seen {
  readonly objects: readonly Body[];
  readonly granted: readonly Body[];
}

async function see(admin: FrontDoor, place: Place): Promise<Seen & { claims: readonly Body[]; bucket: Body }> {
  const list = async (path: string): Promise<readonly Body[]> => (await admin.get(path)).body.items;
  const { consumer, quota } = place;
  const isOwn = ({ spec }: Body): boolean => spec.consumerRef.name === consumer.name;
  const claims = (await list(`${quota}/resourceclaims`)).filter(isOwn);
  const objects = (await list(place.objects)).filter((object) => sizeOf(object) > 0);
  const [bucket] = (await list(`${quota}/allowancebuckets`)).filter(isOwn);
  return { claims, objects, bucket, granted: claims.filter((claim) => reasonOf(claim) === "QuotaAvailable") };
}

/** The object that a claim is for: it says so, or the only one that it may be for owns it. */
function objectOf({ metadata: { annotations, ownerReferences = [] } }: Body): string | undefined {
  const isOwner = ({ uid }: Body): boolean => uid === annotations["quota.miloapis.com/candidates"];
  return annotations["quota.miloapis.com/bound"] ?? ownerReferences.find(isOwner)?.uid;
}

/** Each object is bound by one granted claim of its size, and no claim is bound to anything else. */
function expectCountedOnce({ objects, granted }: Seen): void {
  const pairs = granted
    .filter((claim) => objectOf(claim) !== undefined)
    .map((claim) => `${objectOf(claim)} takes ${heldBy(claim)}`);
  expect(pairs.sort()).toEqual(objects.map((object) => `${object.metadata.uid} takes ${sizeOf(object)}`).sort());
}

/** Returns how many claims wait for an object that may still come. */
async function expectSettled(admin: FrontDoor, place: Place, clients: KillClients): Promise<number> {
  let unbound = 0;
  await eventually(async () => {
    const seen = await see(admin, place);
    const pending = seen.claims.filter((claim) => reasonOf(claim) === "PendingEvaluation");
    expect(pending.map(({ metadata }) => metadata.name)).toEqual([]);
    expectCountedOnce(seen);
    const held = seen.granted.reduce((sum, claim) => sum + heldBy(claim), 0);
    const { limit: shown, allocated, reserved, overage = 0 } = seen.bucket.status;
    expect({ shown, allocated, reserved, overage }).toEqual({ shown: limit, allocated: held, reserved: 0, overage: 0 });
    expectWithinLimit(seen.objects, place);
    clients.compare(place, seen.objects);
    unbound = seen.granted.length - seen.objects.length;
  });
  return unbound;
}

/** What is free can be had, to the last unit: nothing was lost on the way. */
async function expectAllUsable(admin: FrontDoor, place: Place): Promise<void> {
  const free = limit - expectWithinLimit((await see(admin, place)).objects, place);
  const tooMuch = await admin.create(place.objects, sized("too-much", free + 1));
  expect(tooMuch.code, tooMuch.text).toBe(403);
  if (free === 0) return;
  const rest = await admin.create(place.objects, sized("rest", free));
  expect(rest.code, rest.text).toBe(201);
}

describe("everything in one process, killed while objects are made", () => {
  let directory: string;
  let program: ServerProgram;
  let running: RunningProgram | undefined;
  const doors: FrontDoor[] = [];

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "milo-quota-killed-"));
    program = await buildServer("packages/quota/src/main.ts");
  }, 60_000);

  afterAll(async () => {
    await running?.end("SIGKILL");
    await Promise.all(doors.map((door) => door.close()));
    rmSync(directory, { recursive: true, force: true });
    program.remove();
  });

  const open = (): FrontDoor => {
    const door = FrontDoor.byKubeconfig(join(directory, "kubeconfig"));
    doors.push(door);
    return door;
  };
  const run = (): RunningProgram => {
    running = RunningProgram.ofBundle(program, ["up", "--port", "0", "--data-dir", directory]);
    return running;
  };
  const start = async (): Promise<FrontDoor> => {
    await run().welcome();
    return open();
  };
  const kill = async (): Promise<void> => {
    const { stderr } = (await running?.end("SIGKILL")) ?? { stderr: "" };
    expect(stderr).toBe("");
    await Promise.all(doors.splice(0).map((door) => door.close()));
  };
  const killWhileStarting = async (afterMs: number): Promise<void> => {
    run();
    await pause(systemClock, afterMs, sharedAbort().signal);
    await kill();
  };

  it(`counts every object once, and promises nothing twice, ${kills} times over`, async () => {
    const random = seeded(systemClock.now());
    const clients = new KillClients(random);
    let [admin, unboundMost] = [await start(), 0];
    await prepare(admin);
    for (let round = 0; round < kills; round += 1) {
      const working = Array.from({ length: clientCount }, () => clients.churn(open(), pick(random, places)));
      working.push(clients.look(open(), places));
      await clients.answered(10 + random() * 60);
      await kill();
      await Promise.all(working);
      // Now and then it is killed again while it starts, before it has put everything right.
      if (round % 4 === 3) await killWhileStarting(300 + random() * 1_500);
      admin = await start();
      const unbound = await Promise.all(places.map((place) => expectSettled(admin, place, clients)));
      unboundMost = Math.max(unboundMost, ...unbound);
    }
    await eventually(async () => {
      for (const place of places) expect(await expectSettled(admin, place, clients), place.name).toBe(0);
    }, returnedMs);
    for (const place of places) await expectAllUsable(admin, place);
    await kill();
    console.log(`killed ${kills} times: ${JSON.stringify({ ...clients.answers, unboundMost })}`);
    const { admitted, refused } = clients.answers;
    expect(admitted, "objects that were admitted").toBeGreaterThan(kills);
    expect(refused, "objects that were refused").toBeGreaterThan(kills);
  }, 300_000);
});
