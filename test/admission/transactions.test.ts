import type {
  AdmissionPlugin,
  AdmissionRequest,
  Verdict,
} from "@milo-quota/apiserver/registry/admission/admission-plugin.ts";
import { MemoryLog } from "@milo-quota/apiserver/storage/log/memory-log.ts";
import { LogFull, type LogRecord } from "@milo-quota/apiserver/storage/log/record-log.ts";
import { failure } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { bucketsType, claimsType, grantsType, registrationsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AdmissionWorld } from "./admission-world.ts";
import { configMapsType, definitionsType, namespacesType, shipsDefinition, shipsType } from "./object-types.ts";
import {
  bucketOf,
  claimsIn,
  configMap,
  configMapKind,
  createPolicy,
  expectUsage,
  grant,
  type PolicyParts,
  policy,
  registerAndGrant,
  registration,
  ship,
  shipKind,
  waitForPolicy,
} from "./quota-objects.ts";
import { eventually, type Json, signal } from "./test-world.ts";

const [maps, bytes, tons] = ["core/configmaps", "core/bytes", "fleet.example/tons"];
const limit = 3;
const finalizer = "quota.miloapis.com/resource-claim-cleanup";
const created = { code: 201, message: "" };
const quota = "/apis/quota.miloapis.com/v1alpha1/namespaces/default";
const claimHead = { apiVersion: "quota.miloapis.com/v1alpha1", kind: "ResourceClaim" };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Claim {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly deletionTimestamp?: string;
    readonly annotations: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly { readonly uid: string }[];
  };
  readonly spec: Json;
  readonly status?: { readonly conditions?: readonly Json[] };
}

/** A log that records its appends and can be slow or full. */
class ControlledLog extends MemoryLog {
  readonly appends: (readonly string[])[] = [];
  turns = 0;
  isFull: (resources: readonly string[]) => boolean = () => false;

  override async append(records: readonly LogRecord[]): Promise<void> {
    const resources = records.map(({ key }) => key.resource.replace(/\..*/, ""));
    for (let turns = this.turns; turns > 0; turns -= 1) await turn();
    if (this.isFull(resources)) throw new LogFull("no space left");
    this.appends.push(resources);
    await super.append(records);
  }
}

interface Row {
  readonly what: string;
  readonly revision: number;
}

let world: AdmissionWorld;
let log: ControlledLog;
/** All writes since the last `forget`, without EffectiveResourceGrants, which are written once a second. */
let rows: Row[];
/** Verdict of a plug-in that runs after quota, for creates and updates of other kinds. */
let laterPlugin: (request: AdmissionRequest) => Promise<Verdict>;
/** Status writes of the bucket writer wait for this. */
let answers: Promise<void>;
const allowed: Verdict = { allowed: true };
const rejected: Verdict = { allowed: false, status: failure("Forbidden", "not on a Monday") };

const late: AdmissionPlugin = {
  name: "late",
  validate: async (request) => {
    if (request.kind.kind === "ResourceClaim" && request.subresource === "status") await answers;
    const isTheirs = request.operation === "DELETE" || request.kind.group === "quota.miloapis.com";
    return isTheirs ? allowed : laterPlugin(request);
  },
};

async function start(parts: PolicyParts = {}, planes: readonly string[] = []): Promise<void> {
  log = new ControlledLog("turn");
  rows = [];
  laterPlugin = async () => allowed;
  answers = Promise.resolve();
  world = await AdmissionWorld.start({ log, plugins: [late], planes });
  world.server.registry.store.watchAll(({ type, stored: { key, revision } }) => {
    const resource = key.resource.replace(/\..*/, "");
    if (!["effectiveresourcegrants", "events"].includes(resource)) rows.push({ what: `${type} ${resource}`, revision });
  });
  await registerAndGrant(world, maps, configMapKind, limit);
  await createPolicy(world, policy("maps", configMapKind, maps, parts));
  forget();
}

beforeEach(() => start());

afterEach(async () => {
  await world.stop();
  expect(world.unexpectedReports).toEqual([]);
});

function forget(): void {
  rows.length = 0;
  log.appends.length = 0;
}

const post = (name: string) => world.tryCreate(configMapsType, configMap(name));
const pathOf = (name: string, namespace = "default") => `/api/v1/namespaces/${namespace}/configmaps/${name}`;
const remove = async (path: string, body?: Json) => (await world.request({ method: "DELETE", path, body })).code;
const merge = (path: string, body: Json) =>
  world.request({ method: "PATCH", path, type: "application/merge-patch+json", body });
const claims = async () => (await claimsIn(world)) as unknown as readonly Claim[];
const allocated = async (type = maps): Promise<unknown> => (await bucketOf(world, type))?.status["allocated"];
const writes = (): readonly string[] => rows.map(({ what }) => what);

