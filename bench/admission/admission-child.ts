import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { bundleProgram } from "../../tools/bundle.ts";
import type { Target } from "../apiserver/load.ts";
import { heapFlags } from "../heap-flags.ts";
import { CreateLoad, type Load } from "./create-load.ts";

export interface Setup {
  readonly quota: boolean;
  readonly consumers: number;
  /** Number of claims of the first consumer that are granted before the start. */
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

export interface ChildRequest {
  readonly ask: "state" | "memory" | "stop";
}

/** Results of a block with its costs. */
export interface Measured extends Load {
  /** Durable writes for each object, without its own. */
  readonly writesEach: number;
}

const program = join("node_modules", ".cache", "milo-quota", "bench", "admission-process.js");
/** After this time, all deferred writes of a create are done. */
const settleMs = 1_500;

export async function bundleAdmission(): Promise<void> {
  await bundleProgram("bench/admission/admission-process.ts", program);
}

/** A child process that runs the whole system. */
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

  clients(count: number): CreateLoad {
    return new CreateLoad(this.#target, count, this.#setup.consumers);
  }

  state(): Promise<State> {
    return this.#ask({ ask: "state" });
  }

  /** Collects garbage first, compiled code included, so the next measurement is slower. */
  memory(): Promise<Memory> {
    return this.#ask({ ask: "memory" });
  }

  /** Counts writes after the deferred ones are done. */
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

  #ask<Message>(requested: ChildRequest): Promise<Message> {
    this.#child.send(requested);
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
