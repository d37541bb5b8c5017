import { MemoryLog } from "@milo-quota/apiserver/storage/log/memory-log.ts";
import type { LogRecord } from "@milo-quota/apiserver/storage/log/record-log.ts";
import { bucketsType, grantsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, describe, expect, it } from "vitest";
import { AdmissionWorld } from "./admission-world.ts";
import { configMapsType, namespacesType } from "./object-types.ts";
import { configMap, configMapKind, createPolicy, grant, policy, registerAndGrant } from "./quota-objects.ts";
import { eventually, type Json, signal } from "./test-world.ts";

class CountingLog extends MemoryLog {
  bucketWrites = 0;

  override async append(records: readonly LogRecord[]): Promise<void> {
    for (const { key } of records) if (key.resource.startsWith("allowancebuckets")) this.bucketWrites += 1;
    await super.append(records);
  }
}

type Bucket = { readonly metadata: { readonly namespace: string; readonly name: string }; readonly status: Json };

const maps = "core/configmaps";
const namespace = "team";

let world: AdmissionWorld;
let log: CountingLog;

afterEach(() => world.stop());

const findBucket = async (): Promise<Bucket | undefined> =>
  (await world.resource(bucketsType).list({ namespace }, signal)).items[0] as unknown as Bucket | undefined;
const create = async (name: string): Promise<number> =>
  (await world.tryCreate(configMapsType, configMap(name, {}, { namespace }))).code;

/** A bucket with many claims. */
async function bucketInUse(): Promise<Bucket> {
  log = new CountingLog("turn");
  world = await AdmissionWorld.start({ log });
  await registerAndGrant(world, maps, configMapKind, 10);
  await createPolicy(world, policy("maps", configMapKind, maps));
  await world.create(namespacesType, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const namespaceGrant = grant("team", maps, 1_000, { consumerRef: { kind: "Namespace", name: namespace } });
  await world.create(grantsType, { ...namespaceGrant, metadata: { name: "team", namespace } });
  await eventually(async () => expect((await findBucket())?.status).toMatchObject({ limit: 1_000 }));
  for (let at = 0; at < 20; at += 1) expect(await create(`map-${at}`)).toBe(201);
  const used = (await findBucket()) as Bucket;
  expect(used.status["allocated"]).toBe(20);
  log.bucketWrites = 0;
  return used;
}

describe("a bucket in use that is deleted", () => {
  it("is kept or recreated and keeps counting", async () => {
    const { metadata } = await bucketInUse();
    await world.resource(bucketsType).delete(metadata, {}, signal);
    await eventually(async () => {
      expect(await create("one-more")).not.toBe(503);
      expect((await findBucket())?.status).toMatchObject({ allocated: 21, reserved: 0 });
    });
    expect(log.bucketWrites).toBeLessThan(20);
    expect(world.reported).toEqual([]);
  });

  it("is deleted with its namespace", async () => {
    await bucketInUse();
    await world.resource(namespacesType).delete({ name: namespace }, {}, signal);
    await eventually(async () =>
      expect(await world.resource(namespacesType).find({ name: namespace }, signal)).toBeUndefined(),
    );
    expect(log.bucketWrites).toBeLessThan(40);
  });
});
