import { spawn } from "node:child_process";
import type { ExecEntry } from "./kubeconfig-entries.ts";
import { KubeconfigError } from "./kubeconfig-error.ts";

const outputBytesMax = 1024 * 1024;
/** Interactive plug-ins get more time, because a person may have to fetch a second factor. */
const unattendedMsMax = 60_000;
const interactiveMsMax = 10 * 60_000;

export interface RunPluginOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isInteractive: boolean;
}

/** Runs the program and returns its standard output. Its standard error goes to ours. */
export function runPlugin(exec: ExecEntry, { env, isInteractive }: RunPluginOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(exec.command, exec.args, {
      env: env as NodeJS.ProcessEnv,
      stdio: [isInteractive ? "inherit" : "ignore", "pipe", "inherit"],
      timeout: isInteractive ? interactiveMsMax : unattendedMsMax,
      killSignal: "SIGKILL",
    });
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    child.stdout?.on("data", (chunk: Uint8Array) => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > outputBytesMax) child.kill("SIGKILL");
    });
    child.once("error", (error) => reject(notStarted(exec, error)));
    child.once("close", (code, signal) => {
      if (bytes > outputBytesMax) reject(failed(exec, `wrote more than ${outputBytesMax} bytes`));
      else if (signal !== null) reject(failed(exec, `was killed by ${signal}, probably because it took too long`));
      else if (code !== 0) reject(failed(exec, `failed with exit code ${code}`));
      else resolve(Buffer.concat(chunks).toString("utf8"));
    });
  });
}

function failed({ command }: ExecEntry, how: string): KubeconfigError {
  return new KubeconfigError(`getting credentials: exec: executable ${command} ${how}`);
}

function notStarted(exec: ExecEntry, error: NodeJS.ErrnoException): KubeconfigError {
  if (error.code !== "ENOENT") return new KubeconfigError(`getting credentials: exec: ${error.message}`);
  const hint = printable(exec.installHint);
  const advice = "It is looking like you are trying to use a client-go credential plugin that is not installed.";
  const words = [failed(exec, "not found").message, advice, ...(hint === "" ? [] : [hint])];
  return new KubeconfigError(words.join("\n\n"));
}

/** A hint comes from a configuration file: it must not contain terminal escape sequences. */
function printable(text: string): string {
  return text.replace(/\p{C}/gu, (character) => (/\s/.test(character) ? character : codePointText(character)));
}

function codePointText(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