async function uidOf(path: string): Promise<string> {
  const { body } = await world.request({ method: "GET", path });
  return (body["metadata"] as Claim["metadata"]).uid;
}

/** Expects these writes to be consecutive. */
function expectConsecutive(...expected: readonly string[]): void {
  const at = rows.findIndex(({ what }) => what === expected[0]);
  const found = rows.slice(at, at + expected.length);
  expect([at >= 0, found.map(({ what }) => what)]).toEqual([true, expected]);
  const first = found[0]?.revision ?? 0;
  expect(found.map(({ revision }) => revision)).toEqual(found.map((_, index) => first + index));
}

/** Creates an object and waits until the controllers have observed it and its claims. */
async function make(name: string, more: Json = {}, metadata: Json = {}): Promise<string> {
  expect(await world.tryCreate(configMapsType, configMap(name, more, metadata))).toEqual(created);
  const namespace = (metadata["namespace"] as string | undefined) ?? "default";
  const uid = await uidOf(pathOf(name, namespace));
  await eventsDelivered();
  forget();
  return uid;
}

/** Changes the claims that the policy renders. */
async function change({ requests = [{ resourceType: maps, amount: 1 }], metadata, consumer }: Changed): Promise<void> {
  const consumerRef = { kind: "Namespace", name: consumer ?? "{{ trigger.metadata.namespace }}" };
  const template = { ...(metadata === undefined ? {} : { metadata }), spec: { consumerRef, requests } };
  const path = "/apis/quota.miloapis.com/v1alpha1/claimcreationpolicies/maps";
  expect((await merge(path, { spec: { target: { resourceClaimTemplate: template } } })).code).toBe(200);
  await waitForPolicy(world, "maps");
  await eventsDelivered();
  forget();
}

interface Changed extends Pick<PolicyParts, "requests" | "metadata"> {
  /** The consumer namespace, if it is not that of the object. */
  readonly consumer?: string;
}

/** In-process watches deliver all events within a few turns. */
async function eventsDelivered(): Promise<void> {
  for (let turns = 0; turns < 20; turns += 1) await turn();
}

describe("a create within quota", () => {
  it("writes exactly its bucket, its claim and its object, in this order", async () => {
    expect(await post("a")).toEqual(created);
    expect(log.appends).toEqual([["allowancebuckets", "resourceclaims", "configmaps"]]);
    expectConsecutive("modified allowancebuckets", "added resourceclaims", "added configmaps");
    expect(await allocated()).toBe(1);
    await eventsDelivered();
    expect(rows).toHaveLength(3);
  });

  it("has a claim whose first version is granted, bound, owned and has its finalizer", async () => {
    expect(await post("a")).toEqual(created);
    const uid = await uidOf(pathOf("a"));
    const added = rows.find(({ what }) => what === "added resourceclaims");
    const [claim] = await claims();
    expect(claim).toMatchObject({
      metadata: {
        resourceVersion: `${added?.revision}`,
        generation: 1,
        annotations: { "quota.miloapis.com/candidates": uid, "quota.miloapis.com/bound": uid },
        finalizers: [finalizer],
        ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "a", uid }],
      },
      status: {
        observedGeneration: 1,
        conditions: [{ type: "Granted", status: "True", reason: "QuotaAvailable" }],
        allocations: [{ resourceType: maps, status: "Granted", allocatedAmount: 1 }],
      },
    });
    await eventsDelivered();
    expect((await claims())[0]?.metadata.resourceVersion).toBe(`${added?.revision}`);
  });

  it("has the same claim as one that is created first and then granted by the bucket writer", async () => {
    await make("a");
    const [inTransaction] = await claims();
    const { metadata, spec } = inTransaction as Claim;
    const { uid: _uid, resourceVersion: _version, ...others } = metadata;
    const { creationTimestamp: _created, managedFields: _managed, generation: _generation, ...given } = others as Json;
    await world.create(claimsType, { ...claimHead, metadata: { ...given, name: "ordinary" }, spec });
    const granted = await eventually(async () => {
      const found = (await claims()).find(({ metadata: { name } }) => name === "ordinary");
      expect(found?.status?.conditions?.[0]).toMatchObject({ type: "Granted", status: "True" });
      return found;
    });
    const compared = (claim: Claim | undefined) => {
      const timeless = JSON.stringify(claim, (key, value) =>
        /^(time|.*Time|.*Timestamp)$/.test(key) ? "then" : value,
      );
      const { metadata: all, ...rest } = JSON.parse(timeless) as { metadata: Json };
      // The managed fields of a status that starts with the schema default differ slightly.
      const managers = (all["managedFields"] as Json[]).map(({ manager, operation, subresource }) => [
        manager,
        operation,
        subresource,
      ]);
      return { ...rest, metadata: { ...all, name: "", uid: "", resourceVersion: "", managedFields: managers } };
    };
    expect(compared(inTransaction)).toEqual(compared(granted));
  });

  it("works with a generated name", async () => {
    const createdObject = await world.create(configMapsType, {
      ...configMapKind,
      metadata: { generateName: "a-", namespace: "default" },
    });
    const { uid } = createdObject["metadata"] as unknown as Claim["metadata"];
    expectConsecutive("modified allowancebuckets", "added resourceclaims", "added configmaps");
    expect((await claims())[0]?.metadata.annotations["quota.miloapis.com/bound"]).toBe(uid);
  });

  it("writes nothing in a dry run and gets the same answer", async () => {
    const { revision } = world.server.registry.store;
    const dryRun = (name: string) =>
      world.request({ method: "POST", path: pathOf("").slice(0, -1), query: { dryRun: "All" }, body: configMap(name) });
    expect((await dryRun("a")).code).toBe(201);
    expect(world.server.registry.store.revision).toBe(revision);
    for (const name of ["a", "b", "c"]) await make(name);
    expect((await dryRun("d")).code).toBe(403);
    await eventsDelivered();
    expect([writes(), await allocated()]).toEqual([[], limit]);
  });
});

