import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Clock } from "../protocol/clock.ts";
import { type EmbeddedServer, startEmbedded } from "./embedded-server.ts";
import { tokenTable } from "./http/access/authentication/token-table.ts";
import { listen } from "./http/node-server.ts";
import { authorityOf, serverCertificate } from "./server-certificates.ts";
import { keptFile, writePrivately } from "./storage/kept-file.ts";
import { MemoryLog } from "./storage/memory-log.ts";
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
  const { directory, host, clock, report } = options;
  const log = directory === undefined ? new MemoryLog() : new SqliteLog({ directory });
  const authority = authorityOf(directory, clock);
  const token = options.token ?? keptToken(directory);
  const admin = { username: "admin", uid: "admin", groups: ["system:masters"], extra: {} };
  const tokens = [tokenTable([{ token, user: admin }])];
  const server = await startEmbedded({ log, clock, authority, tokens, report });
  const { privateKeyPem, certificatePem } = serverCertificate(authority, host, clock);
  const listening = await listen(server.api, {
    host,
    port: options.port,
    key: privateKeyPem,
    certificate: certificatePem,
    clientAuthority: authority.certificatePem,
  }).catch(async (error: unknown) => {
    await server.stop();
    throw addressFault(error, options);
  });
  const url = `https://${host === "0.0.0.0" ? "127.0.0.1" : host}:${listening.port}`;
  const kubeconfig = options.kubeconfig ?? (directory === undefined ? undefined : join(directory, "kubeconfig"));
  if (kubeconfig !== undefined) writePrivately(kubeconfig, kubeconfigText(url, authority.certificatePem, token));
  const stop = async (): Promise<void> => {
    await listening.stop();
    await server.stop();
  };
  return { server, url, token, kubeconfig, stop };
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
