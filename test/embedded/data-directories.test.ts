import { mkdirSync, mkdtempSync, readdirSync, rmSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { buildServer, type ServerProgram } from "../apiserver/killable-server.ts";
import { canMount, TinyDisk } from "../storage/tiny-disk.ts";
import { type ExitResult, RunningProgram } from "./running-program.ts";

let program: ServerProgram;

beforeAll(async () => {
  program = await buildServer("packages/quota/src/main.ts");
});
afterAll(() => program.remove());

function run(directory: string): RunningProgram {
  return RunningProgram.ofBundle(program, ["up", "--port", "0", "--data-dir", directory]);
}

/** Starts and stops a server, so that the directory has all its files. */
async function use(directory: string): Promise<void> {
  const server = run(directory);
  await server.welcome();
  expect((await server.end("SIGTERM")).code).toBe(0);
}

function failure(message: string): ExitResult {
  return { code: 2, stdout: "", stderr: `milo-quota: ${message}\n` };
}

describe("a data directory without its database", () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "milo-quota-data-"));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it("is not taken for an empty one", async () => {
    await use(directory);
    const database = join(directory, "objects.db");
    unlinkSync(database);
    const before = readdirSync(directory);
    expect(await run(directory).ending).toEqual(
      failure(
        `${database} is missing, but ${directory} has objects.reserve and kubeconfig of an earlier start: ` +
          "restore the directory from a backup, or remove it to start empty",
      ),
    );
    expect(readdirSync(directory)).toEqual(before);
    for (const name of before) rmSync(join(directory, name));
    await use(directory);
  });
});

describe.runIf(canMount())("a data directory on a read-only file system", () => {
  let disk: TinyDisk;
  const refused = (directory: string): ExitResult =>
    failure(
      `the data directory ${directory} cannot be used: it is on a read-only file system; choose another one with --data-dir`,
    );

  beforeEach(() => {
    disk = TinyDisk.mount(64) as TinyDisk;
  });
  afterEach(() => disk.unmount());

  it("is refused if it was used before", async () => {
    await use(disk.directory);
    disk.makeReadOnly();
    expect(await run(disk.directory).ending).toEqual(refused(disk.directory));
  });

  it("is refused if it is empty", async () => {
    mkdirSync(disk.directory);
    disk.makeReadOnly();
    expect(await run(disk.directory).ending).toEqual(refused(disk.directory));
  });

  it("is refused if it does not exist", async () => {
    disk.makeReadOnly();
    expect(await run(disk.directory).ending).toEqual(refused(disk.directory));
  });
});
