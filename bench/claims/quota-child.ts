import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { bundleProgram } from "../../tools/bundle.ts";
import type { Target } from "../apiserver/load.ts";
import { heapFlags } from "../heap-flags.ts";
import { socketClient } from "./claim-client.ts";
import { ClaimLoad, type Load, type Work } from "./claim-load.ts";

export interface Setup {
  readonly controllers: boolean;
  readonly consumers: number;
  /** Number of claims of the first consumer that are granted before the start. */
  readonly history: number;
}

/** Sent by the process when it is ready, with the time to the first decision and the heap of the controllers. */
export interface Started {
  readonly target: Target;
  readonly startMs: number;
  readonly heapBytes: number;
}

export interface State {
  readonly revision: number;
  readonly cpuMs: number;
}

/** Requests to the process. Work is done by clients in that process. */
export type ChildRequest =
  | { readonly ask: "work"; readonly work: ClientWork }
  | { readonly ask: "state" }
  | { readonly ask: "stop" };

export type ClientWork = Omit<Work, "consumers">;

/** Results of a block with its costs. */
export interface Measured extends Load {
  /** Durable writes for each claim, without its create. */
  readonly writesEach: number;
  /** CPU time of the server for each claim. */
  readonly cpuMsEach: number;
}

/** Connected clients. */
export interface Connected {
  run(durationMs: number): Promise<Measured>;
  close(): Promise<void>;
}

const program = join("node_modules", ".cache", "milo-quota", "bench", "quota-process.js");

export async function bundleQuota(): Promise<void> {
  await bundleProgram("bench/claims/quota-process.ts", program);
}

/** A child process with an embedded server. */
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

  /** Runs work by clients in the process of the server. */
  runInside(work: ClientWork): Promise<Measured> {
    return this.#measured(() => this.#ask<Load>({ ask: "work", work }));
  }

  /** Connects clients in this process over TLS. */
  async connect(clients: number, until: Work["until"]): Promise<Connected> {
    const client = socketClient(this.started.target, clients);
    const claims = new ClaimLoad(client);
    if (until === "decided") await claims.watch();
    const work = { clients, until, consumers: this.#setup.consumers };
    await claims.run({ ...work, durationMs: 0, countMin: 4 * clients });
    return {
      run: (durationMs) => this.#measured(() => claims.run({ ...work, durationMs })),
      close: () => client.close(),
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

  #ask<Message>(request: ChildRequest): Promise<Message> {
    this.#child.send(request);
    return answer(this.#child);
  }
}

function answer<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    const ended = (): void => reject(new Error("the process with the embedded server exited"));
    child.once("exit", ended);
    child.once("message", (message) => {
      child.off("exit", ended);
      resolve(message as Message);
    });
  });
}
