import { MemoryLog } from "@milo-quota/apiserver/storage/log/memory-log.ts";
import type { LogRecord } from "@milo-quota/apiserver/storage/log/record-log.ts";
import { bucketsType, grantsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, describe, expect, it } from "vitest";
import { AdmissionWorld } from "./admission-world.ts";
import { configMapsType, namespacesType } from "./object-types.ts";
import { configMap, configMapKind, enforce, grant, policy, provide } from "./quota-objects.ts";
import { eventually, type Json, signal } from "./served-world.ts";

class TestLog extends MemoryLog {
  pages = 0;

  override async append(records: readonly LogRecord[]): Promise<void> {
    for (const { key } of records) if (key.resource.startsWith("allowancebuckets")) this.pages += 1;
    await super.append(records);
  }
}

type Page = { readonly metadata: { readonly namespace: string; readonly name: string }; readonly status: Json };

const maps = "core/configmaps";
const namespace = "team";

let world: AdmissionWorld;
let log: TestLog;

afterEach(() => world.stop());

const page = async (): Promise<Page | undefined> =>
  (await world.resource(bucketsType).list({ namespace }, signal)).items[0] as unknown as Page | undefined;
const create = async (name: string): Promise<number> =>
  (await world.tryCreate(configMapsType, configMap(name, {}, { namespace }))).code;

/** A bucket with many claims. */
async function busyPage(): Promise<Page> {
  log = new TestLog("turn");
  world = await AdmissionWorld.start({ log });
  await provide(world, maps, configMapKind, 10);
  await enforce(world, policy("maps", configMapKind, maps));
  await world.create(namespacesType, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const given = grant("team", maps, 1_000, { consumerRef: { kind: "Namespace", name: namespace } });
  await world.create(grantsType, { ...given, metadata: { name: "team", namespace } });
  await eventually(async () => expect((await page())?.status).toMatchObject({ limit: 1_000 }));
  for (let at = 0; at < 20; at += 1) expect(await create(`map-${at}`)).toBe(201);
  const busy = (await page()) as Page;
  expect(busy.status["allocated"]).toBe(20);
  log.pages = 0;
  return busy;
}

describe("a busy bucket that is deleted", () => {
  it("is given up or made anew, and counts on", async () => {
    const { metadata } = await busyPage();
    await world.resource(bucketsType).delete(metadata, {}, signal);
    await eventually(async () => {
      expect(await create("one-more")).not.toBe(503);
      expect((await page())?.status).toMatchObject({ allocated: 21, reserved: 0 });
    });
    expect(log.pages).toBeLessThan(20);
    expect(world.reported).toEqual([]);
  });

  it("goes with its namespace", async () => {
    await busyPage();
    await world.resource(namespacesType).delete({ name: namespace }, {}, signal);
    await eventually(async () =>
      expect(await world.resource(namespacesType).find({ name: namespace }, signal)).toBeUndefined(),
    );
    expect(log.pages).toBeLessThan(40);
  });
});
