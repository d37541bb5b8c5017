import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const chunkBytes = 4 * 1024;

/** A file system in memory, which a test can fill. */
export class TinyDisk {
  readonly path = mkdtempSync(join(tmpdir(), "milo-quota-disk-"));
  readonly directory = join(this.path, "data");
  readonly #filler = join(this.path, "filler");

  /** Undefined if this process may not mount file systems. */
  static mount(megabytes: number): TinyDisk | undefined {
    const disk = new TinyDisk();
    if (run("mount", "-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", disk.path)) return disk;
    rmdirSync(disk.path);
    return undefined;
  }

  /** Writes to another file until there is no space. */
  fill(): void {
    const file = openSync(this.#filler, "a");
    try {
      const chunk = Buffer.alloc(chunkBytes, "x");
      while (writeSync(file, chunk) === chunkBytes);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    } finally {
      closeSync(file);
    }
  }

  empty(): void {
    rmSync(this.#filler, { force: true });
  }

  makeReadOnly(): void {
    if (!run("mount", "-o", "remount,ro", this.path)) throw new Error("cannot remount");
  }

  unmount(): void {
    run("umount", this.path);
    rmdirSync(this.path);
  }
}

/** Whether tests may mount file systems; on a machine of a developer they usually may not. */
export function canMount(): boolean {
  const disk = TinyDisk.mount(1);
  disk?.unmount();
  return disk !== undefined;
}

function run(command: string, ...args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: "ignore" }).status === 0;
}
