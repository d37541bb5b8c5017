import { homedir } from "node:os";
import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import { loadAccess } from "@milo-quota/kubernetes/client/kubeconfig/load-access.ts";
import { HttpTransport } from "@milo-quota/kubernetes/client/transport/http-transport.ts";
import { retryingTransport } from "@milo-quota/kubernetes/client/transport/retrying-transport.ts";
import { clientSuite, type TestApi } from "../api-client/client-suite.ts";
import { startControlPlane } from "./control-plane.ts";

async function realKubernetes(): Promise<TestApi> {
  const { kubeconfig, stop } = await startControlPlane();
  const deps = { env: process.env, home: homedir(), clock: systemClock, hasTerminal: false };
  const sockets = new HttpTransport(loadAccess({ kubeconfig }, deps), { userAgent: "client-suite" });
  return { transport: retryingTransport(sockets, systemClock), faults: [], stop };
}

clientSuite("the client on a real Kubernetes", realKubernetes);
