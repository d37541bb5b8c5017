import { once } from "node:events";
import { Worker, type WorkerOptions } from "node:worker_threads";
import type { RunningServer, ServerOptions } from "./serving-flags.ts";

/** The worker data of a server's thread. */
export interface ServerThreadOptions {
  readonly command: "apiserver" | "up";
  readonly options: ServerOptions;
  /** Whether stderr is a terminal. */
  readonly isTerminal: boolean;
}

/** The message that the thread posts when the server is ready. */
export type StartedServer = Omit<RunningServer, "stop">;

/**
 * Objects that a request allocates should be garbage before V8 promotes them to the old generation. With many concurrent
 * requests, V8's default of 16 MiB is too small for that.
 */
export const semiSpaceMb = 64;
/** V8 counts two semi-spaces, and as much again for large objects. */
const youngGenerationMb = 3 * semiSpaceMb;

/** Starts a server in a worker thread, because V8 fixes the heap size of the main thread when the process starts. */
export async function startInThread(
  command: ServerThreadOptions["command"],
  options: ServerOptions,
): Promise<RunningServer> {
  const workerData: ServerThreadOptions = { command, options, isTerminal: process.stderr.isTTY === true };
  const thread = newThread({
    workerData,
    resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMb },
    stderr: true,
  });
  // Always consumed, even if our own stderr is closed: unread output would accumulate in memory.
  thread.stderr.on("data", (text: Buffer) => process.stderr.write(text));
  const [server] = (await once(thread, "message")) as [StartedServer]; // rejects when the start fails
  const stop = async (): Promise<void> => {
    const exit = once(thread, "exit");
    thread.postMessage("stop");
    await exit;
  };
  return { ...server, stop };
}

/** The bundle has server-thread.js as a file beside it. From source, tsx must be registered again: threads do not inherit it. */
function newThread(options: WorkerOptions): Worker {
  if (!import.meta.url.endsWith(".ts")) return new Worker(new URL("./server-thread.js", import.meta.url), options);
  const file = JSON.stringify(new URL("../../server-thread.ts", import.meta.url).href);
  const program = `import("tsx/esm/api").then(({ register }) => { register(); return import(${file}); });`;
  return new Worker(program, { ...options, eval: true });
}
