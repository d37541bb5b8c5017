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
  enforce,
  grant,
  isReady,
  type PolicyParts,
  policy,
  provide,
  registration,
  ship,
  shipKind,
  usesEventually,
} from "./quota-objects.ts";
import { eventually, type Json, signal } from "./served-world.ts";

const [maps, bytes, tons] = ["core/configmaps", "core/bytes", "fleet.example/tons"];
const limit = 3;
const finalizer = "quota.miloapis.com/resource-claim-cleanup";
const yes = { code: 201, message: "" };
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

/** A disk that tells what it was given at a time, takes as long as it is told to, and is full when it is told to be. */
class TestLog extends MemoryLog {
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
let log: TestLog;
/** Everything that was stored since the last look, but totals, which are shown once a second. */
let rows: Row[];
/** Asked after quota, about creates and updates of what is not the quota system's own. */
let afterwards: (request: AdmissionRequest) => Promise<Verdict>;
/** No claim is answered by a round of the bucket writer while this is not resolved. */
let answers: Promise<void>;
const allowed: Verdict = { allowed: true };
const refused: Verdict = { allowed: false, status: failure("Forbidden", "not on a Monday") };

const late: AdmissionPlugin = {
  name: "late",
  validate: async (request) => {
    if (request.kind.kind === "ResourceClaim" && request.subresource === "status") await answers;
    const isTheirs = request.operation === "DELETE" || request.kind.group === "quota.miloapis.com";
    return isTheirs ? allowed : afterwards(request);
  },
};

async function start(parts: PolicyParts = {}, planes: readonly string[] = []): Promise<void> {
  log = new TestLog("turn");
  rows = [];
  afterwards = async () => allowed;
  answers = Promise.resolve();
  world = await AdmissionWorld.start({ log, plugins: [late], planes });
  world.server.registry.store.watchAll(({ type, stored: { key, revision } }) => {
    const resource = key.resource.replace(/\..*/, "");
    if (!["effectiveresourcegrants", "events"].includes(resource)) rows.push({ what: `${type} ${resource}`, revision });
  });
  await provide(world, maps, configMapKind, limit);
  await enforce(world, policy("maps", configMapKind, maps, parts));
  forget();
}

beforeEach(() => start());

afterEach(async () => {
  await world.stop();
  expect(world.faults).toEqual([]);
});

function forget(): void {
  rows.length = 0;
  log.appends.length = 0;
}

const post = (name: string) => world.tryCreate(configMapsType, configMap(name));
const pathOf = (name: string, namespace = "default") => `/api/v1/namespaces/${namespace}/configmaps/${name}`;
const remove = async (path: string, body?: Json) => (await world.ask({ method: "DELETE", path, body })).code;
const merge = (path: string, body: Json) =>
  world.ask({ method: "PATCH", path, type: "application/merge-patch+json", body });
const claims = async () => (await claimsIn(world)) as unknown as readonly Claim[];
const allocated = async (type = maps): Promise<unknown> => (await bucketOf(world, type))?.status["allocated"];
const whats = (): readonly string[] => rows.map(({ what }) => what);

async function uidOf(path: string): Promise<string> {
  const { body } = await world.ask({ method: "GET", path });
  return (body["metadata"] as Claim["metadata"]).uid;
}

/** What was stored in a row, with nothing in between. */
function expectTogether(...expected: readonly string[]): void {
  const at = rows.findIndex(({ what }) => what === expected[0]);
  const found = rows.slice(at, at + expected.length);
  expect([at >= 0, found.map(({ what }) => what)]).toEqual([true, expected]);
  const first = found[0]?.revision ?? 0;
  expect(found.map(({ revision }) => revision)).toEqual(found.map((_, index) => first + index));
}

/** Makes an object, and waits until the controllers have seen it and its claims. */
async function make(name: string, more: Json = {}, metadata: Json = {}): Promise<string> {
  expect(await world.tryCreate(configMapsType, configMap(name, more, metadata))).toEqual(yes);
  const namespace = (metadata["namespace"] as string | undefined) ?? "default";
  const uid = await uidOf(pathOf(name, namespace));
  await seen();
  forget();
  return uid;
}

/** Has the policy make other claims from now on. */
async function change({ requests = [{ resourceType: maps, amount: 1 }], metadata, consumer }: Changed): Promise<void> {
  const consumerRef = { kind: "Namespace", name: consumer ?? "{{ trigger.metadata.namespace }}" };
  const template = { ...(metadata === undefined ? {} : { metadata }), spec: { consumerRef, requests } };
  const path = "/apis/quota.miloapis.com/v1alpha1/claimcreationpolicies/maps";
  expect((await merge(path, { spec: { target: { resourceClaimTemplate: template } } })).code).toBe(200);
  await isReady(world, "maps");
  await seen();
  forget();
}

interface Changed extends Pick<PolicyParts, "requests" | "metadata"> {
  /** The namespace whose quota it is, where that is not the one of the object. */
  readonly consumer?: string;
}

/** Watches in this process show everything within a few turns. */
async function seen(): Promise<void> {
  for (let turns = 0; turns < 20; turns += 1) await turn();
}

describe("a create that quota is there for", () => {
  it("writes its bucket, its claim and itself, in this order, and nothing else", async () => {
    expect(await post("a")).toEqual(yes);
    expect(log.appends).toEqual([["allowancebuckets", "resourceclaims", "configmaps"]]);
    expectTogether("modified allowancebuckets", "added resourceclaims", "added configmaps");
    expect(await allocated()).toBe(1);
    await seen();
    expect(rows).toHaveLength(3);
  });

  it("has a claim that is granted, bound, owned and finalized from its first version on", async () => {
    expect(await post("a")).toEqual(yes);
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
    await seen();
    expect((await claims())[0]?.metadata.resourceVersion).toBe(`${added?.revision}`);
  });

  it("has the claim that a create and an answer of the bucket writer would have made", async () => {
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
      // A status that begins with the default of its schema is owned a little differently.
      const managers = (all["managedFields"] as Json[]).map(({ manager, operation, subresource }) => [
        manager,
        operation,
        subresource,
      ]);
      return { ...rest, metadata: { ...all, name: "", uid: "", resourceVersion: "", managedFields: managers } };
    };
    expect(compared(inTransaction)).toEqual(compared(granted));
  });

  it("works under a generated name as well", async () => {
    const made = await world.create(configMapsType, {
      ...configMapKind,
      metadata: { generateName: "a-", namespace: "default" },
    });
    const { uid } = made["metadata"] as unknown as Claim["metadata"];
    expectTogether("modified allowancebuckets", "added resourceclaims", "added configmaps");
    expect((await claims())[0]?.metadata.annotations["quota.miloapis.com/bound"]).toBe(uid);
  });

  it("writes nothing in a dry run, and is told what would become of it", async () => {
    const { revision } = world.server.registry.store;
    const dryRun = (name: string) =>
      world.ask({ method: "POST", path: pathOf("").slice(0, -1), query: { dryRun: "All" }, body: configMap(name) });
    expect((await dryRun("a")).code).toBe(201);
    expect(world.server.registry.store.revision).toBe(revision);
    for (const name of ["a", "b", "c"]) await make(name);
    expect((await dryRun("d")).code).toBe(403);
    await seen();
    expect([whats(), await allocated()]).toEqual([[], limit]);
  });
});

