import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildWriter, Child } from "./child.ts";
import { DurableWrites, inspect } from "./durable-writes.ts";

const kills = 50;
describe("a process that is killed while it writes", () => {
  let directory: string;
  let writer: Awaited<ReturnType<typeof buildWriter>>;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "milo-quota-kill-"));
    writer = await buildWriter();
  });

  afterAll(() => {
    rmSync(directory, { recursive: true, force: true });
    writer.remove();
  });

  it(`loses no acknowledged write and no part of a transaction over ${kills} kills in one directory`, async () => {
    const known = new DurableWrites();
    let answered = 0;
    for (let round = 0; round < kills; round += 1) {
      const child = new Child(process.execPath, [writer.program, directory, "write"]);
      // Every fourth process is killed during its start, the others while they write.
      if (round % 4 !== 0) await child.open();
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 150));
      const output = await child.kill();
      expect(output.rejected).toEqual([]);
      answered += output.answered.length;
      await inspect(directory, output, known);
    }
    expect(answered).toBeGreaterThan(kills * 20);
  }, 240_000);
});
