import { type ChildProcess, spawn } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CliTestEnv } from "../cli/cli-test-env.ts";

let env: CliTestEnv;
const children: ChildProcess[] = [];

beforeAll(async () => {
  env = await CliTestEnv.build();
}, 60_000);

afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await env.stop();
}, 60_000);

/** Starts the program and returns its output up to the given text. */
function started(
  args: readonly string[],
  isSaid: RegExp,
  errors: "inherit" | "pipe" = "inherit",
  flags: readonly string[] = [],
): Promise<{ child: ChildProcess; output: string }> {
  const child = spawn(process.execPath, [...flags, env.program, ...args], { stdio: ["ignore", "pipe", errors] });
  children.push(child);
  return new Promise((resolve, reject) => {
    let output = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      if (isSaid.test(output)) resolve({ child, output });
    });
    child.once("exit", (code) => reject(new Error(`it ended with ${code}: ${output}`)));
  });
}

describe("milo-quota up", () => {
  it("prints the metrics address and closes the port at the end", async () => {
    const args = ["up", "--in-memory", "--port", "0", "--metrics-port", "0", "--log-level", "warn"];
    const { child, output } = await started(args, /Ctrl-C/);
    const [, url = ""] = /^Metrics are at (http:\S+)\.$/m.exec(output) ?? [];
    expect(await (await fetch(url)).text()).toContain("milo_quota_policies_active 0\n");
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    await expect(fetch(url)).rejects.toThrow();
  }, 60_000);

  it("logs requests as JSON lines at the debug level", async () => {
    const args = ["up", "--in-memory", "--port", "0", "--log-level", "debug"];
    const { child } = await started(args, /Ctrl-C/, "pipe");
    let output = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    const ended = new Promise((resolve) => child.once("close", resolve));
    child.kill("SIGTERM");
    await ended;
    const lines = output.trim().split("\n");
    const requests = lines.map((line) => JSON.parse(line)).filter(({ message }) => / \/apis?\//.test(message));
    expect(requests.length).toBeGreaterThan(0);
    expect(requests[0]).toMatchObject({ level: "debug", code: expect.any(Number), ms: expect.any(Number) });
  }, 60_000);

  it("logs an unhandled rejection and keeps running", async () => {
    // Runs in every thread. Signals reach only the main thread, which passes them on to the server thread.
    const forget = `const threads = new BroadcastChannel("threads");
      process.once("SIGUSR2", () => threads.postMessage("forget"));
      threads.onmessage = () => void Promise.reject(new Error("forgotten"));
      threads.unref();`;
    const args = ["up", "--in-memory", "--port", "0", "--metrics-port", "0"];
    const { child, output } = await started(args, /Ctrl-C/, "pipe", ["--import", `data:text/javascript,${forget}`]);
    const logged = new Promise<string>((resolve) => {
      let errors = "";
      child.stderr?.on("data", (chunk: Buffer) => {
        errors += chunk.toString();
        if (errors.includes("forgotten")) resolve(errors);
      });
    });
    child.kill("SIGUSR2");
    const lines = (await logged).trim().split("\n");
    const line = lines.find((each) => each.includes("forgotten")) ?? "";
    expect(JSON.parse(line)).toMatchObject({ level: "error", message: "unhandled rejection: forgotten" });
    const [, url = ""] = /^Metrics are at (http:\S+)\.$/m.exec(output) ?? [];
    expect((await fetch(url)).status).toBe(200);
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  }, 60_000);

  const wrong: Record<string, [args: readonly string[], expectedMessage: string]> = {
    "an unknown log level": [["--log-level", "loud"], "Allowed choices are error, warn, info, debug."],
    "an invalid port": [["--metrics-port", "70000"], "must be a port number from 0 to 65535"],
  };
  it.each(Object.entries(wrong))(
    "rejects %s",
    async (_, [args, expectedMessage]) => {
      const { status, err } = await env.run(["up", "--in-memory", ...args]);
      expect(status).toBe(2);
      expect(err).toContain(expectedMessage);
    },
    60_000,
  );
});
