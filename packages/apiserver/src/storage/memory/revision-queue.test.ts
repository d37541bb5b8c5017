import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { RevisionQueue } from "./revision-queue.ts";

interface Entry {
  readonly revision: number;
}

function queueOf(count: number): RevisionQueue<Entry> {
  const queue = new RevisionQueue<Entry>();
  for (let revision = 1; revision <= count; revision += 1) queue.push({ revision });
  return queue;
}

test("entries are removed from the front, and the rest are found by revision", () => {
  const queue = queueOf(5_000);
  for (let count = 0; count < 3_000; count += 1) queue.shift();
  expect(queue.size).toBe(2_000);
  expect(queue.first).toEqual({ revision: 3_001 });
  expect(queue.after(0)).toHaveLength(2_000);
  expect(queue.after(4_998)).toEqual([{ revision: 4_999 }, { revision: 5_000 }]);
});

test("an empty queue returns no entry", () => {
  const queue = queueOf(1);
  expect(queue.shift()).toEqual({ revision: 1 });
  expect(queue.shift()).toBeUndefined();
  expect([queue.size, queue.first, queue.after(0)]).toEqual([0, undefined, []]);
});

test("removed entries are garbage collected while others remain", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const queue = queueOf(10);
  const forgotten = new WeakRef(queue.shift() as Entry);
  await new Promise((resolve) => setImmediate(resolve)); // A new weak reference keeps its target alive until the next turn.
  collectGarbage();
  expect(forgotten.deref()).toBeUndefined();
  expect(queue.size).toBe(9);
});
