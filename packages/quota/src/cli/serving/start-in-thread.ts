import { once } from "node:events";
import { Worker, type WorkerOptions } from "node:worker_threads";
import type { RunningServer, ServerOptions } from "./serving-flags.ts";

/** What the thread of a server is told when it starts. */
export interface ServerOrder {
  readonly command: "apiserver" | "up";
  readonly options: ServerOptions;
  /** Whether people read the error output. */
  readonly hasTerminal: boolean;
}

/** What the thread tells when the server can be used. */
export type StartedServer = Omit<RunningServer, "stop">;

/**
 * What a request allocates should be garbage before V8 moves it to the old generation. With many requests at once, V8's
 * default of 16 MiB is too little for that.
 */
export const semiSpaceMb = 64;
/** V8 counts two semi-spaces, and large objects of the same size. */
const youngGenerationMb = 3 * semiSpaceMb;

/** Starts a server in a thread of its own. V8 sizes a heap when it makes it: that of the main thread cannot grow any more. */
export async function startInThread(command: ServerOrder["command"], options: ServerOptions): Promise<RunningServer> {
  const order: ServerOrder = { command, options, hasTerminal: process.stderr.isTTY === true };
  const thread = newThread({
    workerData: order,
    resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMb },
    stderr: true,
  });
  // Read also when our own error output is closed: unread output would accumulate in memory.
  thread.stderr.on("data", (text: Buffer) => process.stderr.write(text));
  const [server] = (await once(thread, "message")) as [StartedServer]; // rejects when the start fails
  const stop = async (): Promise<void> => {
    const exit = once(thread, "exit");
    thread.postMessage("stop");
    await exit;
  };
  return { ...server, stop };
}

/** Its program is a file beside the bundle. Run from source, it is compiled as this one is; threads do not inherit that. */
function newThread(options: WorkerOptions): Worker {
  if (!import.meta.url.endsWith(".ts")) return new Worker(new URL("./server-thread.js", import.meta.url), options);
  const file = JSON.stringify(new URL("../../server-thread.ts", import.meta.url).href);
  const program = `import("tsx/esm/api").then(({ register }) => { register(); return import(${file}); });`;
  return new Worker(program, { ...options, eval: true });
}
