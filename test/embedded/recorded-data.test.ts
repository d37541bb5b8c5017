import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import { lightAbortController } from "@milo-quota/kubernetes/client/light-abort-controller.ts";
import { sleep } from "@milo-quota/kubernetes/client/sleep.ts";
import { ConnectionFailed } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildServer, type ServerProgram } from "../apiserver/killable-server.ts";
import type { Body } from "../apiserver/test-server.ts";
import { ApiClient, eventually } from "./api-client.ts";
import { accountOfScope, accountsOf, isGranted, quotaResources } from "./recorded-data/bucket-accounts.ts";
import { expectExceeded, RecordedClients, sizeOf } from "./recorded-data/recorded-clients.ts";
import {
  busy,
  idle,
  nearlyFull,
  prefixes,
  type QuotaScope,
  quota,
  scopes,
  sized,
  web,
} from "./recorded-data/recorded-scopes.ts";
import { type PlaneObject, recordings, storedObjects, unpack } from "./recorded-data/recording.ts";
import { RunningProgram } from "./running-program.ts";

/** Scopes under load. */
const loaded = scopes.filter((scope) => scope !== idle);
const clientsPerScope = 6;
/** Number of recorded objects that are deleted before the kill, to free quota for new ones. */
const freed = new Map<QuotaScope, number>([
  [busy, 60],
  [nearlyFull, 8],
  [web, 6],
]);
const answersBeforeKill = 900;
const listensMs = 30_000;

const nameOf = ({ metadata }: Body): string => metadata.name;

/** Governed objects of a scope by path. */
function objectsIn(scope: QuotaScope, objects: readonly PlaneObject[]): ReadonlyMap<string, Body> {
  const isOwn = ({ plane, resource, object }: PlaneObject): boolean =>
    plane === scope.plane &&
    resource === scope.resource &&
    sizeOf(object) > 0 &&
    scope.objects.endsWith(`/namespaces/${object.metadata.namespace}/${scope.resource}`);
  const own = objects.filter(isOwn).map(({ object }) => object);
  return new Map(own.map((object) => [`${scope.objects}/${nameOf(object)}`, object]));
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

  it("has uncounted granted claims in every scope, and a claim whose object is deleted", () => {
    unpack("0.1.0-ahead", folder);
    const objects = storedObjects(folder);
    for (const scope of scopes) {
      const { ahead, held, allocated } = accountOfScope(accountsOf(objects), scope);
      expect(ahead).toBeGreaterThan(0);
      expect(held).toBeGreaterThan(allocated);
    }
    const uids = new Set(objects.map(({ object }) => object.metadata.uid));
    const owners = claimsIn(objects).flatMap((claim) => objectUidOf(claim) ?? []);
    expect(owners.filter((uid) => !uids.has(uid))).not.toEqual([]);
  });
});

