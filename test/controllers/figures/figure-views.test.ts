import { NotLeading } from "@milo-quota/kubernetes/client/lease/leader-election.ts";
import { namespacesType } from "@milo-quota/kubernetes/client/resources/namespaces.ts";
import { failure, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { FigureViews } from "@milo-quota/quota/controllers/figures/figure-views.ts";
import { RegistrationController } from "@milo-quota/quota/controllers/registration-controller.ts";
import type { BucketKey } from "@milo-quota/quota/controllers/writer/pages/bucket-views.ts";
import type { Leadership } from "@milo-quota/quota/controllers/writer/writer-deps.ts";
import { capacityOf } from "@milo-quota/quota/core/ledger/pools.ts";
import { TypeLedger } from "@milo-quota/quota/core/ledger/type-ledger.ts";
import { bucketManifest } from "@milo-quota/quota/core/resources/bucket-manifest.ts";
import { amountOf } from "@milo-quota/quota/core/resources/fields/amount.ts";
import { bucketName, effectiveGrantName } from "@milo-quota/quota/core/resources/object-names.ts";
import { parseResourceGrant } from "@milo-quota/quota/core/resources/resource-grant.ts";
import {
  bucketsType,
  effectiveGrantsType,
  grantsType,
  registrationsType,
} from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { grant, organization, QuotaWorld, registration } from "../grants/quota-world.ts";

type Json = Record<string, unknown>;

const consumer = { ...organization, namespace: "", name: "Acme & Sons" };
const key: BucketKey = { plane: "root", consumer, resourceType: "cpu" };
const place = { namespace: "milo-system" };
const { signal } = new AbortController();
const totalName = effectiveGrantName(consumer, "cpu");
const bucketOf = (zone: string): string => bucketName(consumer, "cpu", { zone });
const pageName = bucketName(consumer, "cpu");

const buckets = [{ amount: 100 }, { amount: 50, dimensionSelector: { matchLabels: { zone: "DLS" } } }];
const cpuGrant = grant("cpu", {
  consumerRef: { ...organization, name: consumer.name },
  allowances: [{ resourceType: "cpu", buckets }],
});

let world: QuotaWorld;
let book: TypeLedger;

beforeEach(async () => {
  world = await QuotaWorld.start(["root", "project-a"]);
  book = new TypeLedger("cpu");
  const parsed = parseResourceGrant({ ...cpuGrant, metadata: { name: "cpu", namespace: "default", generation: 1 } });
  if (parsed.ok) book.setCapacity(capacityOf([parsed.value], "cpu"));
});
afterEach(() => world.stop());

const start = (leadership: Leadership = { fence: () => undefined }) =>
  world.run(new FigureViews(world.runtime, world.views, leadership));
const use = (uid: string, zone: string, amount: number): void =>
  book.hold(uid, [{ slot: book.slot(zone === "" ? "" : `zone=${zone}`), amount: amountOf(amount) }]);
const end = (zone: string, amount: number): void =>
  book.release([{ slot: book.slot(`zone=${zone}`), amount: amountOf(amount) }]);
const total = (): Promise<Json | undefined> => world.find(effectiveGrantsType, totalName, place);
const bucket = (zone: string): Promise<Json | undefined> => world.find(bucketsType, bucketOf(zone), place);
const statusOf = (object: Json | undefined): Json => (object?.["status"] ?? {}) as Json;

/** Everything that is shown, as it should be in the end. */
async function isShown(views: FigureViews): Promise<void> {
  views.changed(key, () => book);
  await world.eventually(async () => {
    expect(statusOf(await total())).toMatchObject({ totalLimit: 150 });
    expect(statusOf(await bucket("DLS"))).toMatchObject({ limit: 150 });
  });
}

const makePage = () =>
  world.create(bucketsType, bucketManifest({ ...place, name: pageName }, key, []) as unknown as Json);

describe("figures", () => {
  it("are shown as a total, and for each set of dimensions that is granted or in use", async () => {
    world.run(new RegistrationController(world.runtime, world.views));
    await world.create(registrationsType, registration("cpu", { dimensions: ["zone"] }));
    await world.create(grantsType, cpuGrant);
    await world.eventually(() => expect([...world.views.grants.entries()].length).toBe(1));
    const views = start();
    use("one", "DLS", 60);
    use("two", "DFW", 30);
    use("three", "", 5);
    views.changed(key, () => book);
    await world.eventually(async () => {
      expect(statusOf(await total())).toEqual({
        observedGeneration: 1,
        totalLimit: 150,
        totalAllocated: 95,
        totalReserved: 0,
        available: 55,
        overage: 0,
        allowanceBucketRefs: [
          { name: pageName, allocated: 95, observedGeneration: 1 },
          { name: bucketOf("DLS"), allocated: 60, observedGeneration: 1 },
          { name: bucketOf("DFW"), allocated: 30, observedGeneration: 1 },
        ],
      });
      expect(statusOf(await bucket("DFW"))).toMatchObject({ limit: 100 });
      expect(statusOf(await bucket("DLS"))).toMatchObject({
        ...{ limit: 150, allocated: 60, reserved: 0, available: 55, overage: 0, usedPercent: 40 },
        ...{ claimCount: 1, grantCount: 1 },
        contributingGrantRefs: [{ name: "cpu", namespace: "default", amount: 150, lastObservedGeneration: 1 }],
        conditions: [{ type: "OverLimit", status: "False", reason: "WithinLimit" }],
      });
    });
    const shown = await bucket("DFW");
    expect(statusOf(shown)).not.toHaveProperty("writer");
    expect(statusOf(shown)).toMatchObject({ contributingGrantRefs: [{ amount: 100 }] });
    expect(shown).toMatchObject({
      metadata: { labels: { "quota.miloapis.com/consumer-kind": "Organization" } },
      spec: { consumerRef: { ...organization, name: consumer.name }, resourceType: "cpu", dimensions: { zone: "DFW" } },
    });
    expect(await world.find(bucketsType, pageName, place)).toBeUndefined();
    expect(world.reported).toEqual([]);
  });

  it("are written once a second at most, and not at all when nothing has changed", async () => {
    const views = start();
    await isShown(views);
    world.writes.length = 0;
    for (let at = 0; at < 100; at += 1) {
      use(`claim-${at}`, "", 1);
      views.changed(key, () => book);
      await world.pass(100);
    }
    await world.eventually(async () => expect(statusOf(await total())).toMatchObject({ totalAllocated: 100 }));
    const writes = world.writes.filter((write) => write.includes(totalName)).length;
    expect(writes).toBeGreaterThan(5);
    expect(writes).toBeLessThanOrEqual(12);
    const { lastReconciliation } = statusOf(await bucket("DLS"));
    world.writes.length = 0;
    views.changed(key, () => book);
    await world.pass(700_000);
    expect(world.writes).toEqual([]);
    expect(statusOf(await bucket("DLS"))["lastReconciliation"]).toBe(lastReconciliation);
  });

  it("show that more is in use than there is", async () => {
    const views = start();
    use("one", "DLS", 170);
    views.changed(key, () => book);
    await world.eventually(async () => {
      expect(statusOf(await total())).toMatchObject({ available: 0, overage: 20 });
      expect(statusOf(await bucket("DLS"))).toMatchObject({
        overage: 20,
        conditions: [{ type: "OverLimit", status: "True", reason: "LimitLowered" }],
      });
    });
  });

  it("go for dimensions that are not in use any more, and altogether when nobody has or uses anything", async () => {
    const views = start();
    await makeSystemNamespace();
    await makePage();
    use("one", "DFW", 10);
    await isShown(views);
    expect(await bucket("DFW")).toBeDefined();
    end("DFW", 10);
    views.changed(key, () => book);
    await world.eventually(async () => {
      expect(await bucket("DFW")).toBeUndefined();
      expect(statusOf(await total())["allowanceBucketRefs"]).toHaveLength(2);
    });
    views.changed(key, () => undefined);
    await world.eventually(async () => {
      expect(await total()).toBeUndefined();
      expect(await bucket("DLS")).toBeUndefined();
    });
    expect(await world.find(bucketsType, pageName, place)).toBeDefined();
    views.changed(key, () => book);
    await world.eventually(async () => expect(await total()).toBeDefined());
  });

  it("of whoever is not known any more go in a sweep; pages and what others made stay", async () => {
    const before = start();
    await isShown(before);
    await before.stop();
    await makePage();
    const strange = bucketManifest({ ...place, name: "mine" }, { ...key, dimensions: { zone: "DLS" } }, []);
    await world.create(bucketsType, strange as unknown as Json);
    const views = start();
    await world.pass(10_000);
    expect(await total()).toBeDefined();
    views.sweep(() => true);
    await world.pass(10_000);
    expect(await total()).toBeDefined();
    views.sweep(() => false);
    await world.eventually(async () => {
      expect(await total()).toBeUndefined();
      expect(await bucket("DLS")).toBeUndefined();
    });
    expect(await world.find(bucketsType, pageName, place)).toBeDefined();
    expect(await world.find(bucketsType, "mine", place)).toBeDefined();
  });

  it("are not written again by whoever comes next, as long as they are right; dimensions that went meanwhile go", async () => {
    const before = start();
    use("one", "DFW", 10);
    await isShown(before);
    await before.stop();
    const still = start();
    world.writes.length = 0;
    still.changed(key, () => book);
    await world.pass(10_000);
    expect(world.writes).toEqual([]);
    await still.stop();
    end("DFW", 10);
    const next = start();
    next.changed(key, () => book);
    await world.eventually(async () => expect(await bucket("DFW")).toBeUndefined());
  });

  it("are put right when somebody meddles", async () => {
    const views = start();
    await isShown(views);
    const totals = world.resource(effectiveGrantsType);
    const body = { status: { totalLimit: 7 } };
    const status = { subresource: "status" } as const;
    await totals.patch({ ...place, name: totalName }, { type: "merge", body }, status, signal);
    use("one", "", 1);
    views.changed(key, () => book);
    await world.eventually(async () =>
      expect(statusOf(await total())).toMatchObject({ totalLimit: 150, totalAllocated: 1 }),
    );
    await totals.patch({ ...place, name: totalName }, { type: "merge", body }, status, signal);
    await world.delete(bucketsType, bucketOf("DLS"), place.namespace);
    await world.pass(301_000);
    await world.eventually(async () => {
      expect(statusOf(await total())).toMatchObject({ totalLimit: 150 });
      expect(statusOf(await bucket("DLS"))).toMatchObject({ limit: 150 });
    });
    await totals.patch({ ...place, name: totalName }, { type: "merge", body }, status, signal);
    views.changed(key, () => undefined);
    await world.eventually(async () => expect(await total()).toBeUndefined());
    expect(world.reported).toEqual([]);
  });

  it("are right after answers that got lost", async () => {
    let lost = 0;
    const views = start();
    await world.pass(1_000);
    world.meddle = async ({ method, path, body }) => {
      if (method === "GET" || lost >= 6) return;
      lost += 1;
      // It happens, and nobody hears of it.
      world.meddle = () => undefined;
      const { transport } = world.runtime.planes.client("root");
      await transport.request({ method, path, query: new URLSearchParams(), ...(body && { body }) }, signal);
      world.meddle = meddle;
      throw new Error("no answer");
    };
    const { meddle } = world;
    await isShown(views);
    expect(lost).toBe(6);
  });

  it("hide no others when one cannot be written", async () => {
    world.meddle = ({ method, path }) => {
      if (method !== "GET" && path.includes(totalName)) throw new StatusError(failure("InternalError", "broken"));
    };
    const views = start();
    const other: BucketKey = { ...key, plane: "project-a" };
    views.changed(key, () => book);
    views.changed(other, () => book);
    await world.eventually(async () => {
      expect(statusOf(await bucket("DLS"))).toMatchObject({ limit: 150 });
      const elsewhere = { ...place, plane: "project-a" };
      expect(statusOf(await world.find(bucketsType, bucketOf("DLS"), elsewhere))).toMatchObject({ limit: 150 });
    });
    expect(world.reported.some((report) => report.endsWith("cpu: broken"))).toBe(true);
    world.meddle = () => undefined;
    await world.eventually(async () => expect(statusOf(await total())).toMatchObject({ totalLimit: 150 }));
  });

  it("wait for the namespace of their consumer, quietly", async () => {
    const namespaced: BucketKey = {
      ...key,
      consumer: { apiGroup: "", kind: "Namespace", namespace: "", name: "later" },
    };
    const views = start();
    views.changed(namespaced, () => book);
    await world.pass(60_000);
    expect(world.reported).toEqual([]);
    await world.create(namespacesType, { apiVersion: "v1", kind: "Namespace", metadata: { name: "later" } });
    const name = effectiveGrantName(namespaced.consumer, "cpu");
    await world.eventually(async () =>
      expect(statusOf(await world.find(effectiveGrantsType, name, { namespace: "later" }))).toMatchObject({
        totalLimit: 150,
      }),
    );
  });

  it("are not written by a process that does not lead any more", async () => {
    let isLeading = false;
    const fence = (): void => {
      if (!isLeading) throw new NotLeading();
    };
    const views = start({ fence });
    views.changed(key, () => book);
    await world.pass(10_000);
    expect(world.writes).toEqual([]);
    isLeading = true;
    await isShown(views);
  });

  it("are shown even if they cannot be listed", async () => {
    world.meddle = ({ method, query }) => {
      if (method === "GET" && query.has("limit")) throw new Error("too much");
    };
    await isShown(start());
    expect(world.reported).toContain("figures, looking at all of them: too much");
  });
});

async function makeSystemNamespace(): Promise<void> {
  await world.create(namespacesType, { apiVersion: "v1", kind: "Namespace", metadata: { name: "milo-system" } });
}
