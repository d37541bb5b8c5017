import { readFile } from "node:fs/promises";
import type { Clock } from "../../protocol/clock.ts";
import { fileErrorText, KubeconfigError } from "./kubeconfig-error.ts";

const bytesMax = 1024 * 1024;

/** How long a file's content is cached: tokens in a cluster are rotated in place. */
const freshMs = 50_000;

/** A small file that may be replaced while the process runs. */
export class ReloadingFile {
  readonly #path: string;
  readonly #what: string;
  readonly #clock: Clock;
  #read: { readonly text: string; readonly atMs: number } | undefined;

  constructor(path: string, what: string, clock: Clock) {
    this.#path = path;
    this.#what = what;
    this.#clock = clock;
  }

  /** Its trimmed content. If the file cannot be read, the last content is returned. */
  async text(): Promise<string> {
    const cached = this.#read;
    const nowMs = this.#clock.now();
    if (cached !== undefined && Math.abs(nowMs - cached.atMs) < freshMs) return cached.text;
    try {
      this.#read = { text: await this.#content(), atMs: nowMs };
    } catch (error) {
      if (cached === undefined) throw error;
      this.#read = { text: cached.text, atMs: nowMs };
    }
    return this.#read.text;
  }

  /** The content was rejected: the next call reads the file again. */
  invalidate(): void {
    if (this.#read !== undefined) this.#read = { text: this.#read.text, atMs: Number.NEGATIVE_INFINITY };
  }

  async #content(): Promise<string> {
    const bytes = await readFile(this.#path).catch((error: unknown) => {
      throw new KubeconfigError(`failed to read ${this.#what} "${this.#path}": ${fileErrorText(error)}`);
    });
    if (bytes.length > bytesMax)
      throw new KubeconfigError(`${this.#what} "${this.#path}" has more than ${bytesMax} bytes`);
    const text = bytes.toString("utf8").trim();
    if (text === "") throw new KubeconfigError(`${this.#what} "${this.#path}" is empty`);
    return text;
  }
}
