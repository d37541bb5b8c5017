import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ObjectKey } from "@milo-quota/apiserver/storage/object-key.ts";
import type { ObjectStore } from "@milo-quota/apiserver/storage/object-store.ts";
import { openStore } from "@milo-quota/apiserver/storage/store.ts";
import { MemoryLog } from "../packages/apiserver/src/storage/log/memory-log.ts";
import { SqliteLog } from "../packages/apiserver/src/storage/log/sqlite-log.ts";
import { median } from "./interleaved.ts";
import type { Figure, Suite } from "./run.ts";

const blocks = 5;
const blockMs = 400;
const objectBytes = 1_024;
const objectCount = 200_000;
const stillClock = { now: () => 0, after: () => ({ stop: () => undefined }) };

function key(name: string): ObjectKey {
  return { plane: "root", resource: "resourceclaims.quota.miloapis.com", namespace: "organization-acme-corp", name };
}

/** About a kilobyte of JSON. Random, so that no strings are shared. */
function objectNamed(name: string) {
  const metadata = { name, namespace: "organization-acme-corp", uid: `7d0f3d0a-95b5-4a31-9d6f-${name}` };
  const fixed = { apiVersion: "quota.miloapis.com/v1alpha1", kind: "ResourceClaim", metadata, padding: "" };
  return { ...fixed, padding: noise(objectBytes - JSON.stringify(fixed).length - 30) };
}

function noise(length: number): string {
  return randomBytes(Math.ceil(length / 2))
    .toString("hex")
    .slice(0, length);
}

/** Runs writers for one block, each of which creates one object after the other. Returns the rate per second. */
async function createRate(store: ObjectStore, writers: number): Promise<number> {
  const start = performance.now();
  let done = 0;
  const write = async (writer: number) => {
    while (performance.now() - start < blockMs) {
      const name = `w${writer}-${store.revision}-${done}`;
      await store.put(key(name), 0, objectNamed(name));
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, at) => write(at)));
  return done / ((performance.now() - start) / 1_000);
}

async function durableWrites(directory: string): Promise<Figure[]> {
  const store = await openStore(new SqliteLog({ directory }), stillClock);
  const counts = [1, 16, 64, 256];
  const rates = new Map<number, number[]>(counts.map((writers) => [writers, []]));
  for (let block = 0; block < blocks; block += 1) {
    for (const writers of counts) rates.get(writers)?.push(await createRate(store, writers));
  }
  await store.close();
  const medianOf = (writers: number) => median(rates.get(writers) ?? []);
  return [
    ...counts.map((writers) => ({
      name: `durable creates of 1 KB with ${writers} ${writers === 1 ? "writer" : "writers"}`,
      value: medianOf(writers),
      unit: "/s",
    })),
    {
      name: "durable creates with 64 writers, against 1",
      value: medianOf(64) / medianOf(1),
      unit: "x",
      budget: "storageGroupCommit",
    },
  ];
}

/** Accepts all writes and stores nothing. */
class DiscardingLog extends MemoryLog {
  override async append(): Promise<void> {
    await Promise.resolve();
  }
}

/** Memory of an object of 1 KB beyond its JSON, without the watch history. */
async function memoryPerObject(): Promise<Figure> {
  const limits = { historyCount: 0, compactionCount: 1 };
  const store = await openStore(new DiscardingLog(), stillClock, { limits });
  await fill(store, 1_000); // allocates code and tables that are needed once
  const before = heapUsed();
  let chars = -textChars(store);
  await fill(store, objectCount);
  chars += textChars(store);
  const bytes = (heapUsed() - before - chars) / objectCount;
  await store.close();
  return { name: "memory of an object beyond its JSON", value: bytes, unit: "bytes", budget: "storageObjectMemory" };
}

async function fill(store: ObjectStore, count: number): Promise<void> {
  const start = store.count({ resource: key("").resource });
  for (let at = 0; at < count; at += 1_000) {
    const names = Array.from({ length: 1_000 }, (_, n) =>
      flat(`claim-${(start + at + n).toString(16).padStart(12, "0")}`),
    );
    await Promise.all(names.map((name) => store.put(key(name), 0, objectNamed(name))));
  }
}

/** A flat string, as a parsed name is: a concatenated one would keep its parts alive. */
function flat(text: string): string {
  return Buffer.from(text, "latin1").toString("latin1");
}

function textChars(store: ObjectStore): number {
  let chars = 0;
  for (const { text } of store.list({ resource: key("").resource })) chars += text.length;
  return chars;
}

async function starting(directory: string): Promise<Figure> {
  const filled = await openStore(new SqliteLog({ directory }), stillClock);
  await fill(filled, objectCount);
  await filled.close();
  const start = performance.now();
  const store = await openStore(new SqliteLog({ directory }), stillClock);
  const seconds = (performance.now() - start) / 1_000;
  if (store.count({ resource: key("").resource }) !== objectCount) throw new Error("the store lost objects");
  await store.close();
  return { name: "objects of 1 KB loaded at start", value: objectCount / seconds, unit: "/s" };
}

function heapUsed(): number {
  if (globalThis.gc === undefined) throw new Error("run with --expose-gc, as npm run bench does");
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

export const suite: Suite = async () => {
  const directory = mkdtempSync(join(tmpdir(), "milo-quota-bench-"));
  try {
    const writes = await durableWrites(join(directory, "writes"));
    return [...writes, await starting(join(directory, "start")), await memoryPerObject()];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
};
