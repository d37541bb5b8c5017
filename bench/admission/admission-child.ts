import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { bundleProgram } from "../../tools/bundle.ts";
import type { Target } from "../apiserver/load.ts";
import { heapFlags } from "../heap-flags.ts";
import { type Load, Makers } from "./makers.ts";

export interface Setup {
  readonly quota: boolean;
  readonly consumers: number;
  /** Claims of the first consumer that were granted before. */
  readonly history: number;
}

export interface Started {
  readonly target: Target;
}

export interface State {
  readonly revision: number;
}

export interface Memory {
  readonly heapBytes: number;
}

export interface Asked {
  readonly ask: "state" | "memory" | "stop";
}

/** What work came to, and what it took. */
export interface Measured extends Load {
  /** Durable writes for each object, its own not counted. */
  readonly writesEach: number;
}

const program = join("node_modules", ".cache", "milo-quota", "bench", "admission-process.js");
/** Within that, everything that follows from a create has been written. */
const settleMs = 1_500;

export async function bundleAdmission(): Promise<void> {
  await bundleProgram("bench/admission/admission-process.ts", program);
}

/** A process that objects are created in. */
export class AdmissionChild {
  readonly #child: ChildProcess;
  readonly #setup: Setup;
  readonly #target: Target;

  static async start(setup: Setup): Promise<AdmissionChild> {
    const child = fork(program, [JSON.stringify(setup)], {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      execArgv: ["--expose-gc", "--max-old-space-size=8192", ...heapFlags],
    });
    const { target } = await answer<Started>(child);
    return new AdmissionChild(child, setup, target);
  }

  private constructor(child: ChildProcess, setup: Setup, target: Target) {
    this.#child = child;
    this.#setup = setup;
    this.#target = target;
  }

  clients(count: number): Makers {
    return new Makers(this.#target, count, this.#setup.consumers);
  }

  state(): Promise<State> {
    return this.#ask({ ask: "state" });
  }

  /** Everything that is not needed is collected first, compiled code included: what is measured next is slower. */
  memory(): Promise<Memory> {
    return this.#ask({ ask: "memory" });
  }

  /** Writes are counted when all that follows has been written, too. */
  async measured(work: () => Promise<Load>): Promise<Measured> {
    const before = await this.state();
    const load = await work();
    await new Promise((resolve) => setTimeout(resolve, settleMs));
    const after = await this.state();
    return { ...load, writesEach: (after.revision - before.revision - load.count) / load.count };
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.send({ ask: "stop" });
    await ended;
  }

  #ask<Message>(asked: Asked): Promise<Message> {
    this.#child.send(asked);
    return answer(this.#child);
  }
}

function answer<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    const ended = (): void => reject(new Error("the process ended"));
    child.once("exit", ended);
    child.once("message", (message) => {
      child.off("exit", ended);
      resolve(message as Message);
    });
  });
}
