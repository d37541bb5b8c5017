import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import { pause } from "@milo-quota/kubernetes/client/pause.ts";
import { sharedAbort } from "@milo-quota/kubernetes/client/shared-abort.ts";
import { ConnectionFailed } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildServer, type ServerProgram } from "../apiserver/killable-server.ts";
import type { Body } from "../apiserver/test-server.ts";
import { eventually, FrontDoor } from "./front-door.ts";
import { accountOfPlace, accountsOf, isGranted, quotaResources } from "./recorded-data/bucket-accounts.ts";
import { expectExceeded, RecordedClients, sizeOf } from "./recorded-data/recorded-clients.ts";
import {
  busy,
  idle,
  nearlyFull,
  type Place,
  places,
  prefixes,
  quota,
  sized,
  web,
} from "./recorded-data/recorded-places.ts";
import { type PlaneObject, recordings, storedObjects, unpack } from "./recorded-data/recording.ts";
import { RunningProgram } from "./running-program.ts";

/** Where objects are created and deleted. */
const loaded = places.filter((place) => place !== idle);
const clientsInPlace = 6;
/** How many recorded objects are deleted before the kill, so that there is room for new ones. */
const freed = new Map<Place, number>([
  [busy, 60],
  [nearlyFull, 8],
  [web, 6],
]);
const answersBeforeKill = 900;
const listensMs = 30_000;

const nameOf = ({ metadata }: Body): string => metadata.name;

/** The governed objects of a place, by their path. */
function objectsIn(place: Place, objects: readonly PlaneObject[]): ReadonlyMap<string, Body> {
  const isOwn = ({ plane, resource, object }: PlaneObject): boolean =>
    plane === place.plane &&
    resource === place.resource &&
    sizeOf(object) > 0 &&
    place.objects.endsWith(`/namespaces/${object.metadata.namespace}/${place.resource}`);
  const own = objects.filter(isOwn).map(({ object }) => object);
  return new Map(own.map((object) => [`${place.objects}/${nameOf(object)}`, object]));
}

const claimsIn = (objects: readonly PlaneObject[]): readonly Body[] =>
  objects.filter(({ resource }) => resource === quotaResources.claims).map(({ object }) => object);

/** The UID of the object that a claim is for; undefined for manual claims. */
function objectUidOf({ metadata: { annotations, ownerReferences = [] } }: Body): string | undefined {
  return annotations?.["quota.miloapis.com/bound"] ?? ownerReferences[0]?.uid;
}

const sumOf = (objects: Iterable<Body>): number => [...objects].reduce((sum, object) => sum + sizeOf(object), 0);

/** The figures of buckets with dimensions, by their names. */
function figuresByDimension(objects: readonly PlaneObject[]): Readonly<Record<string, object>> {
  const buckets = objects.filter(({ resource }) => resource === quotaResources.buckets).map(({ object }) => object);
  const dimensional = buckets.filter(({ spec }) => Object.keys(spec.dimensions ?? {}).length > 0);
  return Object.fromEntries(
    dimensional.map((bucket) => {
      const { limit, allocated, available, ahead = 0 } = bucket.status;
      return [nameOf(bucket), { limit, allocated, available, ahead }];
    }),
  );
}

describe("the recording 0.1.0-ahead", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "milo-quota-recorded-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("has granted claims in every place that their bucket does not count, and one whose object is gone", () => {
    unpack("0.1.0-ahead", folder);
    const objects = storedObjects(folder);
    for (const place of places) {
      const { ahead, held, allocated } = accountOfPlace(accountsOf(objects), place);
      expect(ahead).toBeGreaterThan(0);
      expect(held).toBeGreaterThan(allocated);
    }
    const uids = new Set(objects.map(({ object }) => object.metadata.uid));
    const owners = claimsIn(objects).flatMap((claim) => objectUidOf(claim) ?? []);
    expect(owners.filter((uid) => !uids.has(uid))).not.toEqual([]);
  });
});

