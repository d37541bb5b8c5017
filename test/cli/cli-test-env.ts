import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { bundle } from "../../tools/bundle.ts";

export interface CommandResult {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly directory?: string;
  /** The file to run, such as a link to the program. */
  readonly program?: string;
}

/** The bundled program, a temporary directory, and optionally a server. */
export class CliTestEnv {
  readonly directory: string;
  readonly program: string;
  readonly #bundleDirectory: string;
  readonly #owner: CliTestEnv | undefined;
  #server: ChildProcess | undefined;
  kubeconfig = "";
  url = "";

  constructor(directory: string, bundleDirectory: string, owner?: CliTestEnv) {
    this.directory = directory;
    this.#bundleDirectory = bundleDirectory;
    this.#owner = owner;
    this.program = join(bundleDirectory, "milo-quota.js");
  }

  /** The bundle is below node_modules to resolve packages, and not shared, because test files run concurrently. */
  static async build(): Promise<CliTestEnv> {
    const cache = resolve("node_modules/.cache/milo-quota");
    mkdirSync(cache, { recursive: true });
    const env = new CliTestEnv(mkdtempSync(join(tmpdir(), "milo-quota-cli-")), mkdtempSync(join(cache, "cli-")));
    await bundle(env.program);
    return env;
  }

  /** An environment with the same bundle but its own directory and server. Stop it before this one. */
  sibling(): CliTestEnv {
    return new CliTestEnv(mkdtempSync(join(tmpdir(), "milo-quota-cli-")), this.#bundleDirectory, this);
  }

  /** Runs `milo-quota up` in memory. Resolves to its banner. */
  async startServer(flags: readonly string[] = []): Promise<string> {
    this.kubeconfig = join(this.directory, "kubeconfig");
    const args = [this.program, "up", "--in-memory", "--port", "0", "--kubeconfig", this.kubeconfig, ...flags];
    const server = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    this.#server = server;
    return new Promise((resolveBanner, reject) => {
      let banner = "";
      server.stdout?.on("data", (chunk: Buffer) => {
        banner += chunk.toString();
        if (!banner.includes("Ctrl-C")) return;
        this.url = /is running at (\S+)/.exec(banner)?.[1] ?? "";
        resolveBanner(banner);
      });
      server.once("exit", (code) => reject(new Error(`the server exited with ${code}`)));
    });
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (server !== undefined && server.exitCode === null) {
      const exit = new Promise((onExit) => server.once("exit", onExit));
      server.kill("SIGTERM");
      await exit;
    }
    rmSync(this.directory, { recursive: true, force: true });
    if (this.#owner === undefined) rmSync(this.#bundleDirectory, { recursive: true, force: true });
  }

  writeFile(name: string, text: string): string {
    const path = join(this.directory, name);
    writeFileSync(path, text);
    return path;
  }

  /** Runs a command, without access to the kubeconfig of this machine. */
  run(
    args: readonly string[],
    { input = "", env = {}, directory = this.directory, program }: RunOptions = {},
  ): Promise<CommandResult> {
    const child = spawn(process.execPath, [program ?? this.program, ...args], {
      cwd: directory,
      env: { PATH: process.env["PATH"], HOME: this.directory, ...env },
    });
    const output = { out: "", err: "" };
    child.stdout.on("data", (chunk: Buffer) => {
      output.out += chunk.toString();
    });
    child.stderr.on("data", (chunk: Buffer) => {
      output.err += chunk.toString();
    });
    child.stdin.on("error", () => undefined); // a command that exits early does not read stdin
    child.stdin.end(input);
    return new Promise((onClose) => child.once("close", (status) => onClose({ status, ...output })));
  }

  /** Runs a command on the server as its administrator. */
  runAsAdmin(args: readonly string[], options: RunOptions = {}): Promise<CommandResult> {
    return this.run([...args, "--kubeconfig", this.kubeconfig], options);
  }

  /** Repeats a command until its result is as expected, at most 30 times; resolves to the last result. */
  async runUntil(args: readonly string[], isExpected: (result: CommandResult) => boolean): Promise<CommandResult> {
    for (let attempt = 0; ; attempt += 1) {
      const result = await this.runAsAdmin(args);
      if (isExpected(result) || attempt > 30) return result;
    }
  }
}