describe("a create over quota", () => {
  it("is rejected without an object; its claim is stored as pending and then denied", async () => {
    for (const name of ["a", "b", "c"]) await make(name);
    expect((await post("d")).code).toBe(403);
    expect((await world.request({ method: "GET", path: pathOf("d") })).code).toBe(404);
    expect(writes()).toEqual(["added resourceclaims", "modified resourceclaims"]);
    const denied = (await claims()).find(({ status }) => status?.conditions?.[0]?.["reason"] === "QuotaExceeded");
    expect(denied?.metadata.annotations["quota.miloapis.com/bound"]).toBeUndefined();
    expect(denied?.metadata.finalizers).toBeUndefined();
    await expectUsage(world, maps, limit);
  });

  it("succeeds immediately after another object is deleted", async () => {
    for (const name of ["a", "b", "c"]) await make(name);
    expect((await post("d")).code).toBe(403);
    expect(await remove(pathOf("b"))).toBe(200);
    expect(await post("e")).toEqual(created);
    await expectUsage(world, maps, limit);
  });
});

describe("concurrent creates", () => {
  const names = Array.from({ length: 30 }, (_, at) => `map-${at}`);

  it("share one bucket write in every append", async () => {
    await world.create(grantsType, grant("more", maps, 100));
    await eventually(async () => expect((await bucketOf(world, maps))?.status["limit"]).toBe(limit + 100));
    await eventsDelivered();
    forget();
    log.turns = 3;
    expect(new Set((await Promise.all(names.map(post))).map(({ code }) => code))).toEqual(new Set([201]));
    const written = log.appends.filter((resources) => resources.includes("configmaps"));
    expect(written.length).toBeLessThan(names.length / 2);
    for (const resources of written) {
      const count = (resource: string) => resources.filter((each) => each === resource).length;
      expect([count("allowancebuckets"), count("resourceclaims")]).toEqual([1, count("configmaps")]);
      expect(resources[0]).toBe("allowancebuckets");
    }
    expect(await allocated()).toBe(names.length);
  });

  it("get exactly the limit", async () => {
    const codes = (await Promise.all(names.map(post))).map(({ code }) => code);
    expect(codes.filter((code) => code === 201)).toHaveLength(limit);
    expect(new Set(codes)).toEqual(new Set([201, 403]));
    await expectUsage(world, maps, limit);
  });

  it("wait for a batch of the bucket writer that is in flight", async () => {
    let release = (): void => undefined;
    answers = new Promise((resolve) => {
      release = resolve;
    });
    const { name } = configMap("of-another")["metadata"] as { name: string };
    const requests = [{ resourceType: maps, amount: limit + 1 }];
    const spec = { consumerRef: { kind: "Namespace", name: "default" }, requests };
    await world.create(claimsType, { ...claimHead, metadata: { name, namespace: "default" }, spec });
    await eventsDelivered();
    const created = ["a", "b", "c", "d"].map(post);
    await eventsDelivered();
    expect(writes()).not.toContain("added configmaps");
    release();
    expect((await Promise.all(created)).map(({ code }) => code).sort()).toEqual([201, 201, 201, 403]);
    await expectUsage(world, maps, limit);
  });

  it("succeed while other clients annotate their bucket", async () => {
    const { metadata } = (await bucketOf(world, maps)) as unknown as { metadata: { name: string } };
    for (const [at, name] of ["a", "b", "c"].entries()) {
      const body = { metadata: { annotations: { note: `${at}` } } };
      const ref = { namespace: "default", name: metadata.name };
      const noted = world.resource(bucketsType).patch(ref, { type: "merge", body }, {}, signal);
      expect(await post(name)).toEqual(created);
      await noted;
    }
    await expectUsage(world, maps, limit);
  });
});