describe.each(recordings())("the program on the recorded data %s", (recording) => {
  const clients = new RecordedClients();
  /** Paths of recorded objects that the test deleted. */
  const deleted = new Set<string>();
  const connections: ApiClient[] = [];
  let directory: string;
  let kubeconfig: string;
  let program: ServerProgram;
  let recorded: readonly PlaneObject[];
  let running: RunningProgram | undefined;
  let admin: ApiClient;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "milo-quota-recorded-"));
    kubeconfig = join(directory, "kubeconfig");
    program = await buildServer("packages/quota/src/main.ts");
    unpack(recording, directory);
    recorded = storedObjects(directory);
  }, 60_000);

  afterAll(async () => {
    await running?.end("SIGKILL");
    await Promise.all(connections.map((connection) => connection.close()));
    rmSync(directory, { recursive: true, force: true });
    program.remove();
  });

  const open = (): ApiClient => {
    const client = ApiClient.byKubeconfig(kubeconfig);
    connections.push(client);
    return client;
  };

  /** The program writes the kubeconfig when it listens. */
  const untilListening = async (): Promise<void> => {
    for (const endMs = systemClock.now() + listensMs; !existsSync(kubeconfig); ) {
      if (systemClock.now() > endMs) throw new Error(`no server after ${listensMs} ms`);
      await sleep(systemClock, 1, lightAbortController().signal);
    }
  };

  /** Starts the program with clients that create objects in all scopes from the moment it listens until quota is exceeded. */
  const startUnderLoad = async (): Promise<void> => {
    rmSync(kubeconfig, { force: true });
    running = RunningProgram.ofBundle(program, ["up", "--port", "0", "--data-dir", directory]);
    const listening = untilListening();
    const load = loaded.flatMap((scope) =>
      Array.from({ length: clientsPerScope }, () => listening.then(() => clients.fill(open(), scope))),
    );
    await Promise.all([running.welcome(), ...load]);
    admin = open();
  };

  const kill = async (): Promise<void> => {
    const { stderr } = (await running?.end("SIGKILL")) ?? { stderr: "" };
    expect(stderr).toBe("");
    await Promise.all(connections.splice(0).map((connection) => connection.close()));
  };

  /** Objects of all planes. */
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

  const limitOf = (scope: QuotaScope): number => accountOfScope(accountsOf(recorded), scope).limit;

  /** Limit less manual claims. */
  const roomIn = (scope: QuotaScope): number => {
    const manual = accountOfScope(accountsOf(recorded), scope).claims.filter(
      (claim) => objectUidOf(claim) === undefined,
    );
    return limitOf(scope) - manual.reduce((sum, { status }) => sum + status.allocations[0].allocatedAmount, 0);
  };

  const expectWithinLimits = async (client: ApiClient): Promise<void> => {
    for (const scope of scopes) {
      const { items } = (await client.get(scope.objects)).body;
      expect(sumOf(items), `objects of ${scope.consumer.name}`).toBeLessThanOrEqual(roomIn(scope));
    }
  };

  /** Every bucket equals a recount of its granted claims. */
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
   * Every governed object has one granted claim, and every automatic claim has its object. Denied claims of requests that
   * ended with the process may exist for a minute; they hold nothing.
   */
  const expectClaimed = (objects: readonly PlaneObject[]): void => {
    const claims = claimsIn(objects).filter(({ status }) => status.conditions?.[0]?.reason !== "QuotaExceeded");
    expect(claims.filter((claim) => !isGranted(claim)).map(nameOf)).toEqual([]);
    const governed = scopes.flatMap((scope) => [...objectsIn(scope, objects).values()]);
    const uids = claims.map(objectUidOf).filter((uid) => uid !== undefined);
    expect(uids.sort()).toEqual(governed.map(({ metadata }) => metadata.uid).sort());
    const manual = (of: readonly Body[]) => of.filter((claim) => objectUidOf(claim) === undefined).map(nameOf);
    expect(manual(claims).sort()).toEqual(manual(claimsIn(recorded)).sort());
  };

  /** Recorded objects and their claims are unchanged. */
  const expectRecordedKept = (objects: readonly PlaneObject[]): void => {
    const pairsIn = (some: readonly PlaneObject[]): ReadonlyMap<string, string> => {
      const claimOf = new Map(claimsIn(some).map((claim) => [objectUidOf(claim), claim.metadata.uid]));
      const paths = scopes.flatMap((scope) => [...objectsIn(scope, some)]);
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
      for (const scope of scopes) clients.compare(scope, new Set(objectsIn(scope, objects).keys()));
    });

  /** Objects and manual claims take exactly the limit. */
  const expectAllUsed = async (scope: QuotaScope): Promise<void> => {
    const objects = await see();
    expect(sumOf(objectsIn(scope, objects).values())).toBe(roomIn(scope));
    expect(accountOfScope(accountsOf(objects), scope).held).toBe(limitOf(scope));
    expectExceeded(await admin.create(scope.objects, sized("one-more", 1)));
  };

  /** Exactly the quota of claims without objects has become free since the start. */
  const useTheRest = async (scope: QuotaScope): Promise<void> => {
    const free = limitOf(scope) - accountOfScope(accountsOf(await see()), scope).held;
    expectExceeded(await admin.create(scope.objects, sized("too-large", free + 1)));
    await clients.fill(admin, scope);
  };

  const isRecordedLeft = ([path]: readonly [string, Body]): boolean => !deleted.has(path);
  const recordedLeft = (scope: QuotaScope) => [...objectsIn(scope, recorded)].filter(isRecordedLeft);

  const deleteRecorded = async (path: string): Promise<void> => {
    deleted.add(path);
    await clients.delete(admin, path);
  };

  const allocatedIs = (scope: QuotaScope, wanted: number): Promise<void> =>
    eventually(async () => expect(accountOfScope(accountsOf(await see()), scope).allocated).toBe(wanted));

  /** A new object can use the quota of a deleted recorded object. */
  const expectReusable = async (scope: QuotaScope): Promise<void> => {
    const [[path, object]] = recordedLeft(scope) as [[string, Body]];
    await deleteRecorded(path);
    await allocatedIs(scope, limitOf(scope) - sizeOf(object));
    const instead = await admin.create(scope.objects, sized(`instead-of-${nameOf(object)}`, sizeOf(object)));
    expect(instead.code, instead.text).toBe(201);
    await allocatedIs(scope, limitOf(scope));
    expectExceeded(await admin.create(scope.objects, sized("one-more", 1)));
  };

  /** Checks repeatedly that the limit holds. */
  const look = async (client: ApiClient): Promise<void> => {
    try {
      for (;;) await expectWithinLimits(client);
    } catch (error) {
      if (!(error instanceof ConnectionFailed)) throw error;
    }
  };

  const killUnderLoad = async (): Promise<void> => {
    for (const scope of loaded) {
      const paths = recordedLeft(scope).map(([path]) => path);
      await Promise.all(paths.slice(0, freed.get(scope)).map(deleteRecorded));
    }
    const load = loaded.flatMap((scope) => Array.from({ length: clientsPerScope }, () => clients.churn(open(), scope)));
    load.push(look(open()));
    await Promise.race([clients.nextAnswers(answersBeforeKill), Promise.all(load)]);
    await kill();
    await Promise.all(load);
  };

  describe.each(["first", "second"])("started for the %s time", (time) => {
    it("admits exactly the rest of each limit from the first moment", async () => {
      if (time === "second") await killUnderLoad();
      await startUnderLoad();
      await expectWithinLimits(admin);
      await expectAtRest();
      for (const scope of loaded) await useTheRest(scope);
      await expectAtRest();
      for (const scope of loaded) await expectAllUsed(scope);
    });

    it("frees the quota of deleted recorded objects", async () => {
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

  it("logs no errors", async () => {
    await kill();
    console.log(`on the recorded data ${recording}: ${JSON.stringify(clients.answers)}`);
  });
});
