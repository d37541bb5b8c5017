import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { bundle } from "../../tools/bundle.ts";

export interface Said {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly folder?: string;
  /** What to start, instead of the program by its own name. */
  readonly program?: string;
}

/** The built program, and a folder for files. */
export class CliWorld {
  readonly folder: string;
  readonly program: string;
  readonly #built: string;
  readonly #builder: CliWorld | undefined;
  #server: ChildProcess | undefined;
  kubeconfig = "";
  url = "";

  constructor(folder: string, built: string, builder?: CliWorld) {
    this.folder = folder;
    this.#built = built;
    this.#builder = builder;
    this.program = join(built, "milo-quota.js");
  }

  /** Packages are found from below node_modules; every world has a build of its own, for several run at once. */
  static async build(): Promise<CliWorld> {
    const cache = resolve("node_modules/.cache/milo-quota");
    mkdirSync(cache, { recursive: true });
    const world = new CliWorld(mkdtempSync(join(tmpdir(), "milo-quota-cli-")), mkdtempSync(join(cache, "cli-")));
    await bundle(world.program);
    return world;
  }

  /** Another server and another folder, with the same program. It is to be stopped before this one. */
  another(): CliWorld {
    return new CliWorld(mkdtempSync(join(tmpdir(), "milo-quota-cli-")), this.#built, this);
  }

  /** Starts everything, in memory. Resolves to what it says when it is ready. */
  async up(flags: readonly string[] = []): Promise<string> {
    this.kubeconfig = join(this.folder, "kubeconfig");
    const args = [this.program, "up", "--in-memory", "--port", "0", "--kubeconfig", this.kubeconfig, ...flags];
    const server = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    this.#server = server;
    return new Promise((started, failed) => {
      let said = "";
      server.stdout?.on("data", (chunk: Buffer) => {
        said += chunk.toString();
        if (!said.includes("Ctrl-C")) return;
        this.url = /is running at (\S+)/.exec(said)?.[1] ?? "";
        started(said);
      });
      server.once("exit", (code) => failed(new Error(`the server ended with ${code}`)));
    });
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (server !== undefined && server.exitCode === null) {
      const ended = new Promise((end) => server.once("exit", end));
      server.kill("SIGTERM");
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true });
    if (this.#builder === undefined) rmSync(this.#built, { recursive: true, force: true });
  }

  file(name: string, text: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, text);
    return path;
  }

  /** Runs a command as it is. Nothing of this machine's own clusters is seen. */
  run(
    args: readonly string[],
    { input = "", env = {}, folder = this.folder, program }: RunOptions = {},
  ): Promise<Said> {
    const child = spawn(process.execPath, [program ?? this.program, ...args], {
      cwd: folder,
      env: { PATH: process.env["PATH"], HOME: this.folder, ...env },
    });
    const said = { out: "", err: "" };
    child.stdout.on("data", (chunk: Buffer) => {
      said.out += chunk.toString();
    });
    child.stderr.on("data", (chunk: Buffer) => {
      said.err += chunk.toString();
    });
    child.stdin.on("error", () => undefined); // a command that ends early reads nothing
    child.stdin.end(input);
    return new Promise((end) => child.once("close", (status) => end({ status, ...said })));
  }

  /** Runs a command on the server, as its administrator. */
  ask(args: readonly string[], options: RunOptions = {}): Promise<Said> {
    return this.run([...args, "--kubeconfig", this.kubeconfig], options);
  }

  /** Asks again until the answer is as expected; then whatever it is. */
  async until(args: readonly string[], isSo: (said: Said) => boolean): Promise<Said> {
    for (let looks = 0; ; looks += 1) {
      const said = await this.ask(args);
      if (isSo(said) || looks > 30) return said;
    }
  }
}
