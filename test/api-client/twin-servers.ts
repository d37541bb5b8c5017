// Two deterministic servers, with a fake clock and counted UUIDs. One is called in this process, the other over sockets.
import { type EmbeddedServer, startEmbedded } from "@milo-quota/apiserver/embedded-server.ts";
import { tokenTable } from "@milo-quota/apiserver/http/access/authentication/token-table.ts";
import {
  createAuthority,
  issueServerCertificate,
} from "@milo-quota/apiserver/http/certificates/certificate-authority.ts";
import { listen } from "@milo-quota/apiserver/http/node-server.ts";
import type { AdmissionPlugin } from "@milo-quota/apiserver/registry/admission/admission-plugin.ts";
import { MemoryLog } from "@milo-quota/apiserver/storage/log/memory-log.ts";
import type { RecordLog } from "@milo-quota/apiserver/storage/log/record-log.ts";
import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { ClusterAccess } from "@milo-quota/kubernetes/client/transport/cluster-access.ts";
import { directTransport } from "@milo-quota/kubernetes/client/transport/direct-transport.ts";
import { HttpTransport } from "@milo-quota/kubernetes/client/transport/http-transport.ts";
import { FakeClock } from "@milo-quota/kubernetes/protocol/fake-clock.ts";

const admin = { username: "admin", uid: "admin", groups: ["system:masters", "system:authenticated"], extra: {} };
const token = "admin-token";
const startMs = 1_700_000_000_000;

export interface Twin {
  readonly client: KubeClient;
  /** Clock of the server. */
  readonly clock: FakeClock;
  readonly faults: readonly unknown[];
  stop(): Promise<void>;
}

interface TwinOptions {
  readonly log?: RecordLog;
  readonly plugins?: readonly AdmissionPlugin[];
}

export async function inProcess({ log, plugins = [] }: TwinOptions = {}): Promise<Twin> {
  const { server, clock, faults } = await start(log, plugins);
  const transport = directTransport((request) => server.api.handle(request), admin);
  return { client: new KubeClient(transport), clock, faults, stop: () => server.stop() };
}

export async function overSockets(): Promise<Twin> {
  const { server, clock, faults } = await start();
  const lifetime = { nowMs: systemClock.now(), lifetimeMs: 24 * 60 * 60_000 };
  const authority = createAuthority("test", lifetime);
  const names = { commonName: "test", dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"] };
  const { certificatePem, privateKeyPem } = issueServerCertificate(authority, names, lifetime);
  const listening = await listen(server.api, {
    host: "127.0.0.1",
    port: 0,
    key: privateKeyPem,
    certificate: certificatePem,
    clientAuthority: authority.certificatePem,
  });
  const identity = { headers: { authorization: `Bearer ${token}` }, authorityPem: authority.certificatePem };
  const access: ClusterAccess = {
    server: new URL(`https://127.0.0.1:${listening.port}`),
    namespace: "default",
    verifiesServer: true,
    identity: async () => identity,
    invalidate: () => undefined,
  };
  // The same field manager as in process: it is part of managedFields.
  const transport = new HttpTransport(access, { userAgent: "milo-quota" });
  const stop = async (): Promise<void> => {
    await transport.close();
    await listening.stop();
    await server.stop();
  };
  return { client: new KubeClient(transport), clock, faults, stop };
}

interface Started {
  readonly server: EmbeddedServer;
  readonly clock: FakeClock;
  readonly faults: readonly unknown[];
}

async function start(log: RecordLog = new MemoryLog(), plugins: readonly AdmissionPlugin[] = []): Promise<Started> {
  const faults: unknown[] = [];
  const clock = new FakeClock(startMs);
  let count = 0;
  const uuid = (): string => {
    count += 1;
    return `00000000-0000-4000-8000-${String(count).padStart(12, "0")}`;
  };
  const server = await startEmbedded({
    log,
    plugins,
    clock,
    random: { fraction: () => 0.5, uuid },
    tokens: [tokenTable([{ token, user: admin }])],
    report: (error) => faults.push(error),
  });
  return { server, clock, faults };
}
