import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { serverUrl } from "@milo-quota/kubernetes/client/kubeconfig/check-entries.ts";
import { fileErrorText } from "@milo-quota/kubernetes/client/kubeconfig/kubeconfig-error.ts";
import { loadAccess } from "@milo-quota/kubernetes/client/kubeconfig/load-access.ts";
import type { ClusterAccess, Identity } from "@milo-quota/kubernetes/client/transport/cluster-access.ts";
import type { CliContext } from "../cli-context.ts";
import { CommandError } from "../command-error.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ClusterFlags } from "./cluster-flags.ts";

type AccessFlags = Omit<ClusterFlags, "requestTimeout" | "organization" | "project">;

/** `milo-quota up` writes its kubeconfig here, relative to its working directory. */
const localKubeconfigPath = join(".milo-quota", "kubeconfig");

/** Whether a flag or the environment selects a server. */
export function isServerSelected({ kubeconfig, server, context }: AccessFlags, { env }: CliContext): boolean {
  return [kubeconfig, server, context, env["KUBECONFIG"] || undefined].some((text) => text !== undefined);
}

/** The kubeconfig of a server that was started in the current directory, unless another server is selected. */
export function findLocalKubeconfig(flags: AccessFlags, cli: CliContext): string | undefined {
  const file = join(cli.cwd, localKubeconfigPath);
  return isServerSelected(flags, cli) || !existsSync(file) ? undefined : file;
}

/** Resolves flags and environment to a cluster by kubectl's rules. */
export function resolveAccess(flags: AccessFlags, cli: CliContext): ClusterAccess {
  const { certificateAuthority, token, insecureSkipTlsVerify } = flags;
  const access = flags.server === undefined ? kubeconfigAccess(flags, cli) : serverFlagAccess(flags, cli);
  const authorityPem = certificateAuthority === undefined ? undefined : textOf(certificateAuthority);
  const changes: Partial<Identity> = {
    ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
    ...(authorityPem === undefined ? {} : { authorityPem }),
  };
  return {
    ...withIdentity(access, changes),
    ...(insecureSkipTlsVerify === true ? { verifiesServer: false } : {}),
  };
}

function kubeconfigAccess(flags: AccessFlags, cli: CliContext): ClusterAccess {
  const local = findLocalKubeconfig(flags, cli);
  if (local !== undefined) cli.printErr(`Using ${localKubeconfigPath} from the current directory.`);
  const kubeconfig = flags.kubeconfig ?? local;
  const { context, namespace } = flags;
  return loadAccess(
    {
      ...(kubeconfig === undefined ? {} : { kubeconfig }),
      ...(context === undefined ? {} : { context }),
      ...(namespace === undefined ? {} : { namespace }),
    },
    { env: cli.env, home: cli.homeDir, hasTerminal: cli.isTerminal, clock: cli.clock },
  );
}

/** With --token no kubeconfig is needed; without it, the kubeconfig provides the credentials. */
function serverFlagAccess(flags: AccessFlags, cli: CliContext): ClusterAccess {
  const server = serverUrl(flags.server ?? "");
  if (server === undefined) {
    const message = `--server ${flags.server} is not a URL; write it as https://host:port`;
    throw new CommandError(message, exitCodes.usageError);
  }
  if (flags.token !== undefined && server.protocol !== "https:") {
    throw new CommandError("refusing to send a token over plain HTTP; use https://", exitCodes.usageError);
  }
  if (flags.token === undefined) return { ...kubeconfigAccess(flags, cli), server };
  const identity: Identity = { headers: {} };
  const namespace = flags.namespace ?? "default";
  return { server, namespace, verifiesServer: true, identity: async () => identity, invalidate: () => undefined };
}

/** Maps each identity to one changed object, because the transport reuses connections by identity object. */
function withIdentity(access: ClusterAccess, changes: Partial<Identity>): ClusterAccess {
  if (Object.keys(changes).length === 0) return access;
  const cache = new WeakMap<Identity, Identity>();
  const identity = async (signal: AbortSignal): Promise<Identity> => {
    const original = await access.identity(signal);
    const changed = cache.get(original) ?? { ...original, ...changes };
    cache.set(original, changed);
    return changed;
  };
  return { ...access, identity, invalidate: () => undefined };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new CommandError(
      `cannot read --certificate-authority ${file}: ${fileErrorText(error)}`,
      exitCodes.usageError,
    );
  }
}
