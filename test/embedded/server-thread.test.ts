import { execFileSync } from "node:child_process";
import { semiSpaceMb } from "@milo-quota/quota/cli/serving/start-in-thread.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { StartedProgram } from "../../bench/program/started-program.ts";
import { Inspector } from "../../bench/request-path/inspector-session.ts";
import { CliTestEnv } from "../cli/cli-test-env.ts";
import { RunningProgram } from "./running-program.ts";

/** Heap limit of a thread, and the command whose server runs in it. */
interface Heap {
  readonly command?: string;
  readonly limit: number;
}

const limit = "process.getBuiltinModule('node:v8').getHeapStatistics().heap_size_limit";
const command = "process.getBuiltinModule('node:worker_threads').workerData?.command";

/** Heap limit of a Node program with a flag. */
function limitWith(flag: string): number {
  return Number(execFileSync(process.execPath, [flag, "-p", limit], { encoding: "utf8" }));
}

async function heapsIn(inspectorUrl: string): Promise<readonly Heap[]> {
  const inspector = await Inspector.connect(inspectorUrl);
  const evaluate = { expression: `({ command: ${command}, limit: ${limit} })`, returnByValue: true };
  const answers = inspector.sessions.map((session) =>
    session.call<{ readonly result: { readonly value: Heap } }>("Runtime.evaluate", evaluate),
  );
  const heaps = (await Promise.all(answers)).map(({ result }) => result.value);
  await inspector.close();
  return heaps;
}

/** Runs in every thread. Only the main thread gets the signal, and makes the others fail. */
const failing = `const threads = new BroadcastChannel("threads");
  process.once("SIGUSR2", () => threads.postMessage("fail"));
  threads.onmessage = () => { throw new Error("a fault in the server"); };
  threads.unref();`;

describe("the server thread", () => {
  let env: CliTestEnv;
  let started: StartedProgram | undefined;
  let running: RunningProgram | undefined;
  beforeAll(async () => {
    env = await CliTestEnv.build();
  });
  afterAll(async () => {
    await started?.stop();
    await running?.end("SIGKILL");
    await env.stop();
  });

  it("has a larger young generation without Node flags", async () => {
    started = await StartedProgram.start(env.program, { inspect: true });
    const heaps = await heapsIn(started.inspectorUrl ?? "");
    const ofServer = heaps.filter((heap) => heap.command === "up");
    expect(ofServer).toEqual([{ command: "up", limit: limitWith(`--max-semi-space-size=${semiSpaceMb}`) }]);
  });

  it("terminates the process when it fails", async () => {
    const flags = ["--import", `data:text/javascript,${failing}`, env.program, "up", "--in-memory", "--port", "0"];
    running = new RunningProgram(process.execPath, flags);
    await running.welcome();
    const { code, stderr } = await running.end("SIGUSR2");
    expect([code, stderr]).toEqual([1, expect.stringContaining("Error: a fault in the server")]);
  });
});
