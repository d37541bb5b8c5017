import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AdmissionPlugin, Verdict } from "../../src/apiserver/registry/admission.ts";
import { failure } from "../../src/protocol/api-status.ts";
import { AdmissionWorld } from "./admission-world.ts";
import { configMapsType, shipsDefinition, shipsType } from "./object-types.ts";
import {
  claimsIn,
  configMap,
  configMapKind,
  enforce,
  policy,
  provide,
  ship,
  shipKind,
  usesEventually,
} from "./quota-objects.ts";
import { eventually, signal } from "./served-world.ts";

interface Claim {
  readonly metadata: {
    readonly uid: string;
    readonly annotations: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly uid: string }[];
  };
}

let world: AdmissionWorld;
/** What happened to claims in the store, one word for each write. */
let writes: string[];
/** Asked after quota, of creates. */
let afterwards: (name: string) => Promise<Verdict>;
const type = "core/configmaps";
const path = "/api/v1/namespaces/default/configmaps";
const yes = { code: 201, message: "" };

const another: AdmissionPlugin = {
  name: "another",
  validate: ({ operation, name, kind }) =>
    operation === "CREATE" && kind.kind === "ConfigMap" ? afterwards(name) : Promise.resolve({ allowed: true }),
};

beforeEach(async () => {
  writes = [];
  afterwards = async () => ({ allowed: true });
  world = await AdmissionWorld.start({ waitMsMax: 60_000, plugins: [another] });
  await provide(world, type, configMapKind, 2);
  await enforce(world, policy("configmaps", configMapKind, type));
  world.server.registry.store.watchAll(({ type: what, stored }) => {
    if (stored.key.resource.startsWith("resourceclaims")) writes.push(what);
  });
});

afterEach(async () => {
  await world.stop();
  expect(world.faults).toEqual([]);
});

const post = (name: string) => world.tryCreate(configMapsType, configMap(name));
const remove = (name: string, propagationPolicy = "Background") =>
  world.ask({ method: "DELETE", path: `${path}/${name}`, body: { propagationPolicy } });
const claims = async () => (await claimsIn(world)) as unknown as Claim[];
const ownersOf = async () =>
  (await claims()).map(({ metadata }) => (metadata.ownerReferences ?? []).map(({ uid }) => uid));
const uidOf = async (name: string): Promise<string> => {
  const { body } = await world.ask({ method: "GET", path: `${path}/${name}` });
  return (body as unknown as Claim).metadata.uid;
};
const noClaims = () => eventually(async () => expect(await claims()).toEqual([]));

describe("the claim of an object that is let in", () => {
  it("is written once, with its owner and granted, and goes with the object", async () => {
    expect(await post("a")).toEqual(yes);
    expect(await ownersOf()).toEqual([[await uidOf("a")]]);
    await usesEventually(world, type, 1);
    expect(await post("b")).toEqual(yes);
    await usesEventually(world, type, 2);
    for (const { metadata } of await claims()) {
      expect(metadata.annotations["quota.miloapis.com/bound"]).toBeUndefined();
    }
    for (const name of ["a", "b"]) await remove(name);
    await noClaims();
    await usesEventually(world, type, 0);
    expect(writes).toEqual(["added", "added", "deleted", "deleted"]);
  });

  it("goes with the object that takes its time to go", async () => {
    expect(await post("a")).toEqual(yes);
    await remove("a", "Foreground");
    await noClaims();
  });

  it("goes after an object that was told to leave behind what it owns", async () => {
    expect(await post("a")).toEqual(yes);
    await usesEventually(world, type, 1);
    await remove("a", "Orphan");
    await noClaims();
    await usesEventually(world, type, 0);
  });

  it("is given its owner again when somebody takes it away", async () => {
    expect(await post("a")).toEqual(yes);
    await usesEventually(world, type, 1);
    const [claim] = (await claimsIn(world)) as unknown as { metadata: { name: string } }[];
    const claimPath = `/apis/quota.miloapis.com/v1alpha1/namespaces/default/resourceclaims/${claim?.metadata.name}`;
    const body = { metadata: { ownerReferences: null } };
    await world.ask({ method: "PATCH", path: claimPath, type: "application/merge-patch+json", body });
    const uid = await uidOf("a");
    await eventually(async () => expect(await ownersOf()).toEqual([[uid]]));
  });
});

