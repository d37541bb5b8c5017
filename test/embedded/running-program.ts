import { type ChildProcess, spawn } from "node:child_process";
import { resolve } from "node:path";
import type { ServerProgram } from "../apiserver/killable-server.ts";

const outputCharactersMax = 1 << 20;
/** The last line of the start message. */
const lastStartLine = "Press Ctrl-C to stop.";

export interface ExitResult {
  /** Null if it was killed. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly cwd?: string;
  /** Whether signals also go to its child processes, as from a terminal. */
  readonly isGroup?: boolean;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** A process of `milo-quota`. */
export class RunningProgram {
  readonly ending: Promise<ExitResult>;
  readonly #child: ChildProcess;
  readonly #isGroup: boolean;
  readonly #welcomed: Promise<string | undefined>;
  #stdout = "";
  #stderr = "";

  constructor(command: string, flags: readonly string[], deps: RunOptions = {}) {
    const { cwd = process.cwd(), isGroup = false, env = process.env } = deps;
    const child = spawn(command, flags, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: isGroup });
    this.#child = child;
    this.#isGroup = isGroup;
    this.ending = new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => resolve({ code, stdout: this.#stdout, stderr: this.#stderr }));
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(0, outputCharactersMax);
    });
    const welcomed = new Promise<string>((resolve) => {
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        this.#stdout = (this.#stdout + text).slice(0, outputCharactersMax);
        if (this.#stdout.includes(lastStartLine)) resolve(this.#stdout);
      });
    });
    this.#welcomed = Promise.race([welcomed, this.ending.then(() => undefined)]);
  }

  static ofBundle({ file }: ServerProgram, flags: readonly string[], deps?: RunOptions): RunningProgram {
    return new RunningProgram(process.execPath, [resolve(file), ...flags], deps);
  }

  /** Waits for the start message and returns it. */
  async welcome(): Promise<string> {
    const text = await this.#welcomed;
    if (text === undefined) throw new Error(`the program did not start: ${this.#stdout}${this.#stderr}`);
    return text;
  }

  async end(signal: "SIGTERM" | "SIGINT" | "SIGHUP" | "SIGUSR2" | "SIGKILL"): Promise<ExitResult> {
    const { pid, exitCode, signalCode } = this.#child;
    if (!this.#isGroup) this.#child.kill(signal);
    else if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, signal);
    return this.ending;
  }
}
