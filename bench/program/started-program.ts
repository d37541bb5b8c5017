import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { Target } from "../apiserver/load.ts";
import { authorityIn } from "../kubeconfig.ts";
import { cpuTimesOf } from "./cpu-time.ts";

const token = "token-of-the-benchmarks";
const startMsMax = 30_000;
const stopMsMax = 15_000;
/** `milo-quota up` prints its address when it is ready. */
const serverAddress = /https:\/\/127\.0\.0\.1:\d+/;
const inspectorAddress = /ws:\/\/127\.0\.0\.1:\d+\/\S+/;
/** Lines of Node's inspector on stderr. */
const inspectorLine = /^(Debugger |For help, see: https:\/\/nodejs)/;

/** A process of `milo-quota up` from a build, on a free port with its own data folder. */
export class StartedProgram {
  readonly target: Target;
  /** Address of Node's inspector if the program was started with it. */
  readonly inspectorUrl: string | undefined;
  readonly #child: ChildProcess;
  readonly #removeFolder: () => void;

  static async start(file: string, { inspect = false } = {}): Promise<StartedProgram> {
    const folder = mkdtempSync(join(tmpdir(), "milo-quota-bench-"));
    const nodeFlags = inspect ? ["--inspect=127.0.0.1:0"] : [];
    const upFlags = ["--data-dir", folder, "--port", "0", "--token", token];
    const child = spawn(process.execPath, [...nodeFlags, file, "up", ...upFlags], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    const removeFolder = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    const abandon = (): void => {
      child.kill("SIGKILL");
      removeFolder();
    };
    process.once("exit", abandon);
    child.once("exit", () => process.off("exit", abandon));
    passErrorsOn(child.stderr);
    try {
      const [url, inspectorUrl] = await Promise.all([
        printed(child, child.stdout, serverAddress),
        inspect ? printed(child, child.stderr, inspectorAddress) : undefined,
      ]);
      const target = { url, token, ca: authorityIn(join(folder, "kubeconfig")) };
      return new StartedProgram(child, { target, inspectorUrl, removeFolder });
    } catch (error) {
      await ended(child, "SIGKILL");
      removeFolder();
      throw error;
    }
  }

  private constructor(
    child: ChildProcess,
    started: { readonly target: Target; readonly inspectorUrl: string | undefined; readonly removeFolder: () => void },
  ) {
    this.#child = child;
    this.target = started.target;
    this.inspectorUrl = started.inspectorUrl;
    this.#removeFolder = started.removeFolder;
  }

  /** CPU time of the program; NaN where the operating system has no /proc. */
  cpuMs(): number {
    return cpuTimesOf(this.#child.pid).ownMs;
  }

  async stop(): Promise<void> {
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), stopMsMax);
    await ended(this.#child, "SIGTERM");
    clearTimeout(timer);
    this.#removeFolder();
  }
}

function passErrorsOn(stderr: Readable): void {
  let rest = "";
  stderr.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (!inspectorLine.test(line)) console.error(line);
  });
}

/** The first match in the output of the program. */
function printed(child: ChildProcess, stream: Readable, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const timer = setTimeout(
      () => reject(new Error(`the program was not ready within ${startMsMax / 1_000} s`)),
      startMsMax,
    );
    const onEnd = (): void => {
      clearTimeout(timer);
      reject(new Error("the program exited before it was ready"));
    };
    child.once("exit", onEnd);
    const onData = (chunk: string): void => {
      text += chunk;
      const [found] = pattern.exec(text) ?? [];
      if (found === undefined) return;
      stream.off("data", onData).resume();
      child.off("exit", onEnd);
      clearTimeout(timer);
      resolve(found);
    };
    stream.setEncoding("utf8").on("data", onData);
  });
}

function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  const exit = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.kill(signal);
  return exit;
}
