// The environment of a guide: a folder that looks like a clone, the program, kubectl, and the server that the guide starts.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

export interface CommandResult {
  readonly code: number | null;
  /** Stdout and stderr, interleaved in order of output. */
  readonly output: string;
}

export interface Programs {
  readonly kubectl: string;
  /** Path of the bundled program. */
  readonly miloQuota: string;
}

const commandMsMax = 60_000;
const outputCharactersMax = 1 << 20;
const clone = join(import.meta.dirname, "../..");

/** Guides show the address of a server that was started without flags. */
const urlInGuides = "https://127.0.0.1:6443";
const lastLineOfBanner = "Press Ctrl-C to stop.";

export class GuideSandbox {
  readonly #folder = mkdtempSync(join(tmpdir(), "milo-quota-guide-"));
  #server: ChildProcess | undefined;
  #url = urlInGuides;
  #serverLog = "";

  constructor({ kubectl, miloQuota }: Programs) {
    symlinkSync(join(clone, "examples"), join(this.#folder, "examples"));
    writeFileSync(join(this.#folder, ".exports"), "");
    this.#script("kubectl", `exec "${kubectl}" "$@"`);
    this.#script("npx", `shift; exec "${process.execPath}" "${miloQuota}" "$@"`);
    this.#script("npm", `shift 4; exec "${process.execPath}" "${miloQuota}" "$@"`); // npm run -s milo-quota -- ...
  }

  /** Runs the equivalent of `npm start` on a free port, since another server may use 6443. Resolves with the banner. */
  async start(): Promise<string> {
    const server = spawn(join(this.#folder, "npx"), ["milo-quota", "up", "--port", "0"], {
      cwd: this.#folder,
      env: { ...process.env, PATH: this.#searchPath },
    });
    this.#server = server;
    server.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#serverLog = (this.#serverLog + text).slice(0, outputCharactersMax);
    });
    const banner = await new Promise<string>((resolve, reject) => {
      let printed = "";
      server.stdout.setEncoding("utf8").on("data", (text: string) => {
        printed += text;
        if (printed.includes(lastLineOfBanner)) resolve(printed);
      });
      server.once("close", () => reject(new Error(`the server did not start:\n${printed}${this.#serverLog}`)));
    });
    this.#url = /https:\/\/[^\s)]+/.exec(banner)?.[0] ?? urlInGuides;
    return this.#withUrlOfGuides(banner);
  }

  /** The stderr log of the server so far. */
  get serverLog(): string {
    return this.#serverLog;
  }

  /** Runs a command in a shell. Variables that it exports are set for later commands. */
  async run(command: string): Promise<CommandResult> {
    const { code, output } = await this.#shell(command.replaceAll(urlInGuides, this.#url));
    return { code, output: this.#withUrlOfGuides(output) };
  }

  /** Stops the server and removes the folder. Resolves with the exit code of the server. */
  async close(): Promise<number | null> {
    const server = this.#server;
    const code = await new Promise<number | null>((resolve) => {
      if (server === undefined || server.exitCode !== null) resolve(server?.exitCode ?? 0);
      server?.once("close", resolve);
      server?.kill("SIGTERM");
    });
    rmSync(this.#folder, { recursive: true, force: true });
    return code;
  }

  #script(name: string, body: string): void {
    writeFileSync(join(this.#folder, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  }

  get #searchPath(): string {
    return [this.#folder, dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter);
  }

  #withUrlOfGuides(text: string): string {
    return text.replaceAll(this.#url, urlInGuides);
  }

  #shell(line: string): Promise<CommandResult> {
    const script = `exec 2>&1\nset -o pipefail\n. ./.exports\ntrap 'export -p > .exports' EXIT\n${line}`;
    const env = { HOME: this.#folder, TMPDIR: this.#folder, PATH: this.#searchPath, LC_ALL: "C.UTF-8" };
    const child = spawn("bash", ["-c", script], { cwd: this.#folder, env });
    return resultOf(child);
  }
}

function resultOf(child: ChildProcess): Promise<CommandResult> {
  let output = "";
  child.stdin?.end();
  child.stdout?.setEncoding("utf8").on("data", (part: string) => {
    output = (output + part).slice(0, outputCharactersMax);
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), commandMsMax);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(timer);
      resolve({ code, output });
    });
  });
}
