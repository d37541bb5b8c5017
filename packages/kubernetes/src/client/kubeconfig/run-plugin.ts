import { spawn } from "node:child_process";
import type { ExecEntry } from "./kubeconfig-entries.ts";
import { KubeconfigError } from "./kubeconfig-error.ts";

const outputBytesMax = 1024 * 1024;
/** A person may have to find a phone first; a program by itself has no such excuse. */
const aloneMsMax = 60_000;
const interactiveMsMax = 10 * 60_000;

export interface PluginRun {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isInteractive: boolean;
}

/** Runs the program, and returns what it says on its standard output. What it says to people goes to ours. */
export function runPlugin(exec: ExecEntry, { env, isInteractive }: PluginRun): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(exec.command, exec.args, {
      env: env as NodeJS.ProcessEnv,
      stdio: [isInteractive ? "inherit" : "ignore", "pipe", "inherit"],
      timeout: isInteractive ? interactiveMsMax : aloneMsMax,
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
      if (bytes > outputBytesMax) reject(failed(exec, `said more than ${outputBytesMax} bytes`));
      else if (signal !== null) reject(failed(exec, `was ended by ${signal}, perhaps because it took too long`));
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

/** A hint comes from a file of somebody else: it must not command the terminal. */
function printable(text: string): string {
  return text.replace(/\p{C}/gu, (character) => (/\s/.test(character) ? character : codePointText(character)));
}

function codePointText(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
