import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Clock } from "../protocol/clock.ts";
import { type EmbeddedOptions, type EmbeddedServer, startEmbedded } from "./embedded-server.ts";
import type { TokenAuthenticator } from "./http/access/authentication/token-authenticator.ts";
import { tokenTable } from "./http/access/authentication/token-table.ts";
import type { CertificateAuthority } from "./http/certificates/certificate-authority.ts";
import { listen } from "./http/node-server.ts";
import { authorityOf, serverCertificate } from "./server-certificates.ts";
import { keptFile, writePrivately } from "./storage/kept-file.ts";
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
  stop(): Promise<void>;
}

/** The address that is taken already, in words that say the way out. */
class AddressTaken extends Error {
  override readonly name = "AddressTaken";
}

/** Starts the API server on a port, with certificates, a token and a kubeconfig to use it by. */
export async function serve(options: ServeOptions): Promise<Serving> {
  const { directory, clock, report } = options;
  const ownLog = directory === undefined ? new MemoryLog("turn") : new SqliteLog({ directory });
  const authority = authorityOf(directory, clock);
  const token = options.token ?? keptToken(directory);
  const admin = { username: "admin", uid: "admin", groups: ["system:masters"], extra: {} };
  const { prepare, tokens = [], overLog, ...additions } = options.additions ?? {};
  const log = overLog?.(ownLog) ?? ownLog;
  const table = tokenTable([{ token, user: admin }]);
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
    throw addressFault(error, options);
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
  { host, directory, kubeconfig = directory === undefined ? undefined : join(directory, "kubeconfig") }: ServeOptions,
  port: number,
  { authority, token }: { readonly authority: CertificateAuthority; readonly token: string },
): Pick<Serving, "url" | "kubeconfig"> {
  const url = `https://${host === "0.0.0.0" ? "127.0.0.1" : host}:${port}`;
  if (kubeconfig !== undefined) writePrivately(kubeconfig, kubeconfigText(url, authority.certificatePem, token));
  return { url, kubeconfig };
}

function keptToken(directory: string | undefined): string {
  const make = (): string => randomBytes(24).toString("base64url");
  return directory === undefined ? make() : keptFile(directory, "token", make);
}

function addressFault(error: unknown, { host, port }: ServeOptions): unknown {
  if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") return error;
  return new AddressTaken(
    `port ${port} of ${host} is in use by another program; end that program, or choose another port with --port`,
  );
}

function kubeconfigText(server: string, ca: string, token: string): string {
  const certificateData = Buffer.from(ca).toString("base64");
  const name = "milo-quota";
  const text = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster: { server, "certificate-authority-data": certificateData } }],
    users: [{ name: "admin", user: { token } }],
    contexts: [{ name, context: { cluster: name, user: "admin" } }],
    "current-context": name,
  };
  return `${JSON.stringify(text, null, 2)}\n`;
}
