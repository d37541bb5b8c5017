import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { bundleProgram } from "../../tools/bundle.ts";
import { heapFlags } from "../heap-flags.ts";
import { authorityIn } from "../kubeconfig.ts";
import type { Target } from "./load.ts";

export interface EmbeddedTarget extends Target {
  /** Time from the start of the process until it accepts requests. */
  readonly readyMs: number;
  resetDelay(): void;
  state(): Promise<{ readonly p99Ms: number; readonly rssBytes: number }>;
  stop(): Promise<void>;
}

const program = join("node_modules", ".cache", "milo-quota", "bench", "server-process.js");

export async function bundleServer(): Promise<void> {
  await bundleProgram("bench/apiserver/server-process.ts", program);
}

/** The embedded server, bundled, durable and in its own process. */
export async function startEmbeddedTarget(): Promise<EmbeddedTarget> {
  const child = fork(program, { stdio: ["ignore", "ignore", "inherit", "ipc"], execArgv: [...heapFlags] });
  const { url, kubeconfig, readyMs } = await answer<{ url: string; kubeconfig: string; readyMs: number }>(child);
  return {
    url,
    token: "bench",
    ca: authorityIn(kubeconfig),
    readyMs,
    resetDelay: () => child.send("reset"),
    state: () => {
      child.send("state");
      return answer(child);
    },
    stop: async () => {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.send("stop");
      await ended;
    },
  };
}

function answer<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    child.once("message", (message) => resolve(message as Message));
    child.once("exit", () => reject(new Error("the server exited")));
  });
}
