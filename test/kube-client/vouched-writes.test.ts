import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import type { AdmissionPlugin } from "../../src/apiserver/registry/admission.ts";
import { MemoryLog } from "../../src/apiserver/storage/memory-log.ts";
import { systemClock } from "../../src/apiserver/system-clock.ts";
import { quotaKinds } from "../../src/core/resources/kinds.ts";
import { resourceClaimDefinition } from "../../src/core/resources/resource-claim.ts";
import { StatusError } from "../../src/protocol/api-status.ts";
import type { JsonObject } from "../../src/protocol/json-value.ts";
import type { Birth, LogPlace } from "../../src/protocol/log-place.ts";
import { mergePatch } from "../../src/protocol/merge-patch.ts";
import type { KubernetesObject } from "../../src/protocol/object-meta.ts";
import { installKinds } from "../../src/up/install-kinds.ts";
import { configMap, configMaps, parseAny } from "./kinds.ts";
import { inProcess, type Twin } from "./twin-servers.ts";

const { signal } = new AbortController();
const namespace = "default";

type Json = Readonly<Record<string, unknown>>;

interface Step {
  /** Of the claim; the first step makes it, the others give it a status. */
  readonly name: string;
  readonly claim: Json;
  readonly metadata: Json;
  readonly status: Json;
  /** Who makes it, if nobody answers for it. */
  readonly maker: string;
  readonly isPatch: boolean;
  /** Whether it has its status from the beginning, if it is made by this. */
  readonly isBorn: boolean;
  readonly passMs: number;
}

const some = <Value>(...values: readonly Value[]): fc.Arbitrary<Value> => fc.constantFrom(...values);
const ownerNames = ["one", "two"];
const owner = (name: string): Json => ({ apiVersion: "v1", kind: "ConfigMap", name });
/** Few forms, and values of all sorts: most forms are seen again. */
const request = (resourceType: string): fc.Arbitrary<Json> =>
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ resourceType: some(resourceType), amount: fc.nat(9), dimensionKey: some("") }),
    },
    fc.record({ resourceType: some(resourceType), amount: fc.nat(9) }),
    fc.record({ resourceType: some(resourceType), amount: fc.nat(9), dimensions: some({ x: "1" }, { x: "2" }) }),
  );
const requests = fc.oneof(fc.tuple(request("a/b")), fc.tuple(request("a/b"), request("a/c")));
const consumerRef = fc.record({ kind: some("Namespace", "Project"), name: some("n", "m") });
const claimSpec = fc.oneof(
  { weight: 4, arbitrary: fc.record({ consumerRef, requests }) },
  fc.record({ consumerRef, requests, resourceRef: some({ kind: "Pod", name: "p", namespace: "n" }) }),
  fc.record({ consumerRef, requests, unknown: some(1) }),
);
const metadata = some<Json>(
  {},
  { labels: { l: "1" }, annotations: { a: "1" } },
  { labels: { l: "2" }, annotations: { a: "" } },
  { ownerReferences: [owner("one")] },
  { ownerReferences: [owner("two")] },
  { ownerReferences: [] },
  { ownerReferences: [owner("one"), owner("two")] },
  { finalizers: ["f.io/f"], labels: {} },
);
const time = some("1970-01-01T00:00:00Z", "2026-01-01T00:00:00Z");
const conditionOf = (type: string): fc.Arbitrary<Json> =>
  fc.record({
    type: some(type),
    status: some("True", "False"),
    reason: some("QuotaAvailable"),
    message: some("", "yes"),
    lastTransitionTime: time,
  });
const conditions = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(conditionOf("Granted")) },
  fc.tuple(conditionOf("Other"), conditionOf("Granted")),
  some([]),
);
const allocations = fc.tuple(
  fc.record({ resourceType: some("a/b"), status: some("Granted"), lastTransitionTime: time, dimensionKey: some("") }),
);
const status: fc.Arbitrary<Json> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ observedGeneration: some(1), amounts: some("1", "2"), conditions, allocations }),
  },
  { weight: 3, arbitrary: fc.record({ conditions, amounts: some("1", "2", "3") }) },
  fc.record({ conditions, amounts: some(null), unknown: some(1) }),
  some({}),
);
const step: fc.Arbitrary<Step> = fc.record({
  name: some("one", "two"),
  claim: claimSpec,
  metadata,
  status,
  maker: some("", "", "aaa", "zzz"),
  isPatch: fc.boolean(),
  isBorn: fc.boolean(),
  passMs: some(400, 1_000),
});

