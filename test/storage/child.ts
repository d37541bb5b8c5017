import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { bundleProgram } from "../../tools/bundle.ts";
import type { Answered } from "./writer-program.ts";

/** The writer as one file, beside the packages that it needs. */
export async function buildWriter(): Promise<{ readonly program: string; readonly remove: () => void }> {
  const folder = join("node_modules", ".cache", "milo-quota", `writer-${process.pid}-${Math.random()}`);
  mkdirSync(folder, { recursive: true });
  const program = join(folder, "writer.js");
  await bundleProgram("test/storage/writer-program.ts", program);
  return { program, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** What a writer said up to its end. */
export interface Said {
  readonly opened: readonly number[];
  readonly refused: readonly string[];
  readonly answered: readonly Answered[];
}

/** A process that writes. */
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

  /** Until it has opened the store, or has ended. */
  async open(): Promise<void> {
    const opened = new Promise<void>((resolve) => {
      this.#onOutput = () => this.#output.includes("\n") && resolve();
      this.#onOutput();
    });
    await Promise.race([opened, this.#ended]);
  }

  async kill(): Promise<Said> {
    this.#process.kill("SIGKILL");
    return this.end();
  }

  async end(): Promise<Said> {
    await this.#ended;
    const lines = this.#output.split("\n").slice(0, -1); // the last one may be cut short
    const after = (word: string) =>
      lines.filter((line) => line.startsWith(word)).map((line) => line.slice(word.length));
    return {
      opened: after("open ").map(Number),
      refused: after("refused "),
      answered: lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line) as Answered),
    };
  }
}