describe("while an object is on its way", () => {
  const letting = new Map<string, (verdict: Verdict) => void>();
  const no: Verdict = { allowed: false, status: failure("Forbidden", "no") };

  beforeEach(() => {
    letting.clear();
    let count = 0;
    afterwards = () =>
      new Promise((resolve) => {
        count += 1;
        letting.set(`${count}`, resolve);
      });
  });

  const isAsked = (which: string) => eventually(async () => expect([...letting.keys()]).toContain(which));

  it("its claim is kept, and goes when it is refused after all", async () => {
    const answer = post("a");
    await isAsked("1");
    const meanwhile = post("b");
    await isAsked("2");
    letting.get("2")?.({ allowed: true });
    expect(await meanwhile).toEqual(yes);
    expect(await ownersOf()).toEqual([[expect.any(String)], [expect.any(String)]]);
    letting.get("1")?.(no);
    expect((await answer).code).toBe(403);
    await usesEventually(world, type, 1);
    await remove("b");
    await noClaims();
    await usesEventually(world, type, 0);
  });

  it.each([
    ["and goes to the other when it is refused", no, { allowed: true } as const, [403, 201]],
    ["and stays its own when it comes first", { allowed: true } as const, { allowed: true } as const, [201, 409]],
    ["and goes when both are refused", no, no, [403, 403]],
  ])("its claim is shared by another of its name, %s", async (_, first, second, codes) => {
    const one = post("a");
    await isAsked("1");
    const two = post("a");
    await isAsked("2");
    expect(await ownersOf()).toEqual([[]]);
    letting.get("1")?.(first);
    expect((await one).code).toBe(codes[0]);
    letting.get("2")?.(second);
    expect((await two).code).toBe(codes[1]);
    const isThere = codes.includes(201);
    await usesEventually(world, type, isThere ? 1 : 0);
    if (!isThere) return noClaims();
    const uid = await uidOf("a");
    await eventually(async () => {
      const all = await claims();
      expect(all.map(({ metadata }) => metadata.annotations["quota.miloapis.com/bound"])).toEqual([uid]);
    });
    afterwards = async () => ({ allowed: true });
    await remove("a");
    await noClaims();
  });
});

it("an object that is made again while its claim goes takes one unit", async () => {
  for (let round = 0; round < 10; round += 1) {
    expect(await post("again")).toEqual(yes);
    const [gone, code] = await Promise.all([remove("again"), post("again").then((answer) => answer.code)]);
    expect(gone.code).toBe(200);
    expect([201, 409]).toContain(code);
    await usesEventually(world, type, code === 201 ? 1 : 0);
    if (code === 201) await remove("again");
    await usesEventually(world, type, 0);
  }
  await noClaims();
});

it("the claim for what an object grows by has its owner as well", async () => {
  await world.define(shipsDefinition, shipsType);
  await provide(world, "fleet.example/tons", shipKind, 10);
  const requests = [{ resourceType: "fleet.example/tons", amountExpression: "trigger.spec.size" }];
  await enforce(world, policy("tons", shipKind, "fleet.example/tons", { requests }));
  const made = (await world.create(shipsType, ship("a", { size: 4, replicas: 1 }))) as unknown as Claim;
  const ships = world.resource(shipsType);
  const body = { spec: { size: 7 } };
  await ships.patch({ namespace: "default", name: "a" }, { type: "merge", body }, {}, signal);
  expect(await ownersOf()).toEqual([[made.metadata.uid], [made.metadata.uid]]);
  await usesEventually(world, "fleet.example/tons", 7);
  await ships.delete({ namespace: "default", name: "a" }, {}, signal);
  await noClaims();
});
