// Opens a store and writes to it as fast as it can, and prints every acknowledged write: `node writer.js <directory>
// write|hold|fill`. Tests kill it. With `fill` it creates objects until the disk is full, and then also deletes some.

import { SqliteLog } from "@milo-quota/apiserver/storage/log/sqlite-log.ts";
import type { ObjectKey } from "@milo-quota/apiserver/storage/object-key.ts";
import { type ObjectStore, StorageUnavailable } from "@milo-quota/apiserver/storage/object-store.ts";
import { openStore } from "@milo-quota/apiserver/storage/store.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";

/** Output line for an acknowledged write. */
export interface AcknowledgedWrite {
  readonly name: string;
  readonly revision: number;
  readonly deleted: boolean;
  readonly mark: string;
}

const writers = 12;
const keysOfWriter = 6;
const clock: Clock = {
  now: () => Date.now(),
  after: (delayMs, call) => {
    const timer = setTimeout(call, delayMs);
    return { stop: () => clearTimeout(timer) };
  },
};
// Small limits, so that compaction is running when the process is killed.
const limits = { historyCount: 400, compactionCount: 40, compactionEveryMs: 20 };

const [directory = "", mode = "write"] = process.argv.slice(2);
let store: ObjectStore | undefined;
try {
  store = await openStore(new SqliteLog({ directory }), clock, { limits });
  const opened = store;
  console.log(`open ${opened.revision}`);
  if (mode === "fill") await fill(opened);
  if (mode === "write") await Promise.all(Array.from({ length: writers }, (_, at) => write(opened, at)));
} catch (error) {
  console.log(`rejected ${error instanceof Error ? error.message : String(error)}`);
  await store?.close();
  process.exitCode = 3;
}

async function write(store: ObjectStore, writer: number): Promise<void> {
  for (let count = 0; ; count += 1) {
    const name = `object-${(writer * 3 + (count % keysOfWriter)) % (writers * 3)}`;
    const key: ObjectKey = { plane: "root", resource: "configmaps", namespace: "default", name };
    const mark = `${process.pid}-${writer}-${count}`;
    const current = store.get(key);
    const deleted = current !== undefined && count % 5 === 0;
    const object = { metadata: { name }, mark, padding: mark.repeat(1 + ((writer * count) % 60)) };
    const own = { key, expected: current?.revision ?? 0, object, deleted };
    // Every third write is a transaction whose second object has the same mark and the next revision.
    const twin = twinOf(store, key, writer);
    const twins = count % 3 === 0 ? [{ ...twin, object: { ...object, metadata: { name: twin.key.name } } }] : [];
    const answer = await store.transact([own, ...twins]);
    if (answer.outcome !== "stored") continue;
    for (const { key: stored, revision } of answer.stored) {
      const answered: AcknowledgedWrite = {
        name: stored.name,
        revision,
        deleted: deleted && stored.name === name,
        mark,
      };
      console.log(JSON.stringify(answered));
    }
  }
}

/** Every fifth write deletes the first object. Prints `full` for a write that is rejected. */
async function fill(store: ObjectStore): Promise<void> {
  for (let count = 0; ; count += 1) {
    const mark = `${process.pid}-${count}`;
    const [first] = store.list({ resource: "configmaps" });
    const deleted = first !== undefined && count % 5 === 0;
    const name = deleted ? first.key.name : `object-${mark}`;
    const key: ObjectKey = { plane: "root", resource: "configmaps", namespace: "default", name };
    const object = { metadata: { name }, mark, padding: mark.repeat(count % 400) };
    const write = { key, expected: deleted ? first.revision : 0, object, deleted };
    const answer = await store.transact([write]).catch((error: unknown) => {
      if (!(error instanceof StorageUnavailable && error.isFull)) throw error;
      console.log(`full ${deleted ? "delete" : "create"}`);
    });
    const stored = answer?.outcome === "stored" ? answer.stored : [];
    for (const { revision } of stored) console.log(JSON.stringify({ name, revision, deleted, mark }));
  }
}

function twinOf(store: ObjectStore, key: ObjectKey, writer: number) {
  const twin = { ...key, name: `twin-${writer}` };
  return { key: twin, expected: store.get(twin)?.revision ?? 0, deleted: false };
}
