import { SqliteLog } from "@milo-quota/apiserver/storage/log/sqlite-log.ts";
import type { ObjectKey } from "@milo-quota/apiserver/storage/object-key.ts";
import { type ObjectStore, StorageUnavailable } from "@milo-quota/apiserver/storage/object-store.ts";
import { openStore } from "@milo-quota/apiserver/storage/store.ts";
import { FakeClock } from "@milo-quota/kubernetes/protocol/fake-clock.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { afterEach, describe, expect, it } from "vitest";
import { buildWriter, Child } from "./child.ts";
import { DurableWrites, inspect } from "./durable-writes.ts";
import { canMount, TinyDisk } from "./tiny-disk.ts";

const configmaps = { resource: "configmaps" };
const text = "x".repeat(1_500);

function key(name: string): ObjectKey {
  return { plane: "root", resource: "configmaps", namespace: "default", name };
}

async function isFull(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return false;
  } catch (error) {
    if (error instanceof StorageUnavailable && error.isFull) return true;
    throw error;
  }
}

describe.runIf(canMount())("a full disk", () => {
  let disk: TinyDisk;
  let store: ObjectStore;
  let clock: FakeClock;
  let created = 0;

  async function open(): Promise<void> {
    clock = new FakeClock();
    store = await openStore(new SqliteLog({ directory: disk.directory }), clock);
  }

  function create(): Promise<unknown> {
    created += 1;
    return store.put(key(`a-${created}`), 0, { text });
  }

  async function fillDatabase(batch: number): Promise<void> {
    for (;;) {
      const results = await Promise.all(Array.from({ length: batch }, () => isFull(create())));
      if (results.includes(true)) return;
    }
  }

  /** Deletes until the space for it is used up. */
  async function removeObjects(max: number): Promise<number> {
    let removed = 0;
    for (const { key: each, revision, object } of [...store.list(configmaps)].slice(0, max)) {
      if (await isFull(store.remove(each, revision, object as unknown as JsonObject))) break;
      removed += 1;
    }
    return removed;
  }

  /** The history of five minutes goes, and the disk is checked for space. */
  async function passHistory(): Promise<void> {
    clock.advance(301_000);
    for (let tries = 0; tries < 30; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      clock.advance(2_000);
    }
  }

  /** The objects with their revisions. */
  function objects(): readonly string[] {
    return [...store.list(configmaps)].map((stored) => `${stored.key.name} ${stored.revision}`);
  }

  afterEach(async () => {
    await store.close();
    disk.unmount();
  });

  const sizes: Record<string, [megabytes: number, batch: number, removedMin: number]> = {
    "by one write at a time": [24, 1, 500],
    "by large batches": [48, 400, 400],
    "that is tiny": [3, 1, 80],
  };
  it.each(Object.entries(sizes))("%s takes deletions, and after them creates again", async (_, [size, batch, min]) => {
    disk = TinyDisk.mount(size) as TinyDisk;
    await open();
    await fillDatabase(batch);
    expect(store.writeProblem).toContain("the disk is full");
    const before = store.count(configmaps);
    let removed = await removeObjects(min);
    expect(removed).toBe(min);
    expect(await isFull(create())).toBe(true);
    for (let round = 0; round < 5 && store.writeProblem !== undefined; round += 1) {
      removed += await removeObjects(before);
      await passHistory();
    }
    expect(store.writeProblem).toBeUndefined();
    await create();
    expect(store.count(configmaps)).toBe(before - removed + 1);
    const [was, revision] = [objects(), store.revision];
    await store.close();
    await open();
    expect([objects(), store.revision]).toEqual([was, revision]);
  });

  it("that another program fills takes deletions, also after a restart, and creates once there is space", async () => {
    disk = TinyDisk.mount(64) as TinyDisk;
    await open();
    for (let count = 0; count < 300; count += 1) await create();
    disk.fill();
    expect(await isFull(Promise.all(Array.from({ length: 2_000 }, create)))).toBe(true);
    expect(await removeObjects(50)).toBe(50);
    await store.close();
    disk.fill();
    await open();
    expect(store.writeProblem).toContain("the disk is full");
    expect(await isFull(create())).toBe(true);
    expect(await removeObjects(50)).toBe(50);
    disk.empty();
    clock.advance(2_000);
    await expect.poll(() => store.writeProblem).toBeUndefined();
    await create();
  });

  it("loses no acknowledged write when the process is killed", async () => {
    disk = TinyDisk.mount(4) as TinyDisk;
    const writer = await buildWriter();
    const known = new DurableWrites();
    const full = new Set<string>();
    let removed = 0;
    for (let round = 0; round < 12; round += 1) {
      const child = new Child(process.execPath, [writer.program, disk.directory, "fill"]);
      if (round % 4 !== 0) await child.open();
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 1_500));
      const output = await child.kill();
      expect(output.rejected).toEqual([]);
      const wasFull = output.full.length > 0;
      if (wasFull) removed += output.answered.filter(({ deleted }) => deleted).length;
      for (const each of output.full) full.add(each);
      await inspect(disk.directory, output, known);
    }
    writer.remove();
    expect(full).toContain("create");
    expect(removed).toBeGreaterThan(20);
    await open();
  }, 120_000);
});
