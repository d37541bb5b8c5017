import { readFile } from "node:fs/promises";
import type { Clock } from "../../protocol/clock.ts";
import { fileFault, KubeconfigError } from "./kubeconfig-error.ts";

const bytesMax = 1024 * 1024;

/** How long the content of a file is used before the file is looked at again: tokens in a cluster are renewed in place. */
const fresh = 50_000;

/** A small file that somebody renews while we run. */
export class RereadFile {
  readonly #path: string;
  readonly #what: string;
  readonly #clock: Clock;
  #read: { readonly text: string; readonly atMs: number } | undefined;

  constructor(path: string, what: string, clock: Clock) {
    this.#path = path;
    this.#what = what;
    this.#clock = clock;
  }

  /** What it holds, without the space around it. A file that cannot be read just now keeps its last content. */
  async text(): Promise<string> {
    const known = this.#read;
    const nowMs = this.#clock.now();
    if (known !== undefined && Math.abs(nowMs - known.atMs) < fresh) return known.text;
    try {
      this.#read = { text: await this.#content(), atMs: nowMs };
    } catch (error) {
      if (known === undefined) throw error;
      this.#read = { text: known.text, atMs: nowMs };
    }
    return this.#read.text;
  }

  /** What was read is not believed any more: the next one who asks gets what the file holds then. */
  forget(): void {
    if (this.#read !== undefined) this.#read = { text: this.#read.text, atMs: Number.NEGATIVE_INFINITY };
  }

  async #content(): Promise<string> {
    const bytes = await readFile(this.#path).catch((error: unknown) => {
      throw new KubeconfigError(`failed to read ${this.#what} "${this.#path}": ${fileFault(error)}`);
    });
    if (bytes.length > bytesMax)
      throw new KubeconfigError(`${this.#what} "${this.#path}" has more than ${bytesMax} bytes`);
    const text = bytes.toString("utf8").trim();
    if (text === "") throw new KubeconfigError(`${this.#what} "${this.#path}" is empty`);
    return text;
  }
}
