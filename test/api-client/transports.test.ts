import { startEmbedded } from "@milo-quota/apiserver/embedded-server.ts";
import { MemoryLog } from "@milo-quota/apiserver/storage/log/memory-log.ts";
import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import type { ClusterAccess } from "@milo-quota/kubernetes/client/transport/cluster-access.ts";
import { directTransport } from "@milo-quota/kubernetes/client/transport/direct-transport.ts";
import { HttpTransport } from "@milo-quota/kubernetes/client/transport/http-transport.ts";
import { retryingTransport } from "@milo-quota/kubernetes/client/transport/retrying-transport.ts";
import { startEmbeddedControlPlane } from "../real-kubernetes/embedded-control-plane.ts";
import { clientSuite, type TestApi } from "./client-suite.ts";

const admin = { username: "admin", uid: "admin", groups: ["system:masters"], extra: {} };

async function inProcess(): Promise<TestApi> {
  const faults: unknown[] = [];
  const server = await startEmbedded({
    log: new MemoryLog(),
    clock: systemClock,
    tokens: [],
    report: (error) => faults.push(error),
  });
  const transport = directTransport((request) => server.api.handle(request), admin);
  return { transport, faults, stop: () => server.stop() };
}

async function overSockets(): Promise<TestApi> {
  const { url, token, ca, faults, stop } = await startEmbeddedControlPlane();
  const identity = { headers: { authorization: `Bearer ${token}` }, authorityPem: ca };
  const access: ClusterAccess = {
    server: new URL(url),
    namespace: "default",
    verifiesServer: true,
    identity: async () => identity,
    invalidate: () => undefined,
  };
  const sockets = new HttpTransport(access, { userAgent: "client-suite" });
  return { transport: retryingTransport(sockets, systemClock), faults, stop };
}

clientSuite("the client in the process of the server", inProcess);
clientSuite("the client over sockets", overSockets);
