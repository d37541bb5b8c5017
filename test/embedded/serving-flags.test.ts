import { type ChildProcess, spawn } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CliWorld } from "../cli/cli-world.ts";

let world: CliWorld;
const children: ChildProcess[] = [];

beforeAll(async () => {
  world = await CliWorld.build();
}, 60_000);

afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await world.stop();
}, 60_000);

/** Starts the program, and gives what it says until it has said this. */
function started(
  args: readonly string[],
  isSaid: RegExp,
  errors: "inherit" | "pipe" = "inherit",
  flags: readonly string[] = [],
): Promise<{ child: ChildProcess; said: string }> {
  const child = spawn(process.execPath, [...flags, world.program, ...args], { stdio: ["ignore", "pipe", errors] });
  children.push(child);
  return new Promise((resolve, reject) => {
    let said = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      if (isSaid.test(said)) resolve({ child, said });
    });
    child.once("exit", (code) => reject(new Error(`it ended with ${code}: ${said}`)));
  });
}

describe("milo-quota up", () => {
  it("says where metrics are, if they have a port of their own, and lets go of it at the end", async () => {
    const args = ["up", "--in-memory", "--port", "0", "--metrics-port", "0", "--log-level", "warn"];
    const { child, said } = await started(args, /Ctrl-C/);
    const [, url = ""] = /^Metrics are at (http:\S+)\.$/m.exec(said) ?? [];
    expect(await (await fetch(url)).text()).toContain("milo_quota_policies_active 0\n");
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    await expect(fetch(url)).rejects.toThrow();
  }, 60_000);

  it("says what it is asked for when it is told to, a line of JSON for each", async () => {
    const args = ["up", "--in-memory", "--port", "0", "--log-level", "debug"];
    const { child } = await started(args, /Ctrl-C/, "pipe");
    let said = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
    const ended = new Promise((resolve) => child.once("close", resolve));
    child.kill("SIGTERM");
    await ended;
    const lines = said.trim().split("\n");
    const requests = lines.map((line) => JSON.parse(line)).filter(({ message }) => / \/apis?\//.test(message));
    expect(requests.length).toBeGreaterThan(0);
    expect(requests[0]).toMatchObject({ level: "debug", code: expect.any(Number), ms: expect.any(Number) });
  }, 60_000);

  it("tells of a failure that nobody waited for, and goes on", async () => {
    // Runs in every thread. Signals reach the main one only, which passes it on to the server's.
    const forget = `const threads = new BroadcastChannel("threads");
      process.once("SIGUSR2", () => threads.postMessage("forget"));
      threads.onmessage = () => void Promise.reject(new Error("forgotten"));
      threads.unref();`;
    const args = ["up", "--in-memory", "--port", "0", "--metrics-port", "0"];
    const { child, said } = await started(args, /Ctrl-C/, "pipe", ["--import", `data:text/javascript,${forget}`]);
    const told = new Promise<string>((resolve) => {
      let errors = "";
      child.stderr?.on("data", (chunk: Buffer) => {
        errors += chunk.toString();
        if (errors.includes("forgotten")) resolve(errors);
      });
    });
    child.kill("SIGUSR2");
    const lines = (await told).trim().split("\n");
    const line = lines.find((each) => each.includes("forgotten")) ?? "";
    expect(JSON.parse(line)).toMatchObject({ level: "error", message: "nobody waited for this: forgotten" });
    const [, url = ""] = /^Metrics are at (http:\S+)\.$/m.exec(said) ?? [];
    expect((await fetch(url)).status).toBe(200);
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  }, 60_000);

  const wrong: Record<string, [args: readonly string[], says: string]> = {
    "a level that there is not": [["--log-level", "loud"], "Allowed choices are error, warn, info, debug."],
    "a port that there is not": [["--metrics-port", "70000"], "a port is a number from 0 to 65535"],
  };
  it.each(Object.entries(wrong))(
    "refuses %s",
    async (_, [args, says]) => {
      const { status, err } = await world.run(["up", "--in-memory", ...args]);
      expect(status).toBe(2);
      expect(err).toContain(says);
    },
    60_000,
  );
});
