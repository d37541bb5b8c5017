// Where a guide is tried: a folder of its own that looks like a clone, the program, a kubectl, and the system that the guide
// starts.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

export interface Printed {
  readonly code: number | null;
  /** Both outputs, in the order in which they were written. */
  readonly text: string;
}

export interface Programs {
  readonly kubectl: string;
  /** The program of this project, in one file. */
  readonly miloQuota: string;
}

const commandMsMax = 60_000;
const outputCharactersMax = 1 << 20;
const clone = join(import.meta.dirname, "../..");

/** Guides say where a server listens that was started without flags. */
const urlInGuides = "https://127.0.0.1:6443";
const lastLineOfWelcome = "Ctrl-C stops it.";

export class Stand {
  readonly #folder = mkdtempSync(join(tmpdir(), "milo-quota-guide-"));
  #server: ChildProcess | undefined;
  #url = urlInGuides;
  #complaints = "";

  constructor({ kubectl, miloQuota }: Programs) {
    symlinkSync(join(clone, "examples"), join(this.#folder, "examples"));
    this.file(".exports", "");
    this.#program("kubectl", `exec "${kubectl}" "$@"`);
    this.#program("npx", `shift; exec "${process.execPath}" "${miloQuota}" "$@"`);
    this.#program("npm", `shift 4; exec "${process.execPath}" "${miloQuota}" "$@"`); // npm run -s milo-quota -- ...
  }

  /** What `npm start` does, but for the port: another server may run on this machine. Resolves with what it prints. */
  async start(): Promise<string> {
    const server = spawn(join(this.#folder, "npx"), ["milo-quota", "up", "--port", "0"], {
      cwd: this.#folder,
      env: { ...process.env, PATH: this.#searchPath },
    });
    this.#server = server;
    server.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#complaints = (this.#complaints + text).slice(0, outputCharactersMax);
    });
    const welcome = await new Promise<string>((resolve, reject) => {
      let said = "";
      server.stdout.setEncoding("utf8").on("data", (text: string) => {
        said += text;
        if (said.includes(lastLineOfWelcome)) resolve(said);
      });
      server.once("close", () => reject(new Error(`the system did not start:\n${said}${this.#complaints}`)));
    });
    this.#url = /https:\/\/[^\s)]+/.exec(welcome)?.[0] ?? urlInGuides;
    return this.#asInGuides(welcome);
  }

  /** What the system complained about on its standard error. */
  get complaints(): string {
    return this.#complaints;
  }

  file(name: string, text: string): void {
    writeFileSync(join(this.#folder, name), text.replaceAll(urlInGuides, this.#url));
  }

  /** Types a command. Variables that it exports are there for those after it. */
  async run(command: string): Promise<Printed> {
    const { code, text } = await this.#shell(command.replaceAll(urlInGuides, this.#url));
    return { code, text: this.#asInGuides(text) };
  }

  /** Nothing is left: no process, no file. Resolves with how the server ended. */
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

  #program(name: string, body: string): void {
    writeFileSync(join(this.#folder, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  }

  get #searchPath(): string {
    return [this.#folder, dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter);
  }

  #asInGuides(text: string): string {
    return text.replaceAll(this.#url, urlInGuides);
  }

  #shell(line: string): Promise<Printed> {
    const script = `exec 2>&1\nset -o pipefail\n. ./.exports\ntrap 'export -p > .exports' EXIT\n${line}`;
    const env = { HOME: this.#folder, TMPDIR: this.#folder, PATH: this.#searchPath, LC_ALL: "C.UTF-8" };
    const child = spawn("bash", ["-c", script], { cwd: this.#folder, env });
    return printedBy(child);
  }
}

function printedBy(child: ChildProcess): Promise<Printed> {
  let text = "";
  child.stdin?.end();
  child.stdout?.setEncoding("utf8").on("data", (part: string) => {
    text = (text + part).slice(0, outputCharactersMax);
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), commandMsMax);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(timer);
      resolve({ code, text });
    });
  });
}
