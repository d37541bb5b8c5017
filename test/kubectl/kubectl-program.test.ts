import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { crc32, deflateRawSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findKubectl } from "./kubectl-program.ts";
import { program } from "./kubectl-suite.ts";
import { readZipEntry } from "./zip-entry.ts";

// Makes a skipped suite visible.
if (!program.found) console.warn(`No kubectl, so that its suite is skipped: ${program.because}.`);

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "milo-quota-programs-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A folder with a fake kubectl of some version. */
function pathWith(version: string): string {
  const path = mkdtempSync(join(folder, "path-"));
  writeFileSync(join(path, "kubectl"), `#!/bin/sh\necho '{"clientVersion": {"gitVersion": "${version}"}}'\n`);
  chmodSync(join(path, "kubectl"), 0o755);
  return path;
}

describe.skipIf(process.platform === "win32")("findKubectl", () => {
  const none = (): undefined => undefined;

  it("uses the configured program of any version", () => {
    const named = join(pathWith("v1.20.1"), "kubectl");
    const found = findKubectl({ named, searchPath: pathWith("v1.34.1"), packaged: none });
    expect(found).toEqual({ found: true, path: named });
  });

  it("fails if the configured program is not kubectl", () => {
    const options = { named: "/nowhere/kubectl", searchPath: "", packaged: none };
    expect(() => findKubectl(options)).toThrow("MILO_QUOTA_KUBECTL is /nowhere/kubectl, which is not kubectl");
  });

  it("uses the first one on the path", () => {
    const first = pathWith("v1.34.1");
    const searchPath = ["/nowhere", first, pathWith("v1.34.2")].join(delimiter);
    expect(findKubectl({ named: "", searchPath, packaged: none })).toEqual({
      found: true,
      path: join(first, "kubectl"),
    });
  });

  it("uses the packaged one if the one on the path has another version", () => {
    const packaged = join(pathWith("v1.34.5"), "kubectl");
    const found = findKubectl({ named: undefined, searchPath: pathWith("v1.29.0"), packaged: () => packaged });
    expect(found).toEqual({ found: true, path: packaged });
  });

  it("returns no program if there is none", () => {
    const because = "there is none on the PATH, and the packaged one does not run here";
    expect(findKubectl({ named: undefined, searchPath: folder, packaged: none })).toEqual({ found: false, because });
    const broken = (): string => join(folder, "missing");
    expect(findKubectl({ named: undefined, searchPath: "", packaged: broken })).toEqual({ found: false, because });
  });
});

/** A ZIP archive of one file. */
function archiveOf(name: string, content: string, change: (zip: Buffer) => void = () => undefined): string {
  const packed = deflateRawSync(content);
  const header = Buffer.alloc(30);
  header.write("PK\x03\x04", "latin1");
  header.writeUInt16LE(name.length, 26);
  const entry = Buffer.alloc(46);
  entry.write("PK\x01\x02", "latin1");
  entry.writeUInt16LE(8, 10);
  entry.writeUInt32LE(crc32(content), 16);
  entry.writeUInt32LE(packed.length, 20);
  entry.writeUInt32LE(content.length, 24);
  entry.writeUInt16LE(name.length, 28);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt32LE(46 + name.length, 12);
  end.writeUInt32LE(30 + name.length + packed.length, 16);
  const zip = Buffer.concat([header, Buffer.from(name), packed, entry, Buffer.from(name), end]);
  change(zip);
  const file = join(mkdtempSync(join(folder, "zip-")), "archive.zip");
  writeFileSync(file, zip);
  return file;
}

describe("readZipEntry", () => {
  it("reads a file by name", () => {
    expect(Buffer.from(readZipEntry(archiveOf("a/b", "hello hello hello"), "a/b")).toString()).toBe(
      "hello hello hello",
    );
  });

  const faults: Record<string, [change: (zip: Buffer) => void, because: string]> = {
    "a missing file": [(zip) => zip.write("x", zip.indexOf("a/b", 40)), "holds no a/b"],
    "corrupted content": [(zip) => zip.writeUInt32LE(1, zip.indexOf("PK\x01\x02") + 16), "a/b is damaged"],
    "an unknown compression method": [(zip) => zip.writeUInt16LE(9, zip.indexOf("PK\x01\x02") + 10), "method 9"],
    "a file that is not an archive": [(zip) => zip.fill(0), "no ZIP archive"],
    "a truncated archive": [
      (zip) => zip.writeUInt32LE(1 << 16, zip.indexOf("PK\x05\x06") + 16),
      "the archive ends too early",
    ],
    "a file that is too large": [(zip) => zip.writeUInt32LE(1 << 30, zip.indexOf("PK\x01\x02") + 24), "more than the"],
  };
  for (const [name, [change, because]] of Object.entries(faults)) {
    it(`fails for ${name}`, () => {
      expect(() => readZipEntry(archiveOf("a/b", "hello hello hello", change), "a/b")).toThrow(because);
    });
  }
});
