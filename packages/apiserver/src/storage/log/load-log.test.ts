import { FakeClock } from "@milo-quota/kubernetes/protocol/fake-clock.ts";
import { describe, expect, it } from "vitest";
import { openStore } from "../store.ts";
import { MemoryLog } from "./memory-log.ts";
import type { LoadedLog, LogRecord } from "./record-log.ts";

/** `+a5`: revision 5 writes a; `-a6`: revision 6 deletes it. */
function record(text: string): LogRecord {
  const name = text.slice(1, 2);
  const revision = Number(text.slice(2));
  const key = { plane: "root", resource: "configmaps", namespace: "default", name };
  return { revision, key, deleted: text.startsWith("-"), text: "{}", more: false };
}

/** A log written by another program; records its compactions. */
class LeftLog extends MemoryLog {
  readonly forgotten: number[] = [];
  closed = 0;
  readonly #loaded: LoadedLog;

  constructor(compacted: number, records: readonly string[]) {
    super();
    async function* pages() {
      yield records.map(record);
    }
    this.#loaded = { compacted, pages: pages() };
  }

  override async load(): Promise<LoadedLog> {
    return this.#loaded;
  }

  override async compact(compacted: number, obsolete: readonly number[]): Promise<void> {
    this.forgotten.push(...obsolete);
    await super.compact(compacted, obsolete);
  }

  override async close(): Promise<void> {
    this.closed += 1;
  }
}

describe("loading a log", () => {
  const states: Record<string, [compacted: number, records: string[], listed: string[], revision: number]> = {
    "that is empty": [1, [], [], 1],
    "with its full history": [1, ["+a2", "+b3", "+a4", "-b5"], ["a4"], 5],
    "whose history was compacted": [4, ["+b3", "+a4", "-b5"], ["a4"], 5],
    "whose newest record was compacted away": [9, ["+a4"], ["a4"], 9],
    "with gaps between revisions": [1, ["+a10", "+b20"], ["a10", "b20"], 20],
  };
  for (const [what, [compacted, records, listed, revision]] of Object.entries(states)) {
    it(`loads the state of a log ${what}`, async () => {
      const store = await openStore(new LeftLog(compacted, records), new FakeClock());
      const found = [...store.list({ resource: "configmaps" })].map(({ key, revision: at }) => `${key.name}${at}`);
      expect(found).toEqual(listed);
      expect([store.oldestRevision, store.revision]).toEqual([compacted, revision]);
      await store.close();
    });
  }

  it("finishes an interrupted compaction", async () => {
    const clock = new FakeClock();
    const log = new LeftLog(6, ["+a2", "+b3", "+a4", "-b5", "-c6", "+d7"]);
    const store = await openStore(log, clock);
    clock.advance(30_000);
    await store.close();
    expect(log.forgotten).toEqual([2, 3, 5, 6]);
    expect(store.oldestRevision).toBe(6);
  });

  const damages: Record<string, [records: string[], wrong: string]> = {
    "out of order": [["+a4", "+b3"], "revision 3 follows revision 4"],
    twice: [["+a4", "+b4"], "revision 4 follows revision 4"],
    "out of order, from before the compaction": [["+a2", "+b1"], "revision 1 follows revision 2"],
    "that delete a missing object": [["-a4"], "revision 4 deletes a, which does not exist"],
  };
  for (const [what, [records, wrong]] of Object.entries(damages)) {
    it(`rejects records ${what}, and closes the log`, async () => {
      const log = new LeftLog(3, records);
      await expect(openStore(log, new FakeClock())).rejects.toThrow(
        `memory is damaged: ${wrong}. Nothing was changed.`,
      );
      expect(log.closed).toBe(1);
    });
  }
});
