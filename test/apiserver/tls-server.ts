// The server with TLS sockets on a free local port and in-memory storage.

import { startEmbedded } from "@milo-quota/apiserver/embedded-server.ts";
import { tokenTable } from "@milo-quota/apiserver/http/access/authentication/token-table.ts";
import {
  type CertificateAuthority,
  createAuthority,
  issueServerCertificate,
} from "@milo-quota/apiserver/http/certificates/certificate-authority.ts";
import { type Listening, type ListenLimits, listen } from "@milo-quota/apiserver/http/node-server.ts";
import { MemoryLog } from "@milo-quota/apiserver/storage/log/memory-log.ts";
import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import { TestClient } from "./test-client.ts";
import { userNamed, users } from "./test-users.ts";

const dayMs = 24 * 60 * 60_000;

export interface TlsServer {
  readonly port: number;
  readonly authority: CertificateAuthority;
  readonly faults: readonly unknown[];
  readonly watchCount: () => number;
  /** Connects as the administrator or with the given credentials. */
  readonly connect: (credentials?: Credentials) => TestClient;
  stop(): Promise<void>;
}

export interface Credentials {
  readonly token?: string;
  readonly cert?: string;
  readonly key?: string;
}

export async function startTlsServer(limits: Partial<ListenLimits> = {}): Promise<TlsServer> {
  const faults: unknown[] = [];
  const lifetime = { nowMs: systemClock.now(), lifetimeMs: dayMs };
  const authority = createAuthority("test", lifetime);
  const names = { commonName: "test", dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"] };
  const { certificatePem, privateKeyPem } = issueServerCertificate(authority, names, lifetime);
  const server = await startEmbedded({
    log: new MemoryLog(),
    clock: systemClock,
    authority,
    tokens: [
      tokenTable([
        { token: "admin-token", user: users.admin },
        { token: "alice-token", user: userNamed("alice") },
      ]),
    ],
    report: (error) => faults.push(error),
  });
  const listening: Listening = await listen(server.api, {
    host: "127.0.0.1",
    port: 0,
    key: privateKeyPem,
    certificate: certificatePem,
    clientAuthority: authority.certificatePem,
    limits,
  });
  const clients: TestClient[] = [];
  return {
    port: listening.port,
    authority,
    faults,
    watchCount: () => server.watches.count,
    connect: (credentials = { token: "admin-token" }) => {
      const client = new TestClient(listening.port, authority.certificatePem, credentials);
      clients.push(client);
      return client;
    },
    stop: async () => {
      for (const client of clients) client.close();
      await listening.stop();
      await server.stop();
    },
  };
}
