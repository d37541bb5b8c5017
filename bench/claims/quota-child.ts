import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { bundleProgram } from "../../tools/bundle.ts";
import type { Load, Work } from "./claimants.ts";

export interface Setup {
  readonly controllers: boolean;
  readonly consumers: number;
  /** Claims of the first consumer that were granted before. */
  readonly history: number;
}

/** What a process tells when it is ready: how long its controllers took to the first decision, and what they hold. */
export interface Started {
  readonly startMs: number;
  readonly heapBytes: number;
}

/** What a process is asked to do; to end, when there is no work. */
export interface Asked {
  readonly work?: Omit<Work, "consumers">;
}

const program = join("node_modules", ".cache", "milo-quota", "bench", "quota-process.js");

export async function bundleQuota(): Promise<void> {
  await bundleProgram("bench/claims/quota-process.ts", program);
}

/** A process with an embedded server that claims are made in. */
export class QuotaChild {
  readonly #child: ChildProcess;
  readonly started: Started;

  static async start(setup: Setup): Promise<QuotaChild> {
    const child = fork(program, [JSON.stringify(setup)], {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      execArgv: ["--expose-gc", "--max-old-space-size=12288"],
    });
    return new QuotaChild(child, await answer<Started>(child));
  }

  private constructor(child: ChildProcess, started: Started) {
    this.#child = child;
    this.started = started;
  }

  run(work: Omit<Work, "consumers">): Promise<Load> {
    const asked: Asked = { work };
    this.#child.send(asked);
    return answer(this.#child);
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.send({});
    await ended;
  }
}

function answer<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    const ended = (): void => reject(new Error("the process with the embedded server ended"));
    child.once("exit", ended);
    child.once("message", (message) => {
      child.off("exit", ended);
      resolve(message as Message);
    });
  });
}