let twins: Twin[] = [];
afterEach(async () => {
  for (const twin of twins) await twin.stop();
  twins = [];
});

async function serverWith(options: Parameters<typeof inProcess>[0]): Promise<Twin> {
  const twin = await inProcess({ log: new MemoryLog("turn"), ...options });
  twins.push(twin);
  await installKinds(twin.client, quotaKinds, systemClock, signal);
  for (const name of ownerNames) await mapsOn(twin).create(configMap(namespace, name), {}, signal);
  return twin;
}

const mapsOn = ({ client }: Twin) => client.resource(configMaps, parseAny);

/** With the owners that are there: a claim without its owner would be collected. */
async function owned(twin: Twin, meta: Json): Promise<Json> {
  const references = meta["ownerReferences"] as readonly { readonly name: string }[] | undefined;
  if (references === undefined) return meta;
  const uidOf = async (name: string): Promise<unknown> =>
    (await mapsOn(twin).get({ name, namespace }, signal)).metadata.uid;
  const found = references.map(async (each) => ({ ...each, uid: await uidOf(each.name) }));
  return { ...meta, ownerReferences: await Promise.all(found) };
}

const claimsOn = ({ client }: Twin) => client.resource(resourceClaimDefinition, parseAny);

function manifest(name: string, spec: Json, meta: Json = {}): KubernetesObject {
  const { group, version, kind } = resourceClaimDefinition;
  return { apiVersion: `${group}/${version}`, kind, metadata: { name, namespace, ...meta }, spec } as KubernetesObject;
}

const plain = {
  consumerRef: { kind: "Namespace", name: "n" },
  requests: [{ resourceType: "a/b", amount: 1, dimensionKey: "" }],
};

/** In the same form, and refused by its rules. */
const wrong = { ...plain, consumerRef: { kind: "not a kind", name: "n" } };

type Claim = JsonObject & Pick<KubernetesObject, "metadata">;

/** Makes a claim that has its status from the beginning; in two steps, where nobody's word is taken. */
async function born(twin: Twin, object: KubernetesObject, status: Json, vouched: boolean): Promise<unknown> {
  const claims = claimsOn(twin);
  const ref = { name: object.metadata.name ?? "", namespace };
  if (vouched) {
    const bornWith = async ({ metadata: meta, status: old = null }: Claim): Promise<Birth> => {
      const places = [await placeOf(twin, `page-${meta.uid}`)];
      return { status: mergePatch(old, status as JsonObject) as JsonObject, rests: { how: "together", places } };
    };
    return claims.create(object, { vouched, bornWith }, signal);
  }
  await claims.create(object, {}, signal);
  try {
    return await claims.patch(ref, { type: "merge", body: { status } }, { subresource: "status" }, signal);
  } catch (error) {
    await claims.delete(ref, {}, signal);
    throw error;
  }
}

/** The place of something that is on its way. */
function placeOf(twin: Twin, name: string): Promise<LogPlace> {
  return new Promise((resolve, reject) => {
    const ordered = (_: unknown, place: LogPlace): void => resolve(place);
    mapsOn(twin).create(configMap(namespace, name), { ordered }, signal).catch(reject);
  });
}

