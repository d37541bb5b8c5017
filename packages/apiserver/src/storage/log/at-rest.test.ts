import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { FakeClock } from "@milo-quota/kubernetes/protocol/fake-clock.ts";
import { describe, expect, it } from "vitest";
import type { ObjectKey } from "../object-key.ts";
import type { ObjectStore } from "../object-store.ts";
import { openStore } from "../store.ts";
import { MemoryLog } from "./memory-log.ts";

const limits = { historyCount: 0, compactionCount: 1, parsedCount: 2 };
const resource = "examples";
const fixed = {
  apiVersion: "example.com/v1",
  kind: "Example",
  words: Array.from({ length: 100 }, (_, at) => `word-${at}`),
};

class ForgetfulLog extends MemoryLog {
  override async append(): Promise<void> {
    await Promise.resolve();
  }
}

function key(at: number): ObjectKey {
  return { plane: "root", resource, namespace: "default", name: `example-${at}` };
}

async function fill(
  store: ObjectStore,
  count: number,
  onStored: (text: string) => void = () => undefined,
): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    const metadata = { name: key(at).name, namespace: "default", labels: { "é 😀": `value "${at}" \\` } };
    const result = await store.put(key(at), 0, { ...fixed, metadata, spec: { amount: 2n ** 60n + BigInt(at), at } });
    if (result.ok) onStored(result.stored.text);
  }
}

function textsOf(store: ObjectStore): string[] {
  return [...store.list({ resource })].map(({ text }) => text).sort();
}

describe("compressed objects", () => {
  it("keep their content, also after a restart", async () => {
    const log = new MemoryLog();
    const store = await openStore(log, new FakeClock(), { limits });
    const texts: string[] = [];
    await fill(store, 200, (text) => texts.push(text));
    expect(textsOf(store)).toEqual(texts.sort());
    const amounts = [...store.list({ resource })].map(({ object }) => (object["spec"] as { amount: bigint }).amount);
    expect(new Set(amounts)).toEqual(new Set(texts.map((_, at) => 2n ** 60n + BigInt(at))));
    await store.close();
    const again = await openStore(log, new FakeClock(), { limits });
    expect(textsOf(again)).toEqual(texts);
    await again.close();
  });

  it("take less memory than their texts when they are similar", async () => {
    setFlagsFromString("--expose-gc");
    const collectGarbage = runInNewContext("gc") as () => void;
    const store = await openStore(new ForgetfulLog(), new FakeClock(), { limits });
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    await fill(store, 5_000);
    collectGarbage();
    const taken = process.memoryUsage().heapUsed - before;
    expect(taken).toBeLessThan(0.6 * textsOf(store).reduce((sum, { length }) => sum + length, 0));
    expect(store.count({ resource })).toBe(5_000);
    await store.close();
  });
});
