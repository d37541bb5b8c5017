import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { serverUrl } from "@milo-quota/kubernetes/client/kubeconfig/check-entries.ts";
import { fileFault } from "@milo-quota/kubernetes/client/kubeconfig/kubeconfig-error.ts";
import { loadAccess } from "@milo-quota/kubernetes/client/kubeconfig/load-access.ts";
import type { ClusterAccess, Identity } from "@milo-quota/kubernetes/client/transport/cluster-access.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import { CommandFailure } from "../command-failure.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ClusterFlags } from "./cluster-flags.ts";

/** What there is around the program. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homeFolder: string;
  readonly currentFolder: string;
  readonly hasTerminal: boolean;
  readonly clock: Clock;
  /** Tells people something beside the answer. */
  readonly note: (text: string) => void;
}

type AccessFlags = Omit<ClusterFlags, "requestTimeout">;

/** Where `milo-quota up` leaves its kubeconfig, seen from the folder it was started in. */
const localKubeconfig = join(".milo-quota", "kubeconfig");

/** The file of a server in this folder, where nobody says anything else. */
export function localFile({ kubeconfig, server, context }: AccessFlags, surroundings: Surroundings) {
  const isSaid = [kubeconfig, server, context, surroundings.env["KUBECONFIG"] || undefined].some(
    (text) => text !== undefined,
  );
  const file = join(surroundings.currentFolder, localKubeconfig);
  return isSaid || !existsSync(file) ? undefined : file;
}

/** How to reach the cluster that flags and environment mean, by the rules of kubectl. */
export function accessOf(flags: AccessFlags, surroundings: Surroundings): ClusterAccess {
  const { certificateAuthority, token, insecureSkipTlsVerify } = flags;
  const access = flags.server === undefined ? knownAccess(flags, surroundings) : namedAccess(flags, surroundings);
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

function knownAccess(flags: AccessFlags, surroundings: Surroundings): ClusterAccess {
  const local = localFile(flags, surroundings);
  if (local !== undefined) surroundings.note(`Using ${localKubeconfig} of this folder.`);
  const kubeconfig = flags.kubeconfig ?? local;
  const { context, namespace } = flags;
  return loadAccess(
    {
      ...(kubeconfig === undefined ? {} : { kubeconfig }),
      ...(context === undefined ? {} : { context }),
      ...(namespace === undefined ? {} : { namespace }),
    },
    { ...surroundings, home: surroundings.homeFolder },
  );
}

/** With a token of its own, a server needs nothing from a kubeconfig; else who we are is taken from there. */
function namedAccess(flags: AccessFlags, surroundings: Surroundings): ClusterAccess {
  const server = serverUrl(flags.server ?? "");
  if (server === undefined) {
    const message = `--server ${flags.server} is no URL; write it as https://host:port`;
    throw new CommandFailure(message, exitCodes.unusable);
  }
  if (flags.token !== undefined && server.protocol !== "https:") {
    const message = "a token is shown over https:// alone, or whoever listens on the way would have it";
    throw new CommandFailure(message, exitCodes.unusable);
  }
  if (flags.token === undefined) return { ...knownAccess(flags, surroundings), server };
  const identity: Identity = { headers: {} };
  const namespace = flags.namespace ?? "default";
  return { server, namespace, verifiesServer: true, identity: async () => identity, refused: () => undefined };
}

/** The same identity again for the same identity before: connections are kept by it. */
function withIdentity(access: ClusterAccess, changes: Partial<Identity>): ClusterAccess {
  if (Object.keys(changes).length === 0) return access;
  const made = new WeakMap<Identity, Identity>();
  const identity = async (signal: AbortSignal): Promise<Identity> => {
    const before = await access.identity(signal);
    const known = made.get(before) ?? { ...before, ...changes };
    made.set(before, known);
    return known;
  };
  return { ...access, identity, refused: () => undefined };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new CommandFailure(`cannot read --certificate-authority ${file}: ${fileFault(error)}`, exitCodes.unusable);
  }
}