describe("a create with claims in several buckets", () => {
  it("writes all buckets, or is rejected by any", async () => {
    await registerAndGrant(world, bytes, configMapKind, 20);
    await change({
      requests: [
        { resourceType: maps, amount: 1 },
        { resourceType: bytes, amount: 10 },
      ],
    });
    expect(await post("a")).toEqual(created);
    expectConsecutive(
      "modified allowancebuckets",
      "modified allowancebuckets",
      "added resourceclaims",
      "added configmaps",
    );
    expect([await allocated(), await allocated(bytes)]).toEqual([1, 10]);
    expect([(await post("b")).code, (await post("c")).code]).toEqual([201, 403]);
    await expectUsage(world, maps, 2);
    await expectUsage(world, bytes, 20);
  });

  it("has a claim for each of two policies, or none", async () => {
    await registerAndGrant(world, bytes, configMapKind, 20);
    await createPolicy(
      world,
      policy("bytes", configMapKind, bytes, { requests: [{ resourceType: bytes, amount: 10 }] }),
    );
    await eventsDelivered();
    forget();
    expect(await post("a")).toEqual(created);
    expectConsecutive(
      "modified allowancebuckets",
      "modified allowancebuckets",
      "added resourceclaims",
      "added resourceclaims",
      "added configmaps",
    );
    expect([(await post("b")).code, (await post("c")).code]).toEqual([201, 403]);
    await expectUsage(world, maps, 2);
    await expectUsage(world, bytes, 20);
    await eventsDelivered();
    forget();
    expect(await remove(pathOf("a"))).toBe(200);
    expectConsecutive(
      "deleted configmaps",
      "deleted resourceclaims",
      "deleted resourceclaims",
      "modified allowancebuckets",
      "modified allowancebuckets",
    );
    expect([await allocated(), await allocated(bytes)]).toEqual([1, 10]);
  });
});

