import { execFileSync } from "node:child_process";
import { semiSpaceMb } from "@milo-quota/quota/cli/serving/start-in-thread.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { StartedProgram } from "../../bench/program/started-program.ts";
import { Inspector } from "../../bench/walk/inspector-session.ts";
import { CliWorld } from "../cli/cli-world.ts";
import { RunningProgram } from "./running-program.ts";

/** How far the heap of a thread can grow, all generations together, and which command's server runs in the thread. */
interface Heap {
  readonly command?: string;
  readonly limit: number;
}

const limit = "process.getBuiltinModule('node:v8').getHeapStatistics().heap_size_limit";
const command = "process.getBuiltinModule('node:worker_threads').workerData?.command";

/** The limit of a Node program that is started with a flag. */
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

/** Runs in every thread. The main one alone hears of the signal, and has the others fail. */
const failing = `const threads = new BroadcastChannel("threads");
  process.once("SIGUSR2", () => threads.postMessage("fail"));
  threads.onmessage = () => { throw new Error("a fault in the server"); };
  threads.unref();`;

describe("the thread of a server", () => {
  let world: CliWorld;
  let started: StartedProgram | undefined;
  let running: RunningProgram | undefined;
  beforeAll(async () => {
    world = await CliWorld.build();
  });
  afterAll(async () => {
    await started?.stop();
    await running?.end("SIGKILL");
    await world.stop();
  });

  it("has a heap with room for what many requests at once allocate, without flags for Node", async () => {
    started = await StartedProgram.start(world.program, { inspect: true });
    const heaps = await heapsIn(started.inspectorUrl ?? "");
    const ofServer = heaps.filter((heap) => heap.command === "up");
    expect(ofServer).toEqual([{ command: "up", limit: limitWith(`--max-semi-space-size=${semiSpaceMb}`) }]);
  });

  it("ends the process when it fails", async () => {
    const flags = ["--import", `data:text/javascript,${failing}`, world.program, "up", "--in-memory", "--port", "0"];
    running = new RunningProgram(process.execPath, flags);
    await running.welcome();
    const { code, stderr } = await running.end("SIGUSR2");
    expect([code, stderr]).toEqual([1, expect.stringContaining("Error: a fault in the server")]);
  });
});
