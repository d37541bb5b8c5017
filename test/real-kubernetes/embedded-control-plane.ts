// The embedded server on a free loopback port, with the same users as the real one.

import { startEmbedded } from "@milo-quota/apiserver/embedded-server.ts";
import { tokenTable } from "@milo-quota/apiserver/http/access/authentication/token-table.ts";
import {
  createAuthority,
  issueServerCertificate,
} from "@milo-quota/apiserver/http/certificates/certificate-authority.ts";
import { listen } from "@milo-quota/apiserver/http/node-server.ts";
import { MemoryLog } from "@milo-quota/apiserver/storage/log/memory-log.ts";
import { systemClock } from "@milo-quota/apiserver/system-clock.ts";

export interface EmbeddedControlPlane {
  readonly url: string;
  readonly token: string;
  readonly ca: string;
  /** Reported errors; empty at the end of every test. */
  readonly faults: readonly unknown[];
  stop(): Promise<void>;
}

const dayMs = 24 * 60 * 60 * 1_000;

export async function startEmbeddedControlPlane(): Promise<EmbeddedControlPlane> {
  const lifetime = { nowMs: systemClock.now(), lifetimeMs: dayMs };
  const authority = createAuthority("milo-quota", lifetime);
  const names = { commonName: "milo-quota", dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"] };
  const { certificatePem, privateKeyPem } = issueServerCertificate(authority, names, lifetime);
  const faults: unknown[] = [];
  const admin = { username: "admin", uid: "admin", groups: ["system:masters"], extra: {} };
  const nobody = { username: "nobody", uid: "nobody", groups: [], extra: {} };
  const tokens = tokenTable([
    { token: "admin-token", user: admin },
    { token: "nobody-token", user: nobody },
  ]);
  const server = await startEmbedded({
    log: new MemoryLog(),
    clock: systemClock,
    authority,
    tokens: [tokens],
    report: (error) => faults.push(error),
  });
  const listening = await listen(server.api, {
    host: "127.0.0.1",
    port: 0,
    key: privateKeyPem,
    certificate: certificatePem,
    clientAuthority: authority.certificatePem,
  });
  const stop = async (): Promise<void> => {
    await listening.stop();
    await server.stop();
  };
  return {
    url: `https://127.0.0.1:${listening.port}`,
    token: "admin-token",
    ca: authority.certificatePem,
    faults,
    stop,
  };
}