describe("a create that fails after quota admitted it", () => {
  /** Expects that the whole limit is still available. */
  async function expectNothingTaken(): Promise<void> {
    laterPlugin = async () => allowed;
    expect(await claims()).toEqual([]);
    const codes = [];
    for (const name of ["x", "y", "z", "too-many"]) codes.push((await post(name)).code);
    expect(codes).toEqual([201, 201, 201, 403]);
  }

  it("because a later plug-in rejects it, writes nothing and frees its quota immediately", async () => {
    laterPlugin = async () => rejected;
    const codes = (await Promise.all(["a", "b", "c", "d", "e"].map(post))).map(({ code }) => code);
    expect([codes, writes()]).toEqual([Array(5).fill(403), []]);
    await expectNothingTaken();
  });

  it("because its namespace is deleted meanwhile, writes nothing", async () => {
    await world.create(namespacesType, { apiVersion: "v1", kind: "Namespace", metadata: { name: "brief" } });
    await change({ metadata: { namespace: "default" }, consumer: "default" });
    laterPlugin = async () => {
      await remove("/api/v1/namespaces/brief");
      return allowed;
    };
    const { code } = await world.tryCreate(configMapsType, configMap("a", {}, { namespace: "brief" }));
    expect(code).toBe(403);
    await expectUsage(world, maps, 0);
    await expectNothingTaken();
  });

  const [version] = shipsDefinition.spec.versions;
  const anything = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  it.each([
    ["changes", () => changeShips({ spec: { versions: [{ ...version, schema: anything }] } }), 503],
    [
      "is deleted",
      async () => world.resource(definitionsType).delete({ name: "ships.fleet.example" }, {}, signal),
      403,
    ],
  ])("because its CRD %s meanwhile, writes nothing", async (_, happens, expected) => {
    await world.define(shipsDefinition, shipsType);
    await registerAndGrant(world, tons, shipKind, 4);
    await createPolicy(world, policy("tons", shipKind, tons, { requests: [{ resourceType: tons, amount: 4 }] }));
    await eventsDelivered();
    laterPlugin = async ({ kind }) => {
      if (kind.kind === "Ship") await happens();
      return allowed;
    };
    const { code } = await world.tryCreate(shipsType, ship("a", { size: 1 }));
    expect([code, await claims(), await allocated(tons)]).toEqual([expected, [], 0]);
    await expectUsage(world, tons, 0);
  });

  it("because another claim took the name of its claim meanwhile, is not counted", async () => {
    await make("a");
    const [{ metadata, spec } = {} as Claim] = await claims();
    await remove(pathOf("a"));
    await eventsDelivered();
    const other = { ...spec, resourceRef: { apiGroup: "", kind: "ConfigMap", name: "other", namespace: "default" } };
    laterPlugin = async () => {
      laterPlugin = async () => allowed;
      const taken = { name: metadata.name, namespace: metadata.namespace };
      await world.create(claimsType, { ...claimHead, metadata: taken, spec: other });
      return allowed;
    };
    expect((await post("a")).code).toBe(500);
    expect((await world.request({ method: "GET", path: pathOf("a") })).code).toBe(404);
    await expectUsage(world, maps, 1); // the other claim
    expect([(await post("b")).code, (await post("c")).code, (await post("d")).code]).toEqual([201, 201, 403]);
  });

  it("because an object of its name exists, is counted once", async () => {
    await make("a");
    expect((await post("a")).code).toBe(409);
    expect(await allocated()).toBe(1);
    await expectUsage(world, maps, 1);
    expect(await claims()).toHaveLength(1);
  });

  const changeShips = (body: Json) =>
    world
      .resource(definitionsType)
      .patch({ name: "ships.fleet.example" }, { type: "merge", body: body as JsonObject }, {}, signal);

  it.each([
    ["the first is rejected", rejected, allowed, [403, 201]],
    ["the first is stored", allowed, allowed, [201, 409]],
    ["both are rejected", rejected, rejected, [403, 403]],
  ])("is counted once together with another of its name, if %s", async (_, first, second, codes) => {
    const answers: ((verdict: Verdict) => void)[] = [];
    laterPlugin = () => new Promise((resolve) => answers.push(resolve));
    const [one, two] = [post("a"), post("a")];
    await eventually(async () => expect(answers).toHaveLength(2));
    answers[0]?.(first);
    expect((await one).code).toBe(codes[0]);
    answers[1]?.(second);
    expect((await two).code).toBe(codes[1]);
    const count = codes.includes(201) ? 1 : 0;
    await expectUsage(world, maps, count);
    expect(await claims()).toHaveLength(count);
    if (count === 0) return;
    expect((await claims())[0]?.metadata.annotations["quota.miloapis.com/bound"]).toBe(await uidOf(pathOf("a")));
    await eventsDelivered();
    await remove(pathOf("a"));
    expect([await claims(), await allocated()]).toEqual([[], 0]);
  });

  it("because the disk is full, is not counted", async () => {
    log.isFull = (resources) => resources.includes("configmaps");
    expect((await post("a")).code).toBe(503);
    log.isFull = () => false;
    expect(await claims()).toEqual([]);
    expect((await world.request({ method: "GET", path: pathOf("a") })).code).toBe(404);
    await expectNothingTaken();
  });

  it("repeatedly because the disk is full, never admits more than the limit", async () => {
    let appends = 0;
    log.isFull = (resources) => {
      if (!resources.includes("configmaps")) return false;
      appends += 1;
      return appends % 3 !== 0;
    };
    const codes = new Set<number>();
    const tryLong = async (name: string): Promise<void> => {
      for (let tries = 0; tries < 500; tries += 1) {
        const { code } = await post(name);
        codes.add(code);
        if (code === 201 || code === 403) return;
        await turn();
      }
      throw new Error(`${name} was not decided`);
    };
    await Promise.all(Array.from({ length: 12 }, (_, at) => tryLong(`c-${at}`)));
    log.isFull = () => false;
    expect((await world.resource(configMapsType).list({ namespace: "default" }, signal)).items).toHaveLength(limit);
    expect([...codes].sort()).toEqual([201, 403, 503]);
    await expectUsage(world, maps, limit);
  });
});

