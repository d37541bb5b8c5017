import { SqliteLog } from "@milo-quota/apiserver/storage/log/sqlite-log.ts";
import type { Change, ObjectStore } from "@milo-quota/apiserver/storage/object-store.ts";
import { openStore } from "@milo-quota/apiserver/storage/store.ts";
import type { StoredObject } from "@milo-quota/apiserver/storage/stored-object.ts";
import { expect } from "vitest";
import type { WriterOutput } from "./child.ts";
import type { AcknowledgedWrite } from "./writer-program.ts";

const configmaps = { resource: "configmaps" };
const stillClock = { now: () => 0, after: () => ({ stop: () => undefined }) };

/** The newest write of each object that is known to be durable. */
export class DurableWrites {
  readonly newest = new Map<string, AcknowledgedWrite>();
  revision = 1;
  answered = 0;

  learn(write: AcknowledgedWrite): void {
    this.revision = Math.max(this.revision, write.revision);
    if ((this.newest.get(write.name)?.revision ?? 0) < write.revision) this.newest.set(write.name, write);
  }
}

function writeOf({ type, stored }: Change): AcknowledgedWrite {
  return { name: stored.key.name, revision: stored.revision, deleted: type === "deleted", mark: markOf(stored) };
}

/** The mark of a complete object. */
function markOf(stored: StoredObject): string {
  const { metadata, mark, padding } = stored.object;
  expect(metadata).toEqual({ name: stored.key.name, resourceVersion: String(stored.revision) });
  expect(String(padding).replaceAll(String(mark), "")).toBe("");
  return String(mark);
}

/** Opens the store of a killed process and compares it with the acknowledged writes. */
export async function inspect(directory: string, output: WriterOutput, known: DurableWrites): Promise<void> {
  const store = await openStore(new SqliteLog({ directory }), stillClock);
  const changes: Change[] = [];
  store.watch(configmaps, store.oldestRevision, (change) => changes.push(change));
  const history = new Map(changes.map((change) => [change.revision, writeOf(change)]));
  for (const answered of output.answered) {
    known.learn(answered);
    if (answered.revision > store.oldestRevision) expect(history.get(answered.revision)).toEqual(answered);
  }
  expect(store.revision).toBeGreaterThanOrEqual(known.revision);
  for (const opened of output.opened) expect(opened).toBeGreaterThanOrEqual(known.answered);
  expect([...history.keys()]).toEqual(range(store.oldestRevision + 1, store.revision));
  expectWhole(history, store);
  for (const write of history.values()) known.learn(write);
  known.answered = store.revision;
  const there = [...known.newest.values()].filter(({ deleted }) => !deleted);
  const expected = there.map(({ name, revision, mark }) => `${name} ${revision} ${mark}`).sort();
  const found = [...store.list(configmaps)].map((stored) => `${stored.key.name} ${stored.revision} ${markOf(stored)}`);
  expect(found.sort()).toEqual(expected);
  await store.close();
}

/** Both writes of a transaction are stored consecutively and marked as one transaction. */
function expectWhole(history: ReadonlyMap<number, AcknowledgedWrite>, store: ObjectStore): void {
  for (const [revision, { name, mark }] of history) {
    if (!name.startsWith("twin-") || !history.has(revision - 1)) continue;
    expect(history.get(revision - 1)?.mark).toBe(mark);
    expect(store.wholeRevision(revision - 1)).toBe(revision);
  }
  const [last] = [...history.keys()].slice(-1);
  if (last !== undefined) expect(store.wholeRevision(last)).toBe(last);
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
}
