import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { Admission, type AdmissionOptions } from "@milo-quota/quota/admission/admission.ts";
import type { ObjectChange, Verdict } from "@milo-quota/quota/admission/object-change.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AdmissionWorld } from "./admission-world.ts";
import { configMapsType } from "./object-types.ts";
import { claimsIn, configMap, configMapKind, createPolicy, policy, registerAndGrant } from "./quota-objects.ts";
import { eventually, type Json, signal } from "./test-world.ts";

let world: AdmissionWorld;
/** Admission as in another process: it knows only stored objects. */
let admission: Admission;

beforeEach(async () => {
  world = await AdmissionWorld.start();
  await registerAndGrant(world, "core/configmaps", configMapKind, 1);
  const constraints = [{ expression: 'trigger.metadata.labels["counted"] == "yes"' }];
  await createPolicy(world, policy("maps", configMapKind, "core/configmaps", { constraints }));
  admission = await started({ waitMsMax: 60_000 });
});

async function started(over: Partial<AdmissionOptions>): Promise<Admission> {
  const { planes, clock, random, report } = world.runtime;
  const created = new Admission({ planes, clock, random, report, ...over });
  created.start();
  await created.ready;
  return created;
}

afterEach(async () => {
  await admission.stop();
  await world.stop();
  expect(world.unexpectedReports).toEqual([]);
});

const change = (object: JsonObject, oldObject?: JsonObject): ObjectChange => ({
  operation: oldObject === undefined ? "CREATE" : "UPDATE",
  plane: "root",
  kind: { ...configMapsType, kind: "ConfigMap" },
  subresource: "",
  namespace: "default",
  name: "a",
  userInfo: { username: "ada", uid: "", groups: [], extra: {} },
  dryRun: false,
  object,
  oldObject,
  options: {},
  warn: () => undefined,
});

const counted = (object: JsonObject): JsonObject => {
  const metadata = object["metadata"] as JsonObject;
  return { ...object, metadata: { ...metadata, labels: { counted: "yes" } } };
};

const candidates = async (): Promise<readonly string[]> => {
  const all = (await claimsIn(world)) as unknown as { metadata: { annotations: Record<string, string> } }[];
  return all.map(({ metadata }) => metadata.annotations["quota.miloapis.com/candidates"] ?? "");
};

const storedObject = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", resourceVersion: "7" } };

const settle = async (verdict: Verdict, stored: boolean): Promise<void> => {
  if (verdict.allowed) verdict.onSettled?.(stored ? { stored, object: storedObject } : { stored });
  await admission.finish();
};

describe("two concurrent identical updates of an object", () => {
  let old: JsonObject;
  let uid: string;
  const both = () => Promise.all([1, 2].map(() => admission.decide(change(counted(old), old), signal)));

  beforeEach(async () => {
    old = await world.create(configMapsType, configMap("a"));
    uid = String((old["metadata"] as Json)["uid"]);
  });

  it("are admitted by one claim with a candidate for each", async () => {
    const [one, two] = await both();
    expect([one?.allowed, two?.allowed]).toEqual([true, true]);
    expect(await candidates()).toEqual([`${uid},${uid}`]);
  });

  it("leave the claim to the one that is stored", async () => {
    const [one, two] = (await both()) as [Verdict, Verdict];
    await settle(one, true);
    await settle(two, false);
    expect(await candidates()).toEqual([uid]);
  });

  it("leave no claim if none is stored", async () => {
    for (const verdict of await both()) await settle(verdict, false);
    expect(await candidates()).toEqual([]);
  });

  it("do not withdraw a claim that was recreated after their own was deleted", async () => {
    const one = await admission.decide(change(counted(old), old), signal);
    const [claim] = (await claimsIn(world)) as unknown as { metadata: { namespace: string; name: string } }[];
    const path = `/apis/quota.miloapis.com/v1alpha1/namespaces/default/resourceclaims/${claim?.metadata.name}`;
    await eventually(async () => {
      const body = { metadata: { finalizers: null } };
      await world.request({ method: "PATCH", path, type: "application/merge-patch+json", body });
      await world.request({ method: "DELETE", path });
      expect(await candidates()).toEqual([]);
    });
    const two = await admission.decide(change(counted(old), old), signal);
    expect(two.allowed).toBe(true);
    await settle(one, false);
    expect(await candidates()).toEqual([uid]);
  });
});

it("rejects with the reason if the claims of a plane cannot be watched", async () => {
  const planes = { ...world.planes, planeOf: () => "elsewhere" };
  const lost = await started({ planes, waitMsMax: 300, report: () => undefined });
  const object = configMap("a", {}, { uid: "one", labels: { counted: "yes" } }) as JsonObject;
  const verdict = await lost.decide(change(object), signal);
  expect(verdict).toMatchObject({
    allowed: false,
    status: { code: 503, message: expect.stringContaining("cannot be created: claims cannot be watched: ") },
  });
  await lost.stop();
});

describe("concurrent creates of one name", () => {
  const created = (uid: string): JsonObject => {
    const object = configMap("a", {}, { uid, labels: { counted: "yes" } });
    return object as JsonObject;
  };

  it("share a claim, which is withdrawn with the last of them", async () => {
    const first = await admission.decide(change(created("one")), signal);
    const second = await admission.decide(change(created("two")), signal);
    expect(await candidates()).toEqual(["one,two"]);
    await settle(first, false);
    expect(await candidates()).toEqual(["two"]);
    await settle(second, false);
    expect(await candidates()).toEqual([]);
  });

  it("are limited to sixteen candidates; the next one must retry", async () => {
    const verdicts: Verdict[] = [];
    for (let at = 0; at < 17; at += 1) verdicts.push(await admission.decide(change(created(`uid-${at}`)), signal));
    expect(verdicts.filter(({ allowed }) => allowed)).toHaveLength(16);
    expect(verdicts[16]).toMatchObject({ allowed: false, status: { code: 503 } });
    expect((await candidates())[0]?.split(",")).toHaveLength(16);
  });
});
