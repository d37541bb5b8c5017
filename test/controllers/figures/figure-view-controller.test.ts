import { NotLeading } from "@milo-quota/kubernetes/client/lease/leader-elector.ts";
import { namespacesType } from "@milo-quota/kubernetes/client/resources/namespaces.ts";
import { failure, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { FigureViewController } from "@milo-quota/quota/controllers/figures/figure-view-controller.ts";
import { RegistrationController } from "@milo-quota/quota/controllers/registration-controller.ts";
import type { BucketKey } from "@milo-quota/quota/controllers/writer/buckets/figures-observer.ts";
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
const ledgerBucketName = bucketName(consumer, "cpu");

const buckets = [{ amount: 100 }, { amount: 50, dimensionSelector: { matchLabels: { zone: "DLS" } } }];
const cpuGrant = grant("cpu", {
  consumerRef: { ...organization, name: consumer.name },
  allowances: [{ resourceType: "cpu", buckets }],
});

let world: QuotaWorld;
let ledger: TypeLedger;

beforeEach(async () => {
  world = await QuotaWorld.start(["root", "project-a"]);
  ledger = new TypeLedger("cpu");
  const parsed = parseResourceGrant({ ...cpuGrant, metadata: { name: "cpu", namespace: "default", generation: 1 } });
  if (parsed.ok) ledger.setCapacity(capacityOf([parsed.value], "cpu"));
});
afterEach(() => world.stop());

const start = (leadership: Leadership = { fence: () => undefined }) =>
  world.run(new FigureViewController(world.runtime, world.views, leadership));
const use = (uid: string, zone: string, amount: number): void =>
  ledger.hold(uid, [{ slot: ledger.slot(zone === "" ? "" : `zone=${zone}`), amount: amountOf(amount) }]);
const end = (zone: string, amount: number): void =>
  ledger.release([{ slot: ledger.slot(`zone=${zone}`), amount: amountOf(amount) }]);
const total = (): Promise<Json | undefined> => world.find(effectiveGrantsType, totalName, place);
const bucket = (zone: string): Promise<Json | undefined> => world.find(bucketsType, bucketOf(zone), place);
const statusOf = (object: Json | undefined): Json => (object?.["status"] ?? {}) as Json;

/** Waits until all views are written. */
async function waitForViews(views: FigureViewController): Promise<void> {
  views.onFiguresChanged(key, () => ledger);
  await world.eventually(async () => {
    expect(statusOf(await total())).toMatchObject({ totalLimit: 150 });
    expect(statusOf(await bucket("DLS"))).toMatchObject({ limit: 150 });
  });
}

const createLedgerBucket = () =>
  world.create(bucketsType, bucketManifest({ ...place, name: ledgerBucketName }, key, []) as unknown as Json);

describe("figures", () => {
  it("are written as a total and for each granted or used set of dimensions", async () => {
    world.run(new RegistrationController(world.runtime, world.views));
    await world.create(registrationsType, registration("cpu", { dimensions: ["zone"] }));
    await world.create(grantsType, cpuGrant);
    await world.eventually(() => expect([...world.views.grants.entries()].length).toBe(1));
    const views = start();
    use("one", "DLS", 60);
    use("two", "DFW", 30);
    use("three", "", 5);
    views.onFiguresChanged(key, () => ledger);
    await world.eventually(async () => {
      expect(statusOf(await total())).toEqual({
        observedGeneration: 1,
        totalLimit: 150,
        totalAllocated: 95,
        totalReserved: 0,
        available: 55,
        overage: 0,
        allowanceBucketRefs: [
          { name: ledgerBucketName, allocated: 5, observedGeneration: 1 },
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
    expect(await world.find(bucketsType, ledgerBucketName, place)).toBeUndefined();
    expect(world.reported).toEqual([]);
  });

  it("are written at most once a second, and only after changes", async () => {
    const views = start();
    await waitForViews(views);
    world.writes.length = 0;
    for (let at = 0; at < 100; at += 1) {
      use(`claim-${at}`, "", 1);
      views.onFiguresChanged(key, () => ledger);
      await world.pass(100);
    }
    await world.eventually(async () => expect(statusOf(await total())).toMatchObject({ totalAllocated: 100 }));
    const writes = world.writes.filter((write) => write.includes(totalName)).length;
    expect(writes).toBeGreaterThan(5);
    expect(writes).toBeLessThanOrEqual(12);
    const { lastReconciliation } = statusOf(await bucket("DLS"));
    world.writes.length = 0;
    views.onFiguresChanged(key, () => ledger);
    await world.pass(700_000);
    expect(world.writes).toEqual([]);
    expect(statusOf(await bucket("DLS"))["lastReconciliation"]).toBe(lastReconciliation);
  });

  it("show usage over the limit", async () => {
    const views = start();
    use("one", "DLS", 170);
    views.onFiguresChanged(key, () => ledger);
    await world.eventually(async () => {
      expect(statusOf(await total())).toMatchObject({ available: 0, overage: 20 });
      expect(statusOf(await bucket("DLS"))).toMatchObject({
        overage: 20,
        conditions: [{ type: "OverLimit", status: "True", reason: "LimitLowered" }],
      });
    });
  });

  it("are deleted for unused dimensions, and completely without grants and claims", async () => {
    const views = start();
    await makeSystemNamespace();
    await createLedgerBucket();
    use("one", "DFW", 10);
    await waitForViews(views);
    expect(await bucket("DFW")).toBeDefined();
    end("DFW", 10);
    views.onFiguresChanged(key, () => ledger);
    await world.eventually(async () => {
      expect(await bucket("DFW")).toBeUndefined();
      expect(statusOf(await total())["allowanceBucketRefs"]).toHaveLength(2);
    });
    views.onFiguresChanged(key, () => undefined);
    await world.eventually(async () => {
      expect(await total()).toBeUndefined();
      expect(await bucket("DLS")).toBeUndefined();
    });
    expect(await world.find(bucketsType, ledgerBucketName, place)).toBeDefined();
    views.onFiguresChanged(key, () => ledger);
    await world.eventually(async () => expect(await total()).toBeDefined());
  });

  it("of unknown consumers are deleted in a sweep, which keeps ledger buckets and foreign objects", async () => {
    const before = start();
    await waitForViews(before);
    await before.stop();
    await createLedgerBucket();
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
    expect(await world.find(bucketsType, ledgerBucketName, place)).toBeDefined();
    expect(await world.find(bucketsType, "mine", place)).toBeDefined();
  });

  it("are not rewritten by the next leader if they are right, which deletes views of dimensions that are no longer used", async () => {
    const before = start();
    use("one", "DFW", 10);
    await waitForViews(before);
    await before.stop();
    const still = start();
    world.writes.length = 0;
    still.onFiguresChanged(key, () => ledger);
    await world.pass(10_000);
    expect(world.writes).toEqual([]);
    await still.stop();
    end("DFW", 10);
    const next = start();
    next.onFiguresChanged(key, () => ledger);
    await world.eventually(async () => expect(await bucket("DFW")).toBeUndefined());
  });

  it("are corrected after foreign changes", async () => {
    const views = start();
    await waitForViews(views);
    const totals = world.resource(effectiveGrantsType);
    const body = { status: { totalLimit: 7 } };
    const status = { subresource: "status" } as const;
    await totals.patch({ ...place, name: totalName }, { type: "merge", body }, status, signal);
    use("one", "", 1);
    views.onFiguresChanged(key, () => ledger);
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
    views.onFiguresChanged(key, () => undefined);
    await world.eventually(async () => expect(await total()).toBeUndefined());
    expect(world.reported).toEqual([]);
  });

  it("are right after lost responses", async () => {
    let lost = 0;
    const views = start();
    await world.pass(1_000);
    world.intercept = async ({ method, path, body }) => {
      if (method === "GET" || lost >= 6) return;
      lost += 1;
      // Applies the write, but loses the response.
      world.intercept = () => undefined;
      const { transport } = world.runtime.planes.client("root");
      await transport.request({ method, path, query: new URLSearchParams(), ...(body && { body }) }, signal);
      world.intercept = intercept;
      throw new Error("no answer");
    };
    const { intercept } = world;
    await waitForViews(views);
    expect(lost).toBe(6);
  });

  it("are written although another one cannot be", async () => {
    world.intercept = ({ method, path }) => {
      if (method !== "GET" && path.includes(totalName)) throw new StatusError(failure("InternalError", "broken"));
    };
    const views = start();
    const other: BucketKey = { ...key, plane: "project-a" };
    views.onFiguresChanged(key, () => ledger);
    views.onFiguresChanged(other, () => ledger);
    await world.eventually(async () => {
      expect(statusOf(await bucket("DLS"))).toMatchObject({ limit: 150 });
      const elsewhere = { ...place, plane: "project-a" };
      expect(statusOf(await world.find(bucketsType, bucketOf("DLS"), elsewhere))).toMatchObject({ limit: 150 });
    });
    expect(world.reported.some((report) => report.endsWith("cpu: broken"))).toBe(true);
    world.intercept = () => undefined;
    await world.eventually(async () => expect(statusOf(await total())).toMatchObject({ totalLimit: 150 }));
  });

  it("wait silently for the namespace of their consumer", async () => {
    const namespaced: BucketKey = {
      ...key,
      consumer: { apiGroup: "", kind: "Namespace", namespace: "", name: "later" },
    };
    const views = start();
    views.onFiguresChanged(namespaced, () => ledger);
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

  it("are not written by a former leader", async () => {
    let isLeading = false;
    const fence = (): void => {
      if (!isLeading) throw new NotLeading();
    };
    const views = start({ fence });
    views.onFiguresChanged(key, () => ledger);
    await world.pass(10_000);
    expect(world.writes).toEqual([]);
    isLeading = true;
    await waitForViews(views);
  });

  it("are written even if they cannot be listed", async () => {
    world.intercept = ({ method, query }) => {
      if (method === "GET" && query.has("limit")) throw new Error("too much");
    };
    await waitForViews(start());
    expect(world.reported).toContain("figures, listing all of them: too much");
  });
});

async function makeSystemNamespace(): Promise<void> {
  await world.create(namespacesType, { apiVersion: "v1", kind: "Namespace", metadata: { name: "milo-system" } });
}
