import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SqliteLog } from "@milo-quota/apiserver/storage/log/sqlite-log.ts";
import { openStore } from "@milo-quota/apiserver/storage/store.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { buildWriter, Child } from "./child.ts";

const stillClock = { now: () => 0, after: () => ({ stop: () => undefined }) };

describe("a data directory", () => {
  let directory: string;
  let writer: Awaited<ReturnType<typeof buildWriter>>;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), "milo-quota-processes-"));
    writer = await buildWriter();
  });

  afterEach(() => {
    rmSync(directory, { recursive: true, force: true });
    writer.remove();
  });

  it("is locked by one process, and free as soon as that one is killed", async () => {
    const first = new Child(process.execPath, [writer.program, directory, "hold"]);
    await first.open();
    const second = await new Child(process.execPath, [writer.program, directory, "hold"]).end();
    expect(second).toEqual({
      opened: [],
      rejected: [`the data directory ${directory} is already in use by process ${first.pid}`],
      full: [],
      answered: [],
    });
    expect((await first.kill()).opened).toEqual([1]);
    const third = new Child(process.execPath, [writer.program, directory, "hold"]);
    await third.open();
    expect((await third.kill()).opened).toEqual([1]);
  });

  it("accepts no more writes after a failed write and keeps all acknowledged ones", async () => {
    // Files are limited to 600 blocks, so that the write-ahead log fails at a random point of a transaction.
    const command = `ulimit -f 600; exec "${process.execPath}" "${writer.program}" "${directory}" write`;
    const output = await new Child("sh", ["-c", command]).end();
    expect(output.rejected).toHaveLength(1);
    expect(output.rejected[0]).toMatch(/^the disk failed .*disk I\/O error.*; no writes are accepted until a restart$/);
    expect(output.answered.length).toBeGreaterThan(10);
    const store = await openStore(new SqliteLog({ directory }), stillClock);
    const newest = new Map(output.answered.map((write) => [write.name, write]));
    for (const { name, revision, deleted } of newest.values()) {
      const stored = store.get({ plane: "root", resource: "configmaps", namespace: "default", name });
      if (deleted) expect(stored?.revision ?? Number.POSITIVE_INFINITY).toBeGreaterThan(revision);
      else expect(stored?.revision).toBeGreaterThanOrEqual(revision);
    }
    await store.close();
  });
});
