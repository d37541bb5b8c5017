// Runs kubectl with a command line in a temporary folder and captures its output.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Result of a finished kubectl. */
export interface CommandResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A running kubectl, such as a watch. */
export interface Running {
  /** Waits until the output contains the text and returns the output. */
  until(text: string): Promise<string>;
  /** Stops it like Ctrl-C. */
  interrupt(): void;
  readonly ended: Promise<CommandResult>;
}

export interface Cluster {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
}

export interface RunOptions {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const commandMsMax = 60_000;
const outputCharactersMax = 4 << 20;

export class Kubectl {
  readonly #program: string;
  readonly #folder = mkdtempSync(join(tmpdir(), "milo-quota-kubectl-"));
  readonly #running = new Set<ChildProcess>();

  constructor(program: string, cluster: Cluster) {
    this.#program = program;
    this.file("kubeconfig", kubeconfigText(cluster), 0o600);
  }

  /** Runs a command line such as `get pods -l 'app in (a, b)'`, split at spaces outside of single quotes. */
  async run(line: string, options: RunOptions = {}): Promise<CommandResult> {
    return await this.start(line, options).ended;
  }

  start(line: string, { stdin = "", env = {} }: RunOptions = {}): Running {
    const child = spawn(this.#program, words(line), { cwd: this.#folder, env: { ...this.#environment(), ...env } });
    this.#running.add(child);
    child.once("close", () => this.#running.delete(child));
    child.stdin.on("error", () => undefined); // kubectl may exit without reading all input
    child.stdin.end(stdin);
    return watched(child, line);
  }

  /** Writes a file into the working folder of kubectl. */
  file(name: string, text: string, mode = 0o644): void {
    writeFileSync(join(this.#folder, name), text, { mode });
  }

  /** Kills all processes and deletes the folder. */
  async close(): Promise<void> {
    const ends = [...this.#running].map((child) => new Promise((resolve) => child.once("close", resolve)));
    for (const child of this.#running) child.kill("SIGKILL");
    await Promise.all(ends);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #environment(): Record<string, string> {
    const folder = this.#folder;
    const path = process.env["PATH"] ?? "";
    return { HOME: folder, TMPDIR: folder, KUBECONFIG: join(folder, "kubeconfig"), PATH: path, LC_ALL: "C" };
  }
}

function watched(child: ReturnType<typeof spawn>, line: string): Running {
  let out = "";
  let err = "";
  let look: () => void = () => undefined;
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    out = (out + text).slice(0, outputCharactersMax);
    look();
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    err = (err + text).slice(0, outputCharactersMax);
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), commandMsMax);
  const ended = new Promise<CommandResult>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      if (signal === "SIGKILL") reject(new Error(`kubectl ${line} did not end by itself; it said:\n${out}${err}`));
      else resolve({ code, out, err });
    });
  });
  ended.catch(() => undefined); // callers that await `ended` get the error
  const until = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      look = () => {
        if (out.includes(text)) resolve(out);
      };
      look();
      ended.then(() => reject(new Error(`kubectl ${line} ended without ${text}:\n${out}${err}`)), reject);
    });
  return { until, interrupt: () => child.kill("SIGINT"), ended };
}

function words(line: string): string[] {
  const found = line.match(/(?:'[^']*'|[^\s'])+/g) ?? [];
  return found.map((word) => word.replaceAll("'", ""));
}

function kubeconfigText({ url, ca, token }: Cluster): string {
  const certificate = Buffer.from(ca).toString("base64");
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "quota", cluster: { server: url, "certificate-authority-data": certificate } }],
    users: [{ name: "admin", user: { token } }],
    contexts: [{ name: "quota", context: { cluster: "quota", user: "admin" } }],
    "current-context": "quota",
  });
}
