import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { bundleProgram } from "../../tools/bundle.ts";
import type { AcknowledgedWrite } from "./writer-program.ts";

/** Bundles the writer program. */
export async function buildWriter(): Promise<{ readonly program: string; readonly remove: () => void }> {
  const folder = join("node_modules", ".cache", "milo-quota", `writer-${process.pid}-${Math.random()}`);
  mkdirSync(folder, { recursive: true });
  const program = join(folder, "writer.js");
  await bundleProgram("test/storage/writer-program.ts", program);
  return { program, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Output of a writer until its exit. */
export interface WriterOutput {
  readonly opened: readonly number[];
  readonly rejected: readonly string[];
  /** What a full disk rejected. */
  readonly full: readonly string[];
  readonly answered: readonly AcknowledgedWrite[];
}

/** A writer process. */
export class Child {
  readonly #process: ChildProcess;
  readonly #ended: Promise<void>;
  #output = "";
  #onOutput: (() => void) | undefined;

  constructor(command: string, args: readonly string[]) {
    this.#process = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
    this.#process.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#output += text;
      this.#onOutput?.();
    });
    this.#ended = new Promise((resolve) => this.#process.once("close", () => resolve()));
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Waits until it has opened the store or exited. */
  async open(): Promise<void> {
    const opened = new Promise<void>((resolve) => {
      this.#onOutput = () => this.#output.includes("\n") && resolve();
      this.#onOutput();
    });
    await Promise.race([opened, this.#ended]);
  }

  async kill(): Promise<WriterOutput> {
    this.#process.kill("SIGKILL");
    return this.end();
  }

  async end(): Promise<WriterOutput> {
    await this.#ended;
    const lines = this.#output.split("\n").slice(0, -1); // the last line may be incomplete
    const after = (word: string) =>
      lines.filter((line) => line.startsWith(word)).map((line) => line.slice(word.length));
    return {
      opened: after("open ").map(Number),
      rejected: after("rejected "),
      full: after("full "),
      answered: lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line) as AcknowledgedWrite),
    };
  }
}