describe("a create that quota is not there for", () => {
  it("is refused and leaves no object; its claim is stored pending first, and denied then", async () => {
    for (const name of ["a", "b", "c"]) await make(name);
    expect((await post("d")).code).toBe(403);
    expect((await world.ask({ method: "GET", path: pathOf("d") })).code).toBe(404);
    expect(whats()).toEqual(["added resourceclaims", "modified resourceclaims"]);
    const denied = (await claims()).find(({ status }) => status?.conditions?.[0]?.["reason"] === "QuotaExceeded");
    expect(denied?.metadata.annotations["quota.miloapis.com/bound"]).toBeUndefined();
    expect(denied?.metadata.finalizers).toBeUndefined();
    await usesEventually(world, maps, limit);
  });

  it("takes the place of an object that goes, at once", async () => {
    for (const name of ["a", "b", "c"]) await make(name);
    expect((await post("d")).code).toBe(403);
    expect(await remove(pathOf("b"))).toBe(200);
    expect(await post("e")).toEqual(yes);
    await usesEventually(world, maps, limit);
  });
});

describe("creates at the same time", () => {
  const names = Array.from({ length: 30 }, (_, at) => `map-${at}`);

  it("share one write of their bucket in every append", async () => {
    await world.create(grantsType, grant("more", maps, 100));
    await eventually(async () => expect((await bucketOf(world, maps))?.status["limit"]).toBe(limit + 100));
    await seen();
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

  it("get as much as there is, to the last, and no more", async () => {
    const codes = (await Promise.all(names.map(post))).map(({ code }) => code);
    expect(codes.filter((code) => code === 201)).toHaveLength(limit);
    expect(new Set(codes)).toEqual(new Set([201, 403]));
    await usesEventually(world, maps, limit);
  });

  it("wait for a round of the bucket writer that is under way, and are decided after it", async () => {
    let release = (): void => undefined;
    answers = new Promise((resolve) => {
      release = resolve;
    });
    const { name } = configMap("of-somebody")["metadata"] as { name: string };
    const requests = [{ resourceType: maps, amount: limit + 1 }];
    const spec = { consumerRef: { kind: "Namespace", name: "default" }, requests };
    await world.create(claimsType, { ...claimHead, metadata: { name, namespace: "default" }, spec });
    await seen();
    const created = ["a", "b", "c", "d"].map(post);
    await seen();
    expect(whats()).not.toContain("added configmaps");
    release();
    expect((await Promise.all(created)).map(({ code }) => code).sort()).toEqual([201, 201, 201, 403]);
    await usesEventually(world, maps, limit);
  });

  it("are not disturbed by others who write annotations on their bucket", async () => {
    const { metadata } = (await bucketOf(world, maps)) as unknown as { metadata: { name: string } };
    for (const [at, name] of ["a", "b", "c"].entries()) {
      const body = { metadata: { annotations: { note: `${at}` } } };
      const ref = { namespace: "default", name: metadata.name };
      const noted = world.resource(bucketsType).patch(ref, { type: "merge", body }, {}, signal);
      expect(await post(name)).toEqual(yes);
      await noted;
    }
    await usesEventually(world, maps, limit);
  });
});

describe("a create with claims on several buckets", () => {
  it("writes all of them, or is refused by any", async () => {
    await provide(world, bytes, configMapKind, 20);
    await change({
      requests: [
        { resourceType: maps, amount: 1 },
        { resourceType: bytes, amount: 10 },
      ],
    });
    expect(await post("a")).toEqual(yes);
    expectTogether(
      "modified allowancebuckets",
      "modified allowancebuckets",
      "added resourceclaims",
      "added configmaps",
    );
    expect([await allocated(), await allocated(bytes)]).toEqual([1, 10]);
    expect([(await post("b")).code, (await post("c")).code]).toEqual([201, 403]);
    await usesEventually(world, maps, 2);
    await usesEventually(world, bytes, 20);
  });

  it("by two policies has two claims, all or nothing", async () => {
    await provide(world, bytes, configMapKind, 20);
    await enforce(world, policy("bytes", configMapKind, bytes, { requests: [{ resourceType: bytes, amount: 10 }] }));
    await seen();
    forget();
    expect(await post("a")).toEqual(yes);
    expectTogether(
      "modified allowancebuckets",
      "modified allowancebuckets",
      "added resourceclaims",
      "added resourceclaims",
      "added configmaps",
    );
    expect([(await post("b")).code, (await post("c")).code]).toEqual([201, 403]);
    await usesEventually(world, maps, 2);
    await usesEventually(world, bytes, 20);
    await seen();
    forget();
    expect(await remove(pathOf("a"))).toBe(200);
    expectTogether(
      "deleted configmaps",
      "deleted resourceclaims",
      "deleted resourceclaims",
      "modified allowancebuckets",
      "modified allowancebuckets",
    );
    expect([await allocated(), await allocated(bytes)]).toEqual([1, 10]);
  });
});

describe("a create that fails after quota has admitted it", () => {
  /** Everything that there is can still be had. */
  async function expectNothingTaken(): Promise<void> {
    afterwards = async () => allowed;
    expect(await claims()).toEqual([]);
    const codes = [];
    for (const name of ["x", "y", "z", "too-many"]) codes.push((await post(name)).code);
    expect(codes).toEqual([201, 201, 201, 403]);
  }

  it("because a later plug-in refuses it, has written nothing, and its quota is free at once", async () => {
    afterwards = async () => refused;
    const codes = (await Promise.all(["a", "b", "c", "d", "e"].map(post))).map(({ code }) => code);
    expect([codes, whats()]).toEqual([Array(5).fill(403), []]);
    await expectNothingTaken();
  });

  it("because its namespace goes meanwhile, has written nothing", async () => {
    await world.create(namespacesType, { apiVersion: "v1", kind: "Namespace", metadata: { name: "brief" } });
    await change({ metadata: { namespace: "default" }, consumer: "default" });
    afterwards = async () => {
      await remove("/api/v1/namespaces/brief");
      return allowed;
    };
    const { code } = await world.tryCreate(configMapsType, configMap("a", {}, { namespace: "brief" }));
    expect(code).toBe(403);
    await usesEventually(world, maps, 0);
    await expectNothingTaken();
  });

  const [version] = shipsDefinition.spec.versions;
  const anything = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  it.each([
    ["changes", () => changeShips({ spec: { versions: [{ ...version, schema: anything }] } }), 503],
    ["goes", async () => world.resource(definitionsType).delete({ name: "ships.fleet.example" }, {}, signal), 403],
  ])("because its definition %s meanwhile, has written nothing", async (_, happens, expected) => {
    await world.define(shipsDefinition, shipsType);
    await provide(world, tons, shipKind, 4);
    await enforce(world, policy("tons", shipKind, tons, { requests: [{ resourceType: tons, amount: 4 }] }));
    await seen();
    afterwards = async ({ kind }) => {
      if (kind.kind === "Ship") await happens();
      return allowed;
    };
    const { code } = await world.tryCreate(shipsType, ship("a", { size: 1 }));
    expect([code, await claims(), await allocated(tons)]).toEqual([expected, [], 0]);
    await usesEventually(world, tons, 0);
  });

  it("because its claim's name was taken meanwhile by a claim for something else, is not counted", async () => {
    await make("a");
    const [{ metadata, spec } = {} as Claim] = await claims();
    await remove(pathOf("a"));
    await seen();
    const other = { ...spec, resourceRef: { apiGroup: "", kind: "ConfigMap", name: "other", namespace: "default" } };
    afterwards = async () => {
      afterwards = async () => allowed;
      const taken = { name: metadata.name, namespace: metadata.namespace };
      await world.create(claimsType, { ...claimHead, metadata: taken, spec: other });
      return allowed;
    };
    expect((await post("a")).code).toBe(500);
    expect((await world.ask({ method: "GET", path: pathOf("a") })).code).toBe(404);
    await usesEventually(world, maps, 1); // of that other claim
    expect([(await post("b")).code, (await post("c")).code, (await post("d")).code]).toEqual([201, 201, 403]);
  });

  it("because there is an object of its name, is counted once", async () => {
    await make("a");
    expect((await post("a")).code).toBe(409);
    expect(await allocated()).toBe(1);
    await usesEventually(world, maps, 1);
    expect(await claims()).toHaveLength(1);
  });

  const changeShips = (body: Json) =>
    world
      .resource(definitionsType)
      .patch({ name: "ships.fleet.example" }, { type: "merge", body: body as JsonObject }, {}, signal);

  it.each([
    ["the first is refused", refused, allowed, [403, 201]],
    ["the first is stored", allowed, allowed, [201, 409]],
    ["both are refused", refused, refused, [403, 403]],
  ])("is counted once with another of its name, when %s", async (_, first, second, codes) => {
    const answers: ((verdict: Verdict) => void)[] = [];
    afterwards = () => new Promise((resolve) => answers.push(resolve));
    const [one, two] = [post("a"), post("a")];
    await eventually(async () => expect(answers).toHaveLength(2));
    answers[0]?.(first);
    expect((await one).code).toBe(codes[0]);
    answers[1]?.(second);
    expect((await two).code).toBe(codes[1]);
    const count = codes.includes(201) ? 1 : 0;
    await usesEventually(world, maps, count);
    expect(await claims()).toHaveLength(count);
    if (count === 0) return;
    expect((await claims())[0]?.metadata.annotations["quota.miloapis.com/bound"]).toBe(await uidOf(pathOf("a")));
    await seen();
    await remove(pathOf("a"));
    expect([await claims(), await allocated()]).toEqual([[], 0]);
  });

  it("because the disk is full, is not counted", async () => {
    log.isFull = (resources) => resources.includes("configmaps");
    expect((await post("a")).code).toBe(503);
    log.isFull = () => false;
    expect(await claims()).toEqual([]);
    expect((await world.ask({ method: "GET", path: pathOf("a") })).code).toBe(404);
    await expectNothingTaken();
  });

  it("again and again for want of space, lets in as much as there is and no more", async () => {
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
      throw new Error(`${name} was never decided`);
    };
    await Promise.all(Array.from({ length: 12 }, (_, at) => tryLong(`c-${at}`)));
    log.isFull = () => false;
    expect((await world.resource(configMapsType).list({ namespace: "default" }, signal)).items).toHaveLength(limit);
    expect([...codes].sort()).toEqual([201, 403, 503]);
    await usesEventually(world, maps, limit);
  });
});

describe("an object that goes takes its claim and the count of it along, in one transaction", () => {
  const all = ["deleted configmaps", "deleted resourceclaims", "modified allowancebuckets"] as const;

  async function expectReleased(): Promise<void> {
    expectTogether(...all);
    expect([await allocated(), await claims()]).toEqual([0, []]);
  }

  it("when it is deleted", async () => {
    await make("a");
    expect(await remove(pathOf("a"))).toBe(200);
    expect(log.appends[0]).toEqual(["configmaps", "resourceclaims", "allowancebuckets"]);
    await expectReleased();
    await seen();
    expect(rows).toHaveLength(3);
  });

  it("when it is deleted right after it was made", async () => {
    expect(await post("a")).toEqual(yes);
    forget();
    expect(await remove(pathOf("a"))).toBe(200);
    await expectReleased();
  });

  it("when its last finalizer is taken away", async () => {
    await make("a", {}, { finalizers: ["example.com/mine"] });
    expect(await remove(pathOf("a"))).toBe(200);
    await seen();
    expect([whats(), await allocated()]).toEqual([["modified configmaps"], 1]);
    forget();
    await merge(pathOf("a"), { metadata: { finalizers: null } });
    await expectReleased();
  });

  it.each(["Background", "Foreground", "Orphan"])(
    "when it is deleted with propagation %s",
    async (propagationPolicy) => {
      await make("a");
      expect(await remove(pathOf("a"), { propagationPolicy })).toBe(200);
      await eventually(async () => expect(whats()).toContain(all[0]));
      await expectReleased();
    },
  );

  it("when it is collected after its owner", async () => {
    await world.define(shipsDefinition, shipsType);
    const made = (await world.create(shipsType, ship("owner", { size: 1 }))) as unknown as Claim;
    const owner = { ...shipKind, name: "owner", uid: made.metadata.uid };
    await make("a", {}, { ownerReferences: [owner] });
    await world.resource(shipsType).delete({ namespace: "default", name: "owner" }, {}, signal);
    await eventually(async () => expect(whats()).toContain(all[0]));
    await expectReleased();
  });

  it("when its namespace is deleted, and the claim is in another", async () => {
    await change({ metadata: { namespace: "default" }, consumer: "default" });
    await world.create(namespacesType, { apiVersion: "v1", kind: "Namespace", metadata: { name: "brief" } });
    await make("a", {}, { namespace: "brief" });
    const [claim] = await claims();
    expect([claim?.metadata.namespace, claim?.metadata.ownerReferences]).toEqual(["default", undefined]);
    expect(await remove("/api/v1/namespaces/brief")).toBe(200);
    await eventually(async () => expect(whats()).toContain(all[0]));
    await expectReleased();
  });

  it("when its plane is closed, and the claim is in the root", async () => {
    await world.stop();
    await start({ constraints: [{ expression: '!trigger.metadata.name.startsWith("org-")' }] }, ["project-a"]);
    const organization = { apiGroup: "resourcemanager.example", kind: "Organization" };
    const consumerRef = { ...organization, name: "acme" };
    const type = "core/maps-of-organizations";
    await world.create(registrationsType, registration(type, [configMapKind], { consumerType: organization }));
    await world.create(grantsType, grant("acme", type, 5, { consumerRef }));
    const parts = { spec: { consumerRef, requests: [{ resourceType: type, amount: 2 }] } };
    const made = policy("of-organizations", configMapKind, type) as { spec: Json };
    const constraints = [{ expression: 'trigger.metadata.name.startsWith("org-")' }];
    const trigger = { resource: configMapKind, constraints };
    await enforce(world, { ...made, spec: { ...made.spec, trigger, target: { resourceClaimTemplate: parts } } });
    await eventually(async () => expect((await bucketOf(world, type))?.status["limit"]).toBe(5));
    await seen();
    forget();
    const object = configMap("org-a");
    expect(await world.tryCreate(configMapsType, object, "project-a")).toEqual(yes);
    expectTogether("modified allowancebuckets", "added resourceclaims", "added configmaps");
    const [claim] = await claims();
    expect(claim?.metadata.ownerReferences).toBeUndefined();
    expect([claim?.metadata.finalizers, await allocated(type)]).toEqual([[finalizer], 2]);
    await seen();
    forget();
    await world.server.closePlane("project-a");
    expectTogether(...all);
    expect([await allocated(type), await claims()]).toEqual([0, []]);
  });

  it("whatever becomes of objects of the same name meanwhile: one unit each", async () => {
    for (let round = 0; round < 3; round += 1) {
      await make("again");
      const [gone, { code }] = await Promise.all([remove(pathOf("again")), post("again")]);
      expect(gone).toBe(200);
      expect([201, 409]).toContain(code);
      await usesEventually(world, maps, code === 201 ? 1 : 0);
      await seen();
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
    await provide(world, tons, shipKind, 10);
    const requests = [{ resourceType: tons, amountExpression: "trigger.spec.size" }];
    const constraints = [{ expression: 'trigger.spec.?note.orValue("") != "retired"' }];
    await enforce(world, policy("tons", shipKind, tons, { requests, constraints }));
    expect(await world.tryCreate(shipsType, ship("a", { size: 6, replicas: 1 }))).toEqual(yes);
    await seen();
    forget();
  });

  const update = async (spec: Json) => (await merge(shipPath, { spec })).code;

  it("that needs less gives back the rest in its own transaction", async () => {
    expect(await update({ size: 2 })).toBe(200);
    expectTogether(...all);
    expect(await allocated(tons)).toBe(2);
    expect(await world.tryCreate(shipsType, ship("b", { size: 8 }))).toEqual(yes);
    await usesEventually(world, tons, 10);
  });

  it("that is not counted any more gives back everything in its own transaction", async () => {
    expect(await update({ note: "retired" })).toBe(200);
    expectTogether("modified ships", "deleted resourceclaims", "modified allowancebuckets");
    expect([await allocated(tons), await claims()]).toEqual([0, []]);
  });

  it("that needs more has a claim for that in its own transaction", async () => {
    expect(await update({ size: 9 })).toBe(200);
    expectTogether("modified allowancebuckets", "added resourceclaims", "modified ships");
    expect(await allocated(tons)).toBe(9);
    const uid = await uidOf(shipPath);
    for (const { metadata } of await claims()) {
      expect([metadata.annotations["quota.miloapis.com/bound"], metadata.finalizers]).toEqual([uid, [finalizer]]);
      expect(metadata.ownerReferences).toMatchObject([{ uid }]);
    }
    await seen();
    forget();
    expect(await remove(shipPath)).toBe(200);
    expectTogether("deleted ships", "deleted resourceclaims", "deleted resourceclaims", "modified allowancebuckets");
    expect([await allocated(tons), await claims()]).toEqual([0, []]);
  });

  it("that comes to be counted has its claim in its own transaction", async () => {
    await update({ note: "retired" });
    await seen();
    forget();
    expect(await update({ note: "back" })).toBe(200);
    expectTogether("modified allowancebuckets", "added resourceclaims", "modified ships");
    expect(await allocated(tons)).toBe(6);
  });

  it("that needs more than there is, is refused, and keeps what it had", async () => {
    expect(await update({ size: 11 })).toBe(403);
    const { body } = await world.ask({ method: "GET", path: shipPath });
    expect((body["spec"] as Json)["size"]).toBe(6);
    expect(whats()).not.toContain("modified ships");
    await usesEventually(world, tons, 6);
    expect(await update({ size: 10 })).toBe(200);
    await usesEventually(world, tons, 10);
  });

  it("that needs more and is refused by a later plug-in has written nothing", async () => {
    afterwards = async () => refused;
    expect(await update({ size: 9 })).toBe(403);
    expect([whats(), await allocated(tons)]).toEqual([[], 6]);
  });

  it("that needs less and is refused by a later plug-in has written nothing", async () => {
    afterwards = async () => refused;
    expect(await update({ size: 1 })).toBe(403);
    expect([whats(), await allocated(tons)]).toEqual([[], 6]);
  });

  it("that changes no amount touches neither claim nor bucket", async () => {
    expect(await update({ replicas: 5 })).toBe(200);
    await seen();
    expect(whats()).toEqual(["modified ships"]);
  });

  it("in a dry run writes nothing", async () => {
    for (const size of [2, 9]) {
      const body = { spec: { size } };
      const type = "application/merge-patch+json";
      const told = await world.ask({ method: "PATCH", path: shipPath, query: { dryRun: "All" }, type, body });
      expect(told.code).toBe(200);
    }
    expect([whats(), await allocated(tons)]).toEqual([[], 6]);
  });

  it("on a version that is not the newest any more is refused, and counts nothing", async () => {
    const { body } = await world.ask({ method: "GET", path: shipPath });
    await update({ replicas: 2 });
    forget();
    const told = await world.ask({ method: "PUT", path: shipPath, body: { ...body, spec: { size: 9 } } });
    expect([told.code, whats(), await allocated(tons)]).toEqual([409, [], 6]);
  });

  it("again and again, up and down, is counted exactly", async () => {
    for (const size of [7, 3, 8, 8, 1, 10, 4]) {
      expect(await update({ size })).toBe(200);
      expect(await allocated(tons)).toBe(size);
      await seen();
    }
  });

  it("right after another, less and less, keeps what it needs", async () => {
    for (let round = 0; round < 8; round += 1) {
      expect(await update({ size: 6 })).toBe(200);
      expect(await update({ size: 8 })).toBe(200);
      await seen();
      expect(await Promise.all([update({ size: 6 }), update({ size: 2 })])).toEqual([200, 200]);
      expect(await allocated(tons)).toBe(2);
      await seen();
    }
  });

  it("right before it goes leaves no claim behind", async () => {
    const [, gone] = await Promise.all([update({ size: 8 }), remove(shipPath)]);
    expect(gone).toBe(200);
    expect([await allocated(tons), await claims()]).toEqual([0, []]);
  });

  it("that had another claim before leaves the store with the one it has", async () => {
    for (const note of ["retired", ""]) expect(await update({ note })).toBe(200);
    await seen();
    forget();
    expect(await remove(shipPath)).toBe(200);
    expectTogether("deleted ships", "deleted resourceclaims", "modified allowancebuckets");
  });

  it("that is not counted any more marks a claim that others keep, which counts until it is gone", async () => {
    const path = `${quota}/resourceclaims/${(await claims())[0]?.metadata.name}`;
    await merge(path, { metadata: { finalizers: [finalizer, "example.com/mine"] } });
    await seen();
    expect(await update({ note: "retired" })).toBe(200);
    expect((await claims())[0]?.metadata.deletionTimestamp).toBeDefined();
    expect(await allocated(tons)).toBe(6);
    await merge(path, { metadata: { finalizers: null } });
    await usesEventually(world, tons, 0);
  });

  it("of a config map leaves its claim alone", async () => {
    await make("a");
    expect((await merge(pathOf("a"), { data: { changed: "yes" } })).code).toBe(200);
    await seen();
    expect(whats()).toEqual(["modified configmaps"]);
  });
});

describe("a claim that others meddle with", () => {
  const claimPath = async () => `${quota}/resourceclaims/${(await claims())[0]?.metadata.name}`;

  it("stays while its object is there, though it was deleted, and goes with it", async () => {
    await make("a");
    expect(await remove(await claimPath())).toBe(200);
    await seen();
    const [claim] = await claims();
    expect([claim?.metadata.deletionTimestamp !== undefined, claim?.metadata.finalizers]).toEqual([true, [finalizer]]);
    expect(await allocated()).toBe(1);
    forget();
    expect(await remove(pathOf("a"))).toBe(200);
    expectTogether("deleted configmaps", "deleted resourceclaims", "modified allowancebuckets");
    expect(await allocated()).toBe(0);
  });

  it("with a finalizer of others is marked when its object goes, and counts until it is gone", async () => {
    await make("a");
    const path = await claimPath();
    await merge(path, { metadata: { finalizers: [finalizer, "example.com/mine"] } });
    await seen();
    expect(await remove(pathOf("a"))).toBe(200);
    const [claim] = await claims();
    expect([claim?.metadata.deletionTimestamp !== undefined, claim?.metadata.finalizers]).toEqual([
      true,
      ["example.com/mine"],
    ]);
    await seen();
    expect(await allocated()).toBe(1);
    for (const name of ["b", "c"]) expect(await post(name)).toEqual(yes);
    expect((await post("d")).code).toBe(403);
    await merge(path, { metadata: { finalizers: null } });
    await usesEventually(world, maps, 2);
    expect(await post("e")).toEqual(yes);
  });

  it("is given its owner again when that is taken away", async () => {
    const uid = await make("a");
    await merge(await claimPath(), { metadata: { ownerReferences: null } });
    await eventually(async () => expect((await claims())[0]?.metadata.ownerReferences).toMatchObject([{ uid }]));
  });

  it("has a name that the claim of the next object would have: that one is decided the ordinary way", async () => {
    await make("a");
    const [{ metadata, spec } = {} as Claim] = await claims();
    expect(await remove(pathOf("a"))).toBe(200);
    const { name, namespace, annotations, labels } = metadata as Claim["metadata"] & { readonly labels: Json };
    const { "quota.miloapis.com/bound": _, ...others } = annotations;
    const noted = { ...others, "quota.miloapis.com/candidates": "of-somebody-else" };
    const left = { name, namespace, labels, annotations: noted };
    await world.create(claimsType, { ...claimHead, metadata: left, spec });
    await usesEventually(world, maps, 1);
    await seen();
    forget();
    const uid = await make("a");
    await eventually(async () => {
      const [claim] = await claims();
      expect(claim?.metadata.annotations["quota.miloapis.com/candidates"]).toContain(uid);
      expect(claim?.metadata.finalizers).toEqual([finalizer]);
    });
    expect(await claims()).toHaveLength(1);
    await usesEventually(world, maps, 1);
  });
});