/** What a server says to a step: the claim as it is then, or why not. */
async function said(
  twin: Twin,
  { name, claim, metadata: meta, status: next, maker, isPatch, isBorn, passMs }: Step,
  vouched: boolean,
): Promise<unknown> {
  const claims = claimsOn(twin);
  twin.clock.advance(passMs);
  try {
    const found = await claims.find({ name, namespace }, signal);
    const object = manifest(name, claim, await owned(twin, meta));
    if (found === undefined && isBorn) return await born(twin, object, next, vouched);
    const made = maker === "" ? { vouched } : { fieldManager: maker };
    if (found === undefined) return await claims.create(object, made, signal);
    const { uid = "", resourceVersion = "" } = (found as unknown as KubernetesObject).metadata;
    const met = { metadata: { name, namespace, uid, resourceVersion }, status: next };
    if (!isPatch) return await claims.updateStatus({ ...manifest(name, {}), ...met }, { vouched }, signal);
    const options = { vouched, subresource: "status" } as const;
    return await claims.patch({ name, namespace }, { type: "merge", body: met }, options, signal);
  } catch (error) {
    if (error instanceof StatusError) return error.status;
    throw error;
  }
}

/** Servers count other writes and objects than these as well. */
function timeless(object: unknown): unknown {
  const { metadata: meta } = object as { readonly metadata: Json };
  return { ...(object as Json), metadata: { ...meta, resourceVersion: "", uid: "" } };
}

/** The code that a create is refused with; 201 if it is not. */
async function codeOf(twin: Twin, object: KubernetesObject): Promise<number> {
  try {
    await claimsOn(twin).create(object, { vouched: true }, signal);
    return 201;
  } catch (error) {
    if (error instanceof StatusError) return error.status.code;
    throw error;
  }
}

describe("what a part of the program answers for", () => {
  it("comes to the same as if nobody did, as long as it is right", async () => {
    const [believing, careful] = [await serverWith({ vouched: "believed" }), await serverWith({})];
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
        round += 1;
        for (const { name, ...rest } of steps) {
          const each = { ...rest, name: `${name}-${round}` };
          const expected = await said(careful, each, false);
          const isRight = (expected as Json)["kind"] !== "Status"; // nobody answers for what is wrong
          if (isRight) expect(timeless(await said(believing, each, true))).toEqual(timeless(expected));
          else believing.clock.advance(each.passMs);
        }
      }),
      { numRuns: 100 },
    );
  }, 60_000);

  it("is believed from the second of its form on, except for metadata, which anybody may have given", async () => {
    const twin = await serverWith({ vouched: "believed" });
    const meta = { labels: { "only-here": "yes" } };
    expect(await codeOf(twin, manifest("a", wrong, meta))).toBe(422);
    expect(await codeOf(twin, manifest("b", plain, meta))).toBe(201);
    expect(await codeOf(twin, manifest("c", wrong, meta))).toBe(201);
    expect(await codeOf(twin, manifest("Not A Name", plain, meta))).toBe(422);
    expect(await codeOf(twin, manifest("d", plain, { labels: { "only-here": "not a value" } }))).toBe(422);
  });

  it("is looked at all the same where it is to be proved", async () => {
    const twin = await serverWith({ vouched: "proved" });
    expect(await codeOf(twin, manifest("a", plain))).toBe(201);
    expect(await codeOf(twin, manifest("b", wrong))).toBe(422);
  });

  it("is not what others make of it on its way", async () => {
    const meddler: AdmissionPlugin = {
      name: "meddler",
      mutate: async ({ object }) => {
        const { metadata: meta } = object as { readonly metadata: KubernetesObject["metadata"] };
        const spec = meta.name === "b" ? { ...plain, requests: [] } : object?.["spec"];
        return { ...object, spec } as unknown as NonNullable<typeof object>;
      },
    };
    const twin = await serverWith({ vouched: "believed", plugins: [meddler] });
    expect(await codeOf(twin, manifest("a", plain))).toBe(201);
    expect(await codeOf(twin, manifest("b", plain))).toBe(422);
  });

  it("is nothing that a server elsewhere, or a client of this one, can ask for", async () => {
    const twin = await serverWith({ vouched: "believed" });
    await claimsOn(twin).create(manifest("a", plain), {}, signal);
    await expect(claimsOn(twin).create(manifest("b", wrong), {}, signal)).rejects.toThrow("spec.consumerRef.kind");
  });
});
