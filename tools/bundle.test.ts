import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundle } from "./bundle.ts";

describe("a bundle", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "milo-quota-bundle-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("replaces the previous bundle and no other files", async () => {
    const earlier = ["milo-quota-usage-ABCDEFGH.js", "milo-quota-usage-ABCDEFGH.js.map"];
    const others = ["notes.js", "milo-quota-notes.txt"];
    for (const name of [...earlier, ...others]) writeFileSync(join(folder, name), "");
    const { outputs } = await bundle(join(folder, "milo-quota.js"));
    const written = Object.keys(outputs).map((file) => basename(file));
    expect(written.length).toBeGreaterThan(10);
    expect(readdirSync(folder).sort()).toEqual([...written, ...others, "sqlite-worker.js"].sort());
  });
});
