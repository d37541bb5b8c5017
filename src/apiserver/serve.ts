import { randomBytes } from "node:crypto";
import { isIPv6 } from "node:net";
import { join } from "node:path";
import type { Clock } from "../protocol/clock.ts";
import { type EmbeddedOptions, type EmbeddedServer, startEmbedded } from "./embedded-server.ts";
import type { TokenAuthenticator } from "./http/access/authentication/token-authenticator.ts";
import { tokenTable } from "./http/access/authentication/token-table.ts";
import type { CertificateAuthority } from "./http/certificates/certificate-authority.ts";
import { listen } from "./http/node-server.ts";
import { contextName, requireKubeconfig, writeKubeconfig } from "./kubeconfig-file.ts";
import { authorityOf, serverCertificate } from "./server-certificates.ts";
import { folderFault, listeningFault } from "./start-faults.ts";
import { keptFile } from "./storage/kept-file.ts";
import { MemoryLog } from "./storage/memory-log.ts";
import type { RecordLog } from "./storage/record-log.ts";
import { SqliteLog } from "./storage/sqlite-log.ts";

export interface ServeOptions {
  /** Undefined: everything is in memory, and gone at the end. */
  readonly directory?: string;
  readonly host: string;
  readonly port: number;
  /** Of the administrator; random, and the same at every start, when left out. */
  readonly token?: string;
  /** Where the kubeconfig goes; into the data folder when left out. */
  readonly kubeconfig?: string;
  readonly clock: Clock;
  readonly report: (error: unknown) => void;
  /** What others add to the server. */
  readonly additions?: ServerAdditions;
}

export interface ServerAdditions
  extends Pick<
    EmbeddedOptions,
    "plugins" | "resolvePlane" | "authorizers" | "definitionsFrom" | "otherPaths" | "toldRequests"
  > {
  readonly tokens?: readonly TokenAuthenticator[];
  /** Puts something between the server and its log, such as one who counts. */
  readonly overLog?: (log: RecordLog) => RecordLog;
  /** Called before anybody else can reach the server; what it starts is stopped before the server is. */
  prepare(server: EmbeddedServer): Promise<{ stop(): Promise<void> }>;
}

export interface Serving {
  readonly server: EmbeddedServer;
  readonly url: string;
  readonly token: string;
  readonly kubeconfig: string | undefined;
  /** The context to choose in that kubeconfig, where another one is chosen. */
  readonly context: string | undefined;
  stop(): Promise<void>;
}

/** Starts the API server on a port, with certificates, a token and a kubeconfig to use it by. */
export async function serve(options: ServeOptions): Promise<Serving> {
  const { directory, clock, report } = options;
  const { authority, token, table } = secretsOf(options);
  const { prepare, tokens = [], overLog, ...additions } = options.additions ?? {};
  const ownLog = directory === undefined ? new MemoryLog("turn") : new SqliteLog({ directory });
  const log = overLog?.(ownLog) ?? ownLog;
  const server = await startEmbedded({ ...additions, log, clock, authority, tokens: [table, ...tokens], report });
  const stops: (() => Promise<void>)[] = [() => server.stop()];
  const stop = async (): Promise<void> => {
    for (const stopOne of stops.splice(0).reverse()) await stopOne();
  };
  try {
    const prepared = await prepare?.(server);
    if (prepared !== undefined) stops.push(() => prepared.stop());
    const listening = await listenOn(server, options, authority);
    stops.push(() => listening.stop());
    return { server, token, stop, ...announced(options, listening.port, { authority, token }) };
  } catch (error) {
    await stop();
    throw listeningFault(error, options);
  }
}

/** What is kept in small files. It comes first: what is wrong with them shows before anything runs that has to be stopped. */
function secretsOf(options: ServeOptions) {
  const { directory, clock } = options;
  const admin = { username: "admin", uid: "admin", groups: ["system:masters"], extra: {} };
  const given = options.token === undefined ? undefined : tokenTable([{ token: options.token, user: admin }]);
  const kubeconfig = kubeconfigPath(options);
  try {
    if (kubeconfig !== undefined) requireKubeconfig(kubeconfig);
    const authority = authorityOf(directory, clock);
    const token = options.token ?? keptToken(directory);
    return { authority, token, table: given ?? tokenTable([{ token, user: admin }]) };
  } catch (error) {
    throw folderFault(error, directory);
  }
}

function listenOn(server: EmbeddedServer, { host, port, clock }: ServeOptions, authority: CertificateAuthority) {
  const { privateKeyPem, certificatePem } = serverCertificate(authority, host, clock);
  return listen(server.api, {
    host,
    port,
    key: privateKeyPem,
    certificate: certificatePem,
    clientAuthority: authority.certificatePem,
  });
}

/** Where the server is to be found; written down where clients look. */
function announced(
  options: ServeOptions,
  port: number,
  { authority, token }: { readonly authority: CertificateAuthority; readonly token: string },
): Pick<Serving, "url" | "kubeconfig" | "context"> {
  const url = `https://${reachableHost(options.host)}:${port}`;
  const kubeconfig = kubeconfigPath(options);
  if (kubeconfig === undefined) return { url, kubeconfig, context: undefined };
  const { isCurrent } = writeKubeconfig(kubeconfig, { server: url, authority: authority.certificatePem, token });
  return { url, kubeconfig, context: isCurrent ? undefined : contextName };
}

function kubeconfigPath({ directory, kubeconfig }: ServeOptions): string | undefined {
  return kubeconfig ?? (directory === undefined ? undefined : join(directory, "kubeconfig"));
}

/** Addresses that mean all of this machine's are reached by the one that is always its own. */
function reachableHost(host: string): string {
  if (!isIPv6(host)) return host === "0.0.0.0" ? "127.0.0.1" : host;
  return `[${host === "::" ? "::1" : host}]`;
}

function keptToken(directory: string | undefined): string {
  const make = (): string => randomBytes(24).toString("base64url");
  return directory === undefined ? make() : keptFile(directory, "token", make);
}