describe("deleting an object deletes its claim and updates its bucket in one transaction", () => {
  const all = ["deleted configmaps", "deleted resourceclaims", "modified allowancebuckets"] as const;

  async function expectReleased(): Promise<void> {
    expectConsecutive(...all);
    expect([await allocated(), await claims()]).toEqual([0, []]);
  }

  it("when a client deletes it", async () => {
    await make("a");
    expect(await remove(pathOf("a"))).toBe(200);
    expect(log.appends[0]).toEqual(["configmaps", "resourceclaims", "allowancebuckets"]);
    await expectReleased();
    await eventsDelivered();
    expect(rows).toHaveLength(3);
  });

  it("when a client deletes it right after its creation", async () => {
    expect(await post("a")).toEqual(created);
    forget();
    expect(await remove(pathOf("a"))).toBe(200);
    await expectReleased();
  });

  it("when its last finalizer is removed", async () => {
    await make("a", {}, { finalizers: ["example.com/mine"] });
    expect(await remove(pathOf("a"))).toBe(200);
    await eventsDelivered();
    expect([writes(), await allocated()]).toEqual([["modified configmaps"], 1]);
    forget();
    await merge(pathOf("a"), { metadata: { finalizers: null } });
    await expectReleased();
  });

  it.each(["Background", "Foreground", "Orphan"])(
    "when a client deletes it with propagation %s",
    async (propagationPolicy) => {
      await make("a");
      expect(await remove(pathOf("a"), { propagationPolicy })).toBe(200);
      await eventually(async () => expect(writes()).toContain(all[0]));
      await expectReleased();
    },
  );

  it("when it is garbage collected with its owner", async () => {
    await world.define(shipsDefinition, shipsType);
    const createdObject = (await world.create(shipsType, ship("owner", { size: 1 }))) as unknown as Claim;
    const owner = { ...shipKind, name: "owner", uid: createdObject.metadata.uid };
    await make("a", {}, { ownerReferences: [owner] });
    await world.resource(shipsType).delete({ namespace: "default", name: "owner" }, {}, signal);
    await eventually(async () => expect(writes()).toContain(all[0]));
    await expectReleased();
  });

  it("when its namespace is deleted and the claim is in another one", async () => {
    await change({ metadata: { namespace: "default" }, consumer: "default" });
    await world.create(namespacesType, { apiVersion: "v1", kind: "Namespace", metadata: { name: "brief" } });
    await make("a", {}, { namespace: "brief" });
    const [claim] = await claims();
    expect([claim?.metadata.namespace, claim?.metadata.ownerReferences]).toEqual(["default", undefined]);
    expect(await remove("/api/v1/namespaces/brief")).toBe(200);
    await eventually(async () => expect(writes()).toContain(all[0]));
    await expectReleased();
  });

  it("when its plane is closed and the claim is in the root plane", async () => {
    await world.stop();
    await start({ constraints: [{ expression: '!trigger.metadata.name.startsWith("org-")' }] }, ["project-a"]);
    const organization = { apiGroup: "resourcemanager.example", kind: "Organization" };
    const consumerRef = { ...organization, name: "acme" };
    const type = "core/maps-of-organizations";
    await world.create(registrationsType, registration(type, [configMapKind], { consumerType: organization }));
    await world.create(grantsType, grant("acme", type, 5, { consumerRef }));
    const parts = { spec: { consumerRef, requests: [{ resourceType: type, amount: 2 }] } };
    const createdObject = policy("of-organizations", configMapKind, type) as { spec: Json };
    const constraints = [{ expression: 'trigger.metadata.name.startsWith("org-")' }];
    const trigger = { resource: configMapKind, constraints };
    await createPolicy(world, {
      ...createdObject,
      spec: { ...createdObject.spec, trigger, target: { resourceClaimTemplate: parts } },
    });
    await eventually(async () => expect((await bucketOf(world, type))?.status["limit"]).toBe(5));
    await eventsDelivered();
    forget();
    const object = configMap("org-a");
    expect(await world.tryCreate(configMapsType, object, "project-a")).toEqual(created);
    expectConsecutive("modified allowancebuckets", "added resourceclaims", "added configmaps");
    const [claim] = await claims();
    expect(claim?.metadata.ownerReferences).toBeUndefined();
    expect([claim?.metadata.finalizers, await allocated(type)]).toEqual([[finalizer], 2]);
    await eventsDelivered();
    forget();
    await world.server.closePlane("project-a");
    expectConsecutive(...all);
    expect([await allocated(type), await claims()]).toEqual([0, []]);
  });

  it("also while objects of the same name come and go: each takes one unit", async () => {
    for (let round = 0; round < 3; round += 1) {
      await make("again");
      const [gone, { code }] = await Promise.all([remove(pathOf("again")), post("again")]);
      expect(gone).toBe(200);
      expect([201, 409]).toContain(code);
      await expectUsage(world, maps, code === 201 ? 1 : 0);
      await eventsDelivered();
      if (code === 201) await remove(pathOf("again"));
      expect(await allocated()).toBe(0);
    }
  });
});

