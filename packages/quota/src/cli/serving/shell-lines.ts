import { accessSync, constants } from "node:fs";
import { basename, delimiter, join, relative, resolve } from "node:path";

/** What can be typed in a shell here. */
export interface Shell {
  readonly hasKubectl: boolean;
  /** How this program is called. */
  readonly program: string;
}

export interface ShellSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  /** The program, as the process was started with it. */
  readonly started: string;
  readonly currentFolder: string;
}

export function shellOf({ env, platform, started, currentFolder }: ShellSurroundings): Shell {
  const names = platform === "win32" ? ["kubectl.exe", "kubectl.cmd", "kubectl.bat"] : ["kubectl"];
  const folders = (env["PATH"] ?? env["Path"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const hasKubectl = folders.some((folder) => names.some((name) => isProgram(join(folder, name))));
  return { hasKubectl, program: callOf(started, currentFolder) };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** By its name where it was installed, else by the file. */
function callOf(started: string, currentFolder: string): string {
  if (/^(milo-quota|kubectl-quota)(\.[a-z]+)?$/.test(basename(started)) && !started.endsWith(".js")) {
    return basename(started).replace(/\.[a-z]+$/, "");
  }
  const near = relative(currentFolder, started);
  const file = near === "" || near.startsWith("..") ? started : near;
  return `node ${quoted(file)}`;
}

/** What makes kubectl, and this program, talk to a server. */
export interface Access {
  readonly url: string;
  readonly token: string;
  readonly kubeconfig: string | undefined;
  readonly context?: string | undefined;
}

/** The lines that come before all others. */
export function accessLines(access: Access, { hasKubectl }: Shell): readonly string[] {
  const { kubeconfig, context } = access;
  if (kubeconfig === undefined) return hasKubectl ? [`alias kubectl="kubectl${accessFlags(access)}"`] : [];
  const exported = `export KUBECONFIG=${quoted(resolve(kubeconfig))}`;
  if (context === undefined) return [exported];
  return hasKubectl ? [exported, `kubectl config use-context ${context}`] : [exported];
}

/** The flags that a command of this program needs beside those lines. */
export function accessFlags({ url, token, kubeconfig, context }: Access): string {
  if (kubeconfig === undefined) return ` --server ${url} --insecure-skip-tls-verify --token ${token}`;
  return context === undefined ? "" : ` --context ${context}`;
}

/** A word of a shell, as it is. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
