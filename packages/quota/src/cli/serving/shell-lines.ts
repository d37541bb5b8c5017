import { accessSync, constants } from "node:fs";
import { basename, delimiter, join, relative, resolve } from "node:path";

/** The user's shell, as far as printed commands depend on it. */
export interface Shell {
  readonly hasKubectl: boolean;
  /** The command that runs this program. */
  readonly program: string;
}

export interface ShellEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  /** The path in argv[1]. */
  readonly scriptPath: string;
  readonly cwd: string;
}

export function shellOf({ env, platform, scriptPath, cwd }: ShellEnvironment): Shell {
  const names = platform === "win32" ? ["kubectl.exe", "kubectl.cmd", "kubectl.bat"] : ["kubectl"];
  const directories = (env["PATH"] ?? env["Path"] ?? "").split(delimiter).filter((directory) => directory !== "");
  const hasKubectl = directories.some((directory) => names.some((name) => isProgram(join(directory, name))));
  return { hasKubectl, program: programCommand(scriptPath, cwd) };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The name of an installed program, otherwise `node FILE`. */
function programCommand(scriptPath: string, cwd: string): string {
  if (/^(milo-quota|kubectl-quota)(\.[a-z]+)?$/.test(basename(scriptPath)) && !scriptPath.endsWith(".js")) {
    return basename(scriptPath).replace(/\.[a-z]+$/, "");
  }
  const relativePath = relative(cwd, scriptPath);
  const file = relativePath === "" || relativePath.startsWith("..") ? scriptPath : relativePath;
  return `node ${shellQuote(file)}`;
}

/** Where a server is, and the credentials for it. */
export interface Access {
  readonly url: string;
  readonly token: string;
  readonly kubeconfig: string | undefined;
  readonly context?: string | undefined;
}

/** Shell commands that make kubectl and this program use the server. */
export function accessLines(access: Access, { hasKubectl }: Shell): readonly string[] {
  const { kubeconfig, context } = access;
  if (kubeconfig === undefined) return hasKubectl ? [`alias kubectl="kubectl${accessFlags(access)}"`] : [];
  const exported = `export KUBECONFIG=${shellQuote(resolve(kubeconfig))}`;
  if (context === undefined) return [exported];
  return hasKubectl ? [exported, `kubectl config use-context ${context}`] : [exported];
}

/** The flags that commands of this program still need after those shell commands. */
export function accessFlags({ url, token, kubeconfig, context }: Access): string {
  if (kubeconfig === undefined) return ` --server ${url} --insecure-skip-tls-verify --token ${token}`;
  return context === undefined ? "" : ` --context ${context}`;
}

/** Quotes a word for a POSIX shell where needed. */
export function shellQuote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