describe("an update of an object", () => {
  const shipPath = "/apis/fleet.example/v1/namespaces/default/ships/a";
  const all = ["modified ships", "modified resourceclaims", "modified allowancebuckets"] as const;

  beforeEach(async () => {
    await world.define(shipsDefinition, shipsType);
    await registerAndGrant(world, tons, shipKind, 10);
    const requests = [{ resourceType: tons, amountExpression: "trigger.spec.size" }];
    const constraints = [{ expression: 'trigger.spec.?note.orValue("") != "retired"' }];
    await createPolicy(world, policy("tons", shipKind, tons, { requests, constraints }));
    expect(await world.tryCreate(shipsType, ship("a", { size: 6, replicas: 1 }))).toEqual(created);
    await eventsDelivered();
    forget();
  });

  const update = async (spec: Json) => (await merge(shipPath, { spec })).code;

  it("that needs less releases the rest in its transaction", async () => {
    expect(await update({ size: 2 })).toBe(200);
    expectConsecutive(...all);
    expect(await allocated(tons)).toBe(2);
    expect(await world.tryCreate(shipsType, ship("b", { size: 8 }))).toEqual(created);
    await expectUsage(world, tons, 10);
  });

  it("that stops matching releases everything in its transaction", async () => {
    expect(await update({ note: "retired" })).toBe(200);
    expectConsecutive("modified ships", "deleted resourceclaims", "modified allowancebuckets");
    expect([await allocated(tons), await claims()]).toEqual([0, []]);
  });

  it("that needs more creates a claim for the difference in its transaction", async () => {
    expect(await update({ size: 9 })).toBe(200);
    expectConsecutive("modified allowancebuckets", "added resourceclaims", "modified ships");
    expect(await allocated(tons)).toBe(9);
    const uid = await uidOf(shipPath);
    for (const { metadata } of await claims()) {
      expect([metadata.annotations["quota.miloapis.com/bound"], metadata.finalizers]).toEqual([uid, [finalizer]]);
      expect(metadata.ownerReferences).toMatchObject([{ uid }]);
    }
    await eventsDelivered();
    forget();
    expect(await remove(shipPath)).toBe(200);
    expectConsecutive("deleted ships", "deleted resourceclaims", "deleted resourceclaims", "modified allowancebuckets");
    expect([await allocated(tons), await claims()]).toEqual([0, []]);
  });

  it("that starts matching creates its claim in its transaction", async () => {
    await update({ note: "retired" });
    await eventsDelivered();
    forget();
    expect(await update({ note: "back" })).toBe(200);
    expectConsecutive("modified allowancebuckets", "added resourceclaims", "modified ships");
    expect(await allocated(tons)).toBe(6);
  });

  it("that needs more than the limit is rejected and keeps its claim", async () => {
    expect(await update({ size: 11 })).toBe(403);
    const { body } = await world.request({ method: "GET", path: shipPath });
    expect((body["spec"] as Json)["size"]).toBe(6);
    expect(writes()).not.toContain("modified ships");
    await expectUsage(world, tons, 6);
    expect(await update({ size: 10 })).toBe(200);
    await expectUsage(world, tons, 10);
  });

  it("that needs more and is rejected by a later plug-in writes nothing", async () => {
    laterPlugin = async () => rejected;
    expect(await update({ size: 9 })).toBe(403);
    expect([writes(), await allocated(tons)]).toEqual([[], 6]);
  });

  it("that needs less and is rejected by a later plug-in writes nothing", async () => {
    laterPlugin = async () => rejected;
    expect(await update({ size: 1 })).toBe(403);
    expect([writes(), await allocated(tons)]).toEqual([[], 6]);
  });

  it("that changes no amount writes neither claim nor bucket", async () => {
    expect(await update({ replicas: 5 })).toBe(200);
    await eventsDelivered();
    expect(writes()).toEqual(["modified ships"]);
  });

  it("in a dry run writes nothing", async () => {
    for (const size of [2, 9]) {
      const body = { spec: { size } };
      const type = "application/merge-patch+json";
      const response = await world.request({ method: "PATCH", path: shipPath, query: { dryRun: "All" }, type, body });
      expect(response.code).toBe(200);
    }
    expect([writes(), await allocated(tons)]).toEqual([[], 6]);
  });

  it("with a stale resource version is rejected and counts nothing", async () => {
    const { body } = await world.request({ method: "GET", path: shipPath });
    await update({ replicas: 2 });
    forget();
    const response = await world.request({ method: "PUT", path: shipPath, body: { ...body, spec: { size: 9 } } });
    expect([response.code, writes(), await allocated(tons)]).toEqual([409, [], 6]);
  });

  it("is counted exactly over many changes up and down", async () => {
    for (const size of [7, 3, 8, 8, 1, 10, 4]) {
      expect(await update({ size })).toBe(200);
      expect(await allocated(tons)).toBe(size);
      await eventsDelivered();
    }
  });

  it("right after another keeps what the object needs", async () => {
    for (let round = 0; round < 8; round += 1) {
      expect(await update({ size: 6 })).toBe(200);
      expect(await update({ size: 8 })).toBe(200);
      await eventsDelivered();
      expect(await Promise.all([update({ size: 6 }), update({ size: 2 })])).toEqual([200, 200]);
      expect(await allocated(tons)).toBe(2);
      await eventsDelivered();
    }
  });

  it("right before the deletion leaves no claim", async () => {
    const [, gone] = await Promise.all([update({ size: 8 }), remove(shipPath)]);
    expect(gone).toBe(200);
    expect([await allocated(tons), await claims()]).toEqual([0, []]);
  });

  it("leaves only the current claim of the object", async () => {
    for (const note of ["retired", ""]) expect(await update({ note })).toBe(200);
    await eventsDelivered();
    forget();
    expect(await remove(shipPath)).toBe(200);
    expectConsecutive("deleted ships", "deleted resourceclaims", "modified allowancebuckets");
  });

  it("that stops matching marks a claim with foreign finalizers for deletion, which counts until it is gone", async () => {
    const path = `${quota}/resourceclaims/${(await claims())[0]?.metadata.name}`;
    await merge(path, { metadata: { finalizers: [finalizer, "example.com/mine"] } });
    await eventsDelivered();
    expect(await update({ note: "retired" })).toBe(200);
    expect((await claims())[0]?.metadata.deletionTimestamp).toBeDefined();
    expect(await allocated(tons)).toBe(6);
    await merge(path, { metadata: { finalizers: null } });
    await expectUsage(world, tons, 0);
  });

  it("of a ConfigMap does not write its claim", async () => {
    await make("a");
    expect((await merge(pathOf("a"), { data: { changed: "yes" } })).code).toBe(200);
    await eventsDelivered();
    expect(writes()).toEqual(["modified configmaps"]);
  });
});