describe.each(recordings())("everything in one process, on the recorded data %s", (recording) => {
  const clients = new RecordedClients();
  /** Paths of recorded objects that were deleted here. */
  const deleted = new Set<string>();
  const doors: FrontDoor[] = [];
  let directory: string;
  let kubeconfig: string;
  let program: ServerProgram;
  let recorded: readonly PlaneObject[];
  let running: RunningProgram | undefined;
  let admin: FrontDoor;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "milo-quota-recorded-"));
    kubeconfig = join(directory, "kubeconfig");
    program = await buildServer("packages/quota/src/main.ts");
    unpack(recording, directory);
    recorded = storedObjects(directory);
  }, 60_000);

  afterAll(async () => {
    await running?.end("SIGKILL");
    await Promise.all(doors.map((door) => door.close()));
    rmSync(directory, { recursive: true, force: true });
    program.remove();
  });

  const open = (): FrontDoor => {
    const door = FrontDoor.byKubeconfig(kubeconfig);
    doors.push(door);
    return door;
  };

  /** The kubeconfig is written at the moment the server listens. */
  const untilListening = async (): Promise<void> => {
    for (const endMs = systemClock.now() + listensMs; !existsSync(kubeconfig); ) {
      if (systemClock.now() > endMs) throw new Error(`no server after ${listensMs} ms`);
      await pause(systemClock, 1, sharedAbort().signal);
    }
  };

  /** Starts the program with clients that create objects in all places, from the moment it listens, until quota is exceeded. */
  const startUnderLoad = async (): Promise<void> => {
    rmSync(kubeconfig, { force: true });
    running = RunningProgram.ofBundle(program, ["up", "--port", "0", "--data-dir", directory]);
    const listening = untilListening();
    const load = loaded.flatMap((place) =>
      Array.from({ length: clientsInPlace }, () => listening.then(() => clients.fill(open(), place))),
    );
    await Promise.all([running.welcome(), ...load]);
    admin = open();
  };

  const kill = async (): Promise<void> => {
    const { stderr } = (await running?.end("SIGKILL")) ?? { stderr: "" };
    expect(stderr).toBe("");
    await Promise.all(doors.splice(0).map((door) => door.close()));
  };

  /** All that the assertions are about, in all planes. */
  const see = async (): Promise<readonly PlaneObject[]> => {
    const lists = Object.entries(prefixes).flatMap(([plane, prefix]) =>
      Object.entries({
        [quotaResources.claims]: `${prefix}${quota}/resourceclaims`,
        [quotaResources.buckets]: `${prefix}${quota}/allowancebuckets`,
        configmaps: `${prefix}/api/v1/configmaps`,
        secrets: `${prefix}/api/v1/secrets`,
      }).map(async ([resource, path]) => {
        const { items } = (await admin.get(path)).body as { readonly items: readonly Body[] };
        return items.map((object) => ({ plane, resource, object }));
      }),
    );
    return (await Promise.all(lists)).flat();
  };

  const limitOf = (place: Place): number => accountOfPlace(accountsOf(recorded), place).limit;

  /** How much objects may take: all that manual claims leave. */
  const roomIn = (place: Place): number => {
    const manual = accountOfPlace(accountsOf(recorded), place).claims.filter(
      (claim) => objectUidOf(claim) === undefined,
    );
    return limitOf(place) - manual.reduce((sum, { status }) => sum + status.allocations[0].allocatedAmount, 0);
  };

  const expectWithinLimits = async (door: FrontDoor): Promise<void> => {
    for (const place of places) {
      const { items } = (await door.get(place.objects)).body;
      expect(sumOf(items), `objects of ${place.consumer.name}`).toBeLessThanOrEqual(roomIn(place));
    }
  };

  /** Every bucket equals a recount of the granted claims that exist, and keeps nothing beside it. */
  const expectRecounted = (objects: readonly PlaneObject[]): void => {
    const accounts = accountsOf(objects);
    const shown = accounts.map(({ claims: _, held: __, ...figures }) => figures);
    expect(shown).toEqual(
      accountsOf(recorded).map(({ plane, consumer, resourceType, limit }, at) => {
        const { held, claims } = accounts[at] ?? { held: 0, claims: [] };
        const counted = { allocated: held, claimCount: claims.length, reserved: 0, ahead: 0 };
        return { plane, consumer, resourceType, limit, ...counted };
      }),
    );
    for (const { consumer, held, limit } of accounts) expect(held, consumer).toBeLessThanOrEqual(limit);
    expect(figuresByDimension(objects)).toEqual(figuresByDimension(recorded));
  };

  /**
   * Every governed object has one granted claim, and every claim but the manual ones has its object. Denied claims of
   * requests that ended with the process can be looked at for a minute; they hold nothing.
   */
  const expectClaimed = (objects: readonly PlaneObject[]): void => {
    const claims = claimsIn(objects).filter(({ status }) => status.conditions?.[0]?.reason !== "QuotaExceeded");
    expect(claims.filter((claim) => !isGranted(claim)).map(nameOf)).toEqual([]);
    const governed = places.flatMap((place) => [...objectsIn(place, objects).values()]);
    const uids = claims.map(objectUidOf).filter((uid) => uid !== undefined);
    expect(uids.sort()).toEqual(governed.map(({ metadata }) => metadata.uid).sort());
    const manual = (of: readonly Body[]) => of.filter((claim) => objectUidOf(claim) === undefined).map(nameOf);
    expect(manual(claims).sort()).toEqual(manual(claimsIn(recorded)).sort());
  };

  /** Recorded objects are the same, and so are their claims. */
  const expectRecordedKept = (objects: readonly PlaneObject[]): void => {
    const pairsIn = (some: readonly PlaneObject[]): ReadonlyMap<string, string> => {
      const claimOf = new Map(claimsIn(some).map((claim) => [objectUidOf(claim), claim.metadata.uid]));
      const paths = places.flatMap((place) => [...objectsIn(place, some)]);
      return new Map(paths.map(([path, { metadata }]) => [path, `${metadata.uid} has ${claimOf.get(metadata.uid)}`]));
    };
    const now = pairsIn(objects);
    for (const [path, pair] of pairsIn(recorded)) {
      expect(now.get(path), path).toBe(deleted.has(path) ? undefined : pair);
    }
  };

  const expectAtRest = (): Promise<void> =>
    eventually(async () => {
      const objects = await see();
      expectRecounted(objects);
      expectClaimed(objects);
      expectRecordedKept(objects);
      for (const place of places) clients.compare(place, new Set(objectsIn(place, objects).keys()));
    });

  /** Objects and manual claims take the whole limit, to the last unit. */
  const expectAllUsed = async (place: Place): Promise<void> => {
    const objects = await see();
    expect(sumOf(objectsIn(place, objects).values())).toBe(roomIn(place));
    expect(accountOfPlace(accountsOf(objects), place).held).toBe(limitOf(place));
    expectExceeded(await admin.create(place.objects, sized("one-more", 1)));
  };

  /** What claims without objects held during the start is free now, and nothing else. */
  const useTheRest = async (place: Place): Promise<void> => {
    const free = limitOf(place) - accountOfPlace(accountsOf(await see()), place).held;
    expectExceeded(await admin.create(place.objects, sized("too-large", free + 1)));
    await clients.fill(admin, place);
  };

  const isRecordedLeft = ([path]: readonly [string, Body]): boolean => !deleted.has(path);
  const recordedLeft = (place: Place) => [...objectsIn(place, recorded)].filter(isRecordedLeft);

  const deleteRecorded = async (path: string): Promise<void> => {
    deleted.add(path);
    await clients.delete(admin, path);
  };

  const allocatedIs = (place: Place, wanted: number): Promise<void> =>
    eventually(async () => expect(accountOfPlace(accountsOf(await see()), place).allocated).toBe(wanted));

  /** The quota of a recorded object that is deleted can be used again, by one new object of its size. */
  const expectReusable = async (place: Place): Promise<void> => {
    const [[path, object]] = recordedLeft(place) as [[string, Body]];
    await deleteRecorded(path);
    await allocatedIs(place, limitOf(place) - sizeOf(object));
    const instead = await admin.create(place.objects, sized(`instead-of-${nameOf(object)}`, sizeOf(object)));
    expect(instead.code, instead.text).toBe(201);
    await allocatedIs(place, limitOf(place));
    expectExceeded(await admin.create(place.objects, sized("one-more", 1)));
  };

  /** At no moment is there more than the limit allows. */
  const look = async (door: FrontDoor): Promise<void> => {
    try {
      for (;;) await expectWithinLimits(door);
    } catch (error) {
      if (!(error instanceof ConnectionFailed)) throw error;
    }
  };

  const killUnderLoad = async (): Promise<void> => {
    for (const place of loaded) {
      const paths = recordedLeft(place).map(([path]) => path);
      await Promise.all(paths.slice(0, freed.get(place)).map(deleteRecorded));
    }
    const load = loaded.flatMap((place) => Array.from({ length: clientsInPlace }, () => clients.churn(open(), place)));
    load.push(look(open()));
    await Promise.race([clients.nextAnswers(answersBeforeKill), Promise.all(load)]);
    await kill();
    await Promise.all(load);
  };

  describe.each(["first", "second"])("started for the %s time", (time) => {
    it("admits exactly what recorded claims leave of each limit, from the first moment", async () => {
      if (time === "second") await killUnderLoad();
      await startUnderLoad();
      await expectWithinLimits(admin);
      await expectAtRest();
      for (const place of loaded) await useTheRest(place);
      await expectAtRest();
      for (const place of loaded) await expectAllUsed(place);
    });

    it("frees the quota of recorded objects that are deleted", async () => {
      await Promise.all(loaded.map(expectReusable));
      await expectAtRest();
    });
  });

  it("labels and re-applies recorded claims, whose requests were stored with a key", async () => {
    const stored = new Map(claimsIn(recorded).map((claim) => [claim.metadata.uid, claim]));
    const claims = claimsIn(await see()).filter(({ metadata, spec }) => {
      expect(spec.requests[0].dimensionKey).toBeUndefined();
      return stored.get(metadata.uid)?.spec.requests[0].dimensionKey !== undefined;
    });
    const { apiVersion, kind, metadata, spec } = claims.find((claim) => claim.metadata.namespace === "busy") as Body;
    const path = `${quota}/namespaces/${metadata.namespace}/resourceclaims/${metadata.name}`;
    const labelled = await admin.merge(path, { metadata: { labels: { seen: "yes" } } });
    expect([labelled.code, labelled.body.spec]).toEqual([200, spec]);
    const applied = await admin.apply(path, { apiVersion, kind, metadata: { name: metadata.name }, spec });
    expect([applied.code, applied.body.spec], applied.text).toEqual([200, spec]);
  });

  it("writes no error into its log", async () => {
    await kill();
    console.log(`on the recorded data ${recording}: ${JSON.stringify(clients.answers)}`);
  });
});
