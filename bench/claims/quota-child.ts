import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { bundleProgram } from "../../tools/bundle.ts";
import type { Target } from "../apiserver/load.ts";
import { heapFlags } from "../heap-flags.ts";
import { Claimants, type Load, type Work } from "./claimants.ts";
import { socketDoor } from "./door.ts";

export interface Setup {
  readonly controllers: boolean;
  readonly consumers: number;
  /** Claims of the first consumer that were granted before. */
  readonly history: number;
}

/** What a process tells when it is ready: how long its controllers took to the first decision, and what they hold. */
export interface Started {
  readonly target: Target;
  readonly startMs: number;
  readonly heapBytes: number;
}

export interface State {
  readonly revision: number;
  readonly cpuMs: number;
}

/** What a process is asked to do. Work is that of clients in the same process. */
export type Asked =
  | { readonly ask: "work"; readonly work: ClientWork }
  | { readonly ask: "state" }
  | { readonly ask: "stop" };

export type ClientWork = Omit<Work, "consumers">;

/** What work came to, and what it took. */
export interface Measured extends Load {
  /** Durable writes for each claim, its own create not counted. */
  readonly writesEach: number;
  /** Time of all processors in the server for each claim. */
  readonly cpuMsEach: number;
}

/** Clients that are ready to work. */
export interface Connected {
  run(durationMs: number): Promise<Measured>;
  close(): Promise<void>;
}

const program = join("node_modules", ".cache", "milo-quota", "bench", "quota-process.js");

export async function bundleQuota(): Promise<void> {
  await bundleProgram("bench/claims/quota-process.ts", program);
}

/** A process with an embedded server that claims are made in. */
export class QuotaChild {
  readonly #child: ChildProcess;
  readonly #setup: Setup;
  readonly started: Started;

  static async start(setup: Setup): Promise<QuotaChild> {
    const child = fork(program, [JSON.stringify(setup)], {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      execArgv: ["--expose-gc", "--max-old-space-size=12288", ...heapFlags],
    });
    return new QuotaChild(child, setup, await answer<Started>(child));
  }

  private constructor(child: ChildProcess, setup: Setup, started: Started) {
    this.#child = child;
    this.#setup = setup;
    this.started = started;
  }

  /** By clients in the same process as the server. */
  runInside(work: ClientWork): Promise<Measured> {
    return this.#measured(() => this.#ask<Load>({ ask: "work", work }));
  }

  /** Clients in this process, over TLS, with their connections open. */
  async connect(clients: number, until: Work["until"]): Promise<Connected> {
    const door = socketDoor(this.started.target, clients);
    const claimants = new Claimants(door);
    if (until === "decided") await claimants.watch();
    const work = { clients, until, consumers: this.#setup.consumers };
    await claimants.run({ ...work, durationMs: 0, countMin: 4 * clients });
    return {
      run: (durationMs) => this.#measured(() => claimants.run({ ...work, durationMs })),
      close: () => door.close(),
    };
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.send({ ask: "stop" });
    await ended;
  }

  async #measured(work: () => Promise<Load>): Promise<Measured> {
    const before = await this.#ask<State>({ ask: "state" });
    const load = await work();
    const after = await this.#ask<State>({ ask: "state" });
    return {
      ...load,
      writesEach: (after.revision - before.revision - load.count) / load.count,
      cpuMsEach: (after.cpuMs - before.cpuMs) / load.count,
    };
  }

  #ask<Message>(asked: Asked): Promise<Message> {
    this.#child.send(asked);
    return answer(this.#child);
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
