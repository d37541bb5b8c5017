import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { bundleProgram } from "../../tools/bundle.ts";
import type { ServerLine } from "./server-program.ts";
import { TestClient } from "./test-client.ts";

export interface ServerProgram {
  readonly file: string;
  remove(): void;
}

/** Bundles a server program. `entry` takes a data folder as its argument. */
export async function buildServer(entry = "test/apiserver/server-program.ts"): Promise<ServerProgram> {
  const folder = join("node_modules", ".cache", "milo-quota", `server-${process.pid}-${Math.random()}`);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "server.js");
  await bundleProgram(entry, file);
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A server process that tests kill. */
export class KillableServer {
  readonly #process: ChildProcess;
  readonly #directory: string;
  readonly #ended: Promise<void>;
  readonly #clients: TestClient[] = [];
  readonly #port: Promise<number>;
  #output = "";

  constructor({ file }: ServerProgram, directory: string) {
    this.#directory = directory;
    this.#process = spawn(process.execPath, [file, directory], { stdio: ["ignore", "pipe", "inherit"] });
    this.#ended = new Promise((resolve) => this.#process.once("close", () => resolve()));
    const url = new Promise<number>((resolve) => {
      this.#process.stdout?.setEncoding("utf8").on("data", (text: string) => {
        this.#output += text;
        const [, port] = /^url https:\/\/127\.0\.0\.1:(\d+)$/m.exec(this.#output) ?? [];
        if (port !== undefined) resolve(Number(port));
      });
    });
    this.#port = Promise.race([url, this.#ended.then(() => 0)]);
  }

  /** Connects when the server listens; returns no clients if it exited before. */
  async connect(count: number): Promise<readonly TestClient[]> {
    const port = await this.#port;
    if (port === 0) return [];
    const { certificatePem } = JSON.parse(readFileSync(join(this.#directory, "authority.json"), "utf8"));
    for (let at = 0; at < count; at += 1)
      this.#clients.push(new TestClient(port, certificatePem, { token: "admin-token" }));
    return this.#clients.slice(-count);
  }

  /** Kills the process and returns the errors that it reported. */
  async kill(): Promise<readonly ServerLine[]> {
    this.#process.kill("SIGKILL");
    await this.#ended;
    for (const client of this.#clients) client.close();
    const lines = this.#output.split("\n") as ServerLine[];
    return lines.filter((line) => line.startsWith("fault "));
  }
}
