import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock } from "@milo-quota/kubernetes/protocol/fake-clock.ts";
import Database from "libsql";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ObjectKey } from "../object-key.ts";
import { type ObjectStore, StorageUnavailable } from "../object-store.ts";
import { openStore } from "../store.ts";
import { checksumOf, headChecksum } from "./record-checksum.ts";
import { LogDamaged, LogFull } from "./record-log.ts";
import { SqliteLog } from "./sqlite-log.ts";
import { databasePath, type SqliteOptions } from "./sqlite-messages.ts";

const configmaps = { resource: "configmaps" };

function key(name: string): ObjectKey {
  return { plane: "root", resource: "configmaps", namespace: "default", name };
}

function temporary(): string {
  return mkdtempSync(join(tmpdir(), "milo-quota-sqlite-"));
}

function openIn(directory: string, options: Omit<SqliteOptions, "directory"> = {}, clock = new FakeClock()) {
  return openStore(new SqliteLog({ directory, ...options }), clock);
}

async function put(store: ObjectStore, name: string, text: string): Promise<void> {
  const result = await store.put(key(name), store.get(key(name))?.revision ?? 0, { text });
  expect(result.ok).toBe(true);
}

function digest(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Returns every file of a directory with its content. */
function filesIn(directory: string): Record<string, string> {
  const names = readdirSync(directory).sort();
  return Object.fromEntries(names.map((name) => [name, digest(readFileSync(join(directory, name)))]));
}

function edit(path: string, sql: string): void {
  const db = new Database(path);
  db.exec(sql);
  db.close();
}

/** Reads a copy: a statement that was read from keeps its database locked until it is collected. */
function formatIn(directory: string): unknown {
  const copy = mkdtempSync(join(tmpdir(), "milo-quota-copy-"));
  cpSync(directory, copy, { recursive: true });
  const db = new Database(databasePath(copy));
  const row = db.prepare("SELECT format FROM head").raw().get() as unknown[];
  db.close();
  rmSync(copy, { recursive: true });
  return row[0];
}

/** A valid record with an impossible state. */
function insert(path: string, revision: number, deleted: boolean, text: string): void {
  const checksum = checksumOf({ revision, key: key("planted"), deleted, text, more: false });
  const values = `${revision}, 'root', 'configmaps', 'default', 'planted', ${deleted ? 1 : 0}, '${text}', ${checksum}`;
  edit(path, `INSERT INTO records VALUES (${values})`);
}

function flip(path: string, marker: string): void {
  const bytes = readFileSync(path);
  const at = bytes.indexOf(marker);
  expect(at).toBeGreaterThanOrEqual(0);
  bytes[at] = (bytes[at] as number) ^ 1;
  writeFileSync(path, bytes);
}

describe("a damaged database", () => {
  let whole: string;
  let directory: string;
  let path: string;

  beforeAll(async () => {
    whole = temporary();
    const store = await openIn(whole);
    await Promise.all(
      Array.from({ length: 300 }, (_, at) => put(store, `a-${at}`, `${"x".repeat(500)} marker-${at} `)),
    );
    await store.close();
  });

  beforeEach(() => {
    directory = temporary();
    path = databasePath(directory);
    cpSync(whole, directory, { recursive: true });
  });

  afterEach(() => rmSync(directory, { recursive: true, force: true }));
  afterAll(() => rmSync(whole, { recursive: true, force: true }));

  const damages: Record<string, [damage: () => void, wrong: string | RegExp]> = {
    "cut in half": [() => truncateSync(path, readFileSync(path).length / 2), /malformed|btree|page/i],
    "cut within its first page": [() => truncateSync(path, 700), /malformed|not a database|btree|page/i],
    "shorter than the header": [() => truncateSync(path, 7), "it is not an SQLite database"],
    "with a garbled header": [() => flip(path, "SQLite format 3"), "it is not an SQLite database"],
    "that is a text file": [
      () => writeFileSync(path, "these are not the objects you look for"),
      "it is not an SQLite database",
    ],
    "with a bit flipped inside an object": [
      () => flip(path, "marker-77 "),
      "revision 79 (configmaps default/a-77) does not match its checksum",
    ],
    "with a key changed": [
      () => edit(path, "UPDATE records SET name = 'b' WHERE revision = 5"),
      "revision 5 (configmaps default/b) does not match its checksum",
    ],
    "with its compaction changed": [
      () => edit(path, "UPDATE head SET compacted = 3"),
      "its compaction record does not match its checksum",
    ],
    "without its head": [() => edit(path, "DELETE FROM head"), "its format is missing"],
    "without its records": [() => edit(path, "DROP TABLE records"), "no such table: records"],
    "with an object that is not JSON": [
      () => insert(path, 900, false, '{"a":'),
      "revision 900 (configmaps default/planted) is not the JSON of an object",
    ],
    "with a list for an object": [
      () => insert(path, 900, false, "[]"),
      "revision 900 (configmaps default/planted) is not the JSON of an object",
    ],
    "that deletes a missing object": [
      () => insert(path, 900, true, "{}"),
      "revision 900 deletes planted, which does not exist",
    ],
    "of another program": [
      () => {
        rmSync(path);
        edit(path, "CREATE TABLE bookmarks (url TEXT)");
      },
      "it belongs to another program",
    ],
    "emptied beside its write-ahead log": [
      () => {
        writeFileSync(`${path}-wal`, "frames");
        truncateSync(path, 0);
      },
      "it is empty, but its write-ahead log is not",
    ],
    "missing beside its write-ahead log": [
      () => {
        writeFileSync(`${path}-wal`, "frames");
        rmSync(path);
      },
      "it is empty, but its write-ahead log is not",
    ],
  };

  for (const [what, [damage, wrong]] of Object.entries(damages)) {
    it(`${what} is rejected by name and unchanged`, async () => {
      damage();
      const before = filesIn(directory);
      const error: unknown = await openIn(directory).catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(LogDamaged);
      const { message } = error as LogDamaged;
      const advice = "Nothing was changed. Restore it from a backup, or move it away to start empty";
      if (typeof wrong === "string") expect(message).toBe(`${path} is damaged: ${wrong}. ${advice}`);
      else expect(message).toMatch(wrong);
      expect(message).toContain(path);
      expect(filesIn(directory)).toEqual(before);
    });
  }

  it("of a newer format is rejected with the version to use", async () => {
    edit(path, "UPDATE head SET format = 3");
    await expect(openIn(directory)).rejects.toThrow(
      `${path} has format 3, but this program supports format 2: use a newer version`,
    );
  });

  it("of the previous format is read, and written in the current one", async () => {
    const before = headChecksum(1, 1);
    edit(path, `UPDATE head SET format = 1, checksum = ${before}`);
    const count = async (): Promise<number> => {
      const store = await openIn(directory);
      const found = store.count(configmaps);
      await store.close();
      return found;
    };
    const found = await count();
    expect(formatIn(directory)).toBe(1); // reading alone changes nothing
    const store = await openIn(directory);
    await put(store, "new", "x");
    await store.close();
    expect([formatIn(directory), await count()]).toEqual([2, found + 1]);
  });

  it("can be opened once it is repaired", async () => {
    flip(path, "marker-77 ");
    await expect(openIn(directory)).rejects.toThrow(LogDamaged);
    cpSync(whole, directory, { recursive: true });
    const store = await openIn(directory);
    expect(store.count(configmaps)).toBe(300);
    await store.close();
  });
});

describe("a database on disk", () => {
  let directory: string;
  beforeEach(() => {
    directory = temporary();
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it("is one file beside its reserve once it is closed", async () => {
    const store = await openIn(join(directory, "deep", "down"));
    await put(store, "a", "x");
    await store.close();
    expect(readdirSync(join(directory, "deep", "down"))).toEqual(["objects.db", "objects.reserve"]);
  });

  it.each([
    ["a reserve", "objects.reserve"],
    ["a kubeconfig", "kubeconfig"],
  ])("that is gone, beside %s, is not taken for an empty one", async (_, name) => {
    const store = await openIn(directory);
    await put(store, "a", "x");
    await store.close();
    rmSync(databasePath(directory));
    rmSync(join(directory, "objects.reserve"));
    writeFileSync(join(directory, name), "");
    await expect(openIn(directory)).rejects.toThrow(
      `${databasePath(directory)} is missing, but ${directory} has ${name} of an earlier start: ` +
        "restore the directory from a backup, or remove it to start empty",
    );
    expect(readdirSync(directory)).toEqual([name]);
  });

  it("cannot be created where the operating system has no directories", async () => {
    await expect(openIn("/proc/milo-quota/data")).rejects.toThrow(/ENOENT.*\/proc\/milo-quota/);
  });

  it("is locked for a second store, which reports the owner", async () => {
    const store = await openIn(directory);
    await expect(openIn(directory)).rejects.toThrow(
      `the data directory ${directory} is already in use by process ${process.pid}`,
    );
    await put(store, "a", "x");
    await store.close();
  });

  it("says why it cannot be opened", async () => {
    const file = join(directory, "file");
    writeFileSync(file, "");
    await expect(openIn(file)).rejects.toThrow(/ENOTDIR.*file/);
  });

  it("holds more than one page of records and many checkpoints", async () => {
    const text = "é".repeat(20_000);
    const wal = `${databasePath(directory)}-wal`;
    const write = async (store: ObjectStore) => {
      await Promise.all(Array.from({ length: 2_500 }, (_, at) => put(store, `a-${at}`, at % 8 === 0 ? text : "")));
      expect(statSync(wal).size).toBeLessThan(12 * 1024 * 1024);
    };
    const first = await openIn(directory);
    await write(first);
    await first.close();
    const second = await openIn(directory);
    await write(second);
    const before = [...second.list(configmaps)].map((stored) => stored.text);
    await second.close();
    const third = await openIn(directory);
    expect([...third.list(configmaps)].map((stored) => stored.text)).toEqual(before);
    expect(third.revision).toBe(5_001);
    await third.close();
  });

  it("that is full rejects writes, still reads, and accepts writes again once it has space", async () => {
    const clock = new FakeClock();
    const store = await openIn(directory, { pagesMax: 100 }, clock);
    const text = "x".repeat(3_000);
    let failure: unknown;
    while (failure === undefined) {
      await put(store, `a-${store.revision % 10}`, text).catch((error: unknown) => {
        failure = error;
      });
    }
    expect(failure).toBeInstanceOf(StorageUnavailable);
    expect((failure as StorageUnavailable).cause).toBeInstanceOf(LogFull);
    const { revision } = store;
    expect(revision).toBeGreaterThan(50);
    const before = [...store.list(configmaps)].map((stored) => stored.text);
    const rejected = await Promise.allSettled(Array.from({ length: 5 }, (_, at) => put(store, `b-${at}`, text)));
    expect(rejected.map(({ status }) => status)).toEqual(Array(5).fill("rejected"));
    expect(store.revision).toBe(revision);
    expect([...store.list(configmaps)].map((stored) => stored.text)).toEqual(before);
    clock.advance(10 * 60_000); // compaction frees space
    for (let at = 0; at < 5; at += 1) await eventually(() => put(store, `b-${at}`, text));
    expect(store.revision).toBe(revision + 5); // the revisions of the rejected writes were never visible
    const last = store.revision;
    await store.close();
    const again = await openIn(directory, { pagesMax: 100 });
    expect([again.revision, again.count(configmaps)]).toEqual([last, 15]);
    await again.close();
  });

  /** Compaction is in flight; writes that overtake it are rejected as before. */
  async function eventually(work: () => Promise<void>): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await work();
      } catch (error) {
        if (tries === 100) throw error;
      }
    }
  }

  it("whose thread ended accepts no more writes", async () => {
    const log = new SqliteLog({ directory });
    const store = await openStore(log, new FakeClock());
    await put(store, "a", "x");
    await log.close();
    await expect(put(store, "b", "x")).rejects.toThrow(
      /the disk failed.*the database thread has ended.*until a restart/,
    );
    expect(store.count(configmaps)).toBe(1);
    await store.close();
  });

  it("whose write fails for another reason accepts no more writes", async () => {
    const log = new SqliteLog({ directory });
    const store = await openStore(log, new FakeClock());
    await log.append([{ revision: 2, key: key("planted"), deleted: false, text: "{}", more: false }]);
    await expect(put(store, "a", "x")).rejects.toThrow(/the disk failed.*UNIQUE constraint failed/);
    await expect(put(store, "b", "x")).rejects.toThrow(/no writes are accepted until a restart/);
    await store.close();
    const again = await openIn(directory);
    expect(again.get(key("planted"))?.revision).toBe(2);
    await again.close();
  });
});