describe("a claim that users change", () => {
  const claimPath = async () => `${quota}/resourceclaims/${(await claims())[0]?.metadata.name}`;

  it("stays after a delete as long as its object exists", async () => {
    await make("a");
    expect(await remove(await claimPath())).toBe(200);
    await eventsDelivered();
    const [claim] = await claims();
    expect([claim?.metadata.deletionTimestamp !== undefined, claim?.metadata.finalizers]).toEqual([true, [finalizer]]);
    expect(await allocated()).toBe(1);
    forget();
    expect(await remove(pathOf("a"))).toBe(200);
    expectConsecutive("deleted configmaps", "deleted resourceclaims", "modified allowancebuckets");
    expect(await allocated()).toBe(0);
  });

  it("with a foreign finalizer is marked for deletion with its object and counts until it is gone", async () => {
    await make("a");
    const path = await claimPath();
    await merge(path, { metadata: { finalizers: [finalizer, "example.com/mine"] } });
    await eventsDelivered();
    expect(await remove(pathOf("a"))).toBe(200);
    const [claim] = await claims();
    expect([claim?.metadata.deletionTimestamp !== undefined, claim?.metadata.finalizers]).toEqual([
      true,
      ["example.com/mine"],
    ]);
    await eventsDelivered();
    expect(await allocated()).toBe(1);
    for (const name of ["b", "c"]) expect(await post(name)).toEqual(created);
    expect((await post("d")).code).toBe(403);
    await merge(path, { metadata: { finalizers: null } });
    await expectUsage(world, maps, 2);
    expect(await post("e")).toEqual(created);
  });

  it("gets its owner reference back", async () => {
    const uid = await make("a");
    await merge(await claimPath(), { metadata: { ownerReferences: null } });
    await eventually(async () => expect((await claims())[0]?.metadata.ownerReferences).toMatchObject([{ uid }]));
  });

  it("with the name of the next object's claim makes that one wait for the bucket writer", async () => {
    await make("a");
    const [{ metadata, spec } = {} as Claim] = await claims();
    expect(await remove(pathOf("a"))).toBe(200);
    const { name, namespace, annotations, labels } = metadata as Claim["metadata"] & { readonly labels: Json };
    const { "quota.miloapis.com/bound": _, ...others } = annotations;
    const noted = { ...others, "quota.miloapis.com/candidates": "of-another" };
    const left = { name, namespace, labels, annotations: noted };
    await world.create(claimsType, { ...claimHead, metadata: left, spec });
    await expectUsage(world, maps, 1);
    await eventsDelivered();
    forget();
    const uid = await make("a");
    await eventually(async () => {
      const [claim] = await claims();
      expect(claim?.metadata.annotations["quota.miloapis.com/candidates"]).toContain(uid);
      expect(claim?.metadata.finalizers).toEqual([finalizer]);
    });
    expect(await claims()).toHaveLength(1);
    await expectUsage(world, maps, 1);
  });
});
