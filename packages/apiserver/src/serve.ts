import { randomBytes } from "node:crypto";
import { isIPv6 } from "node:net";
import { join } from "node:path";
import { type EmbeddedOptions, type EmbeddedServer, startEmbedded } from "./embedded-server.ts";
import { tokenTable } from "./http/access/authentication/token-table.ts";
import type { CertificateAuthority } from "./http/certificates/certificate-authority.ts";
import { type Listening, listen } from "./http/node-server.ts";
import { contextName, requireKubeconfig, writeKubeconfig } from "./kubeconfig-file.ts";
import { authorityOf, serverCertificate } from "./server-certificates.ts";
import { dataDirectoryError, listenError } from "./start-errors.ts";
import { StartedComponents } from "./started-components.ts";
import { MemoryLog } from "./storage/log/memory-log.ts";
import type { RecordLog } from "./storage/log/record-log.ts";
import { SqliteLog } from "./storage/log/sqlite-log.ts";
import { loadOrCreateSecret } from "./storage/secret-file.ts";

export interface OpenOptions
  extends Pick<
    EmbeddedOptions,
    | "clock"
    | "report"
    | "clusterRoles"
    | "definitionsFrom"
    | "unknownFieldHint"
    | "otherPaths"
    | "requestObserver"
    | "isRelease"
    | "onWriteProblem"
  > {
  /** Undefined: data is kept in memory only. */
  readonly directory?: string;
  /** Token of the administrator; if left out it is generated once and kept in the data directory. */
  readonly token?: string;
  /** Path of the kubeconfig; in the data directory if left out. */
  readonly kubeconfig?: string;
  /** Wraps the log, for example to measure it. */
  readonly wrapLog?: (log: RecordLog) => RecordLog;
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** A server with its data and secrets, but without a socket. */
export interface OpenServer {
  readonly server: EmbeddedServer;
  readonly authority: CertificateAuthority;
  readonly token: string;
  readonly kubeconfig: string | undefined;
}

export interface Serving {
  readonly server: EmbeddedServer;
  readonly url: string;
  readonly token: string;
  readonly kubeconfig: string | undefined;
  /** The context to select in that kubeconfig, if another one is current. */
  readonly context: string | undefined;
  stop(): Promise<void>;
}

/** Loads or creates the secrets, opens the log, and builds the API server, which only this process can call yet. */
export async function openServer(options: OpenOptions): Promise<OpenServer> {
  const { directory, wrapLog } = options;
  const { table, ...secrets } = secretsOf(options);
  const ownLog = directory === undefined ? new MemoryLog("turn") : new SqliteLog({ directory });
  const log = wrapLog?.(ownLog) ?? ownLog;
  try {
    const server = await startEmbedded({ ...options, log, authority: secrets.authority, tokens: [table] });
    return { server, ...secrets };
  } catch (error) {
    throw dataDirectoryError(error, directory);
  }
}

/** Opens the socket and writes the kubeconfig. Stopping it closes the socket, not the server. */
export async function listenAt(opened: OpenServer, address: Address): Promise<Serving> {
  const { server, token } = opened;
  const parts = new StartedComponents();
  try {
    const { port } = parts.add(await listenOn(opened, address));
    return { server, token, stop: () => parts.stop(), ...writeAddress(opened, { ...address, port }) };
  } catch (error) {
    await parts.stop();
    throw listenError(error, address);
  }
}

/** The API server without quota. */
export async function serve(options: OpenOptions & Address): Promise<Serving> {
  const opened = await openServer(options);
  const parts = new StartedComponents();
  parts.add(opened.server);
  try {
    const serving = parts.add(await listenAt(opened, options));
    return { ...serving, stop: () => parts.stop() };
  } catch (error) {
    await parts.stop();
    throw error;
  }
}

/** Loaded first, so that errors show before anything runs that has to be stopped. */
function secretsOf(options: OpenOptions) {
  const { directory, clock } = options;
  const admin = { username: "admin", uid: "admin", groups: ["system:masters"], extra: {} };
  const given = options.token === undefined ? undefined : tokenTable([{ token: options.token, user: admin }]);
  const kubeconfig = kubeconfigPath(options);
  try {
    if (kubeconfig !== undefined) requireKubeconfig(kubeconfig);
    const authority = authorityOf(directory, clock);
    const token = options.token ?? loadToken(directory);
    return { authority, token, kubeconfig, table: given ?? tokenTable([{ token, user: admin }]) };
  } catch (error) {
    throw dataDirectoryError(error, directory);
  }
}

function listenOn({ server, authority }: OpenServer, { host, port }: Address): Promise<Listening> {
  const { privateKeyPem, certificatePem } = serverCertificate(authority, host, server.registry.clock);
  return listen(server.api, {
    host,
    port,
    key: privateKeyPem,
    certificate: certificatePem,
    clientAuthority: authority.certificatePem,
  });
}

/** The address of the server, which clients find in the kubeconfig. */
function writeAddress(
  { authority, token, kubeconfig }: OpenServer,
  { host, port }: Address,
): Pick<Serving, "url" | "kubeconfig" | "context"> {
  const url = `https://${reachableHost(host)}:${port}`;
  if (kubeconfig === undefined) return { url, kubeconfig, context: undefined };
  const { isCurrent } = writeKubeconfig(kubeconfig, { server: url, authority: authority.certificatePem, token });
  return { url, kubeconfig, context: isCurrent ? undefined : contextName };
}

function kubeconfigPath({ directory, kubeconfig }: OpenOptions): string | undefined {
  return kubeconfig ?? (directory === undefined ? undefined : join(directory, "kubeconfig"));
}

/** Wildcard addresses are reached by the loopback address. */
function reachableHost(host: string): string {
  if (!isIPv6(host)) return host === "0.0.0.0" ? "127.0.0.1" : host;
  return `[${host === "::" ? "::1" : host}]`;
}

function loadToken(directory: string | undefined): string {
  const make = (): string => randomBytes(24).toString("base64url");
  return directory === undefined ? make() : loadOrCreateSecret(directory, "token", make);
}
