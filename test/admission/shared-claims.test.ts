import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { Admission, type AdmissionOptions } from "@milo-quota/quota/admission/admission.ts";
import type { ObjectChange, Verdict } from "@milo-quota/quota/admission/object-change.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AdmissionWorld } from "./admission-world.ts";
import { configMapsType } from "./object-types.ts";
import { claimsIn, configMap, configMapKind, enforce, policy, provide } from "./quota-objects.ts";
import { eventually, type Json, signal } from "./served-world.ts";

let world: AdmissionWorld;
/** As it would be in another process: it knows only what is stored. */
let admission: Admission;

beforeEach(async () => {
  world = await AdmissionWorld.start();
  await provide(world, "core/configmaps", configMapKind, 1);
  const constraints = [{ expression: 'trigger.metadata.labels["counted"] == "yes"' }];
  await enforce(world, policy("maps", configMapKind, "core/configmaps", { constraints }));
  admission = await started({ waitMsMax: 60_000 });
});

async function started(over: Partial<AdmissionOptions>): Promise<Admission> {
  const { planes, clock, random, report } = world.runtime;
  const made = new Admission({ planes, clock, random, report, ...over });
  made.start();
  await made.ready;
  return made;
}

afterEach(async () => {
  await admission.stop();
  await world.stop();
  expect(world.faults).toEqual([]);
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
  if (verdict.allowed) verdict.settled?.(stored ? { stored, object: storedObject } : { stored });
  await admission.finish();
};

describe("the same change of an object, twice at once", () => {
  let old: JsonObject;
  let uid: string;
  const both = () => Promise.all([1, 2].map(() => admission.decide(change(counted(old), old), signal)));

  beforeEach(async () => {
    old = await world.create(configMapsType, configMap("a"));
    uid = String((old["metadata"] as Json)["uid"]);
  });

  it("is let in by one claim, which lists the object for each", async () => {
    const [one, two] = await both();
    expect([one?.allowed, two?.allowed]).toEqual([true, true]);
    expect(await candidates()).toEqual([`${uid},${uid}`]);
  });

  it("leaves the claim to the one that is stored", async () => {
    const [one, two] = (await both()) as [Verdict, Verdict];
    await settle(one, true);
    await settle(two, false);
    expect(await candidates()).toEqual([uid]);
  });

  it("leaves nothing when none is stored", async () => {
    for (const verdict of await both()) await settle(verdict, false);
    expect(await candidates()).toEqual([]);
  });

  it("takes nothing from a claim that was made anew after its own was gone", async () => {
    const one = await admission.decide(change(counted(old), old), signal);
    const [claim] = (await claimsIn(world)) as unknown as { metadata: { namespace: string; name: string } }[];
    const path = `/apis/quota.miloapis.com/v1alpha1/namespaces/default/resourceclaims/${claim?.metadata.name}`;
    await eventually(async () => {
      const body = { metadata: { finalizers: null } };
      await world.ask({ method: "PATCH", path, type: "application/merge-patch+json", body });
      await world.ask({ method: "DELETE", path });
      expect(await candidates()).toEqual([]);
    });
    const two = await admission.decide(change(counted(old), old), signal);
    expect(two.allowed).toBe(true);
    await settle(one, false);
    expect(await candidates()).toEqual([uid]);
  });
});

it("who would have to wait for claims where none can be watched is told why", async () => {
  const planes = { ...world.planes, planeOf: () => "elsewhere" };
  const lost = await started({ planes, waitMsMax: 300, report: () => undefined });
  const object = configMap("a", {}, { uid: "one", labels: { counted: "yes" } }) as JsonObject;
  const verdict = await lost.decide(change(object), signal);
  expect(verdict).toMatchObject({
    allowed: false,
    status: { code: 503, message: expect.stringContaining("cannot be made: claims cannot be watched: ") },
  });
  await lost.stop();
});

describe("creates of one name", () => {
  const made = (uid: string): JsonObject => {
    const object = configMap("a", {}, { uid, labels: { counted: "yes" } });
    return object as JsonObject;
  };

  it("share a claim, and the last one to go takes it along", async () => {
    const first = await admission.decide(change(made("one")), signal);
    const second = await admission.decide(change(made("two")), signal);
    expect(await candidates()).toEqual(["one,two"]);
    await settle(first, false);
    expect(await candidates()).toEqual(["two"]);
    await settle(second, false);
    expect(await candidates()).toEqual([]);
  });

  it("are sixteen at most; the next one is told to come back", async () => {
    const verdicts: Verdict[] = [];
    for (let at = 0; at < 17; at += 1) verdicts.push(await admission.decide(change(made(`uid-${at}`)), signal));
    expect(verdicts.filter(({ allowed }) => allowed)).toHaveLength(16);
    expect(verdicts[16]).toMatchObject({ allowed: false, status: { code: 503 } });
    expect((await candidates())[0]?.split(",")).toHaveLength(16);
  });
});
