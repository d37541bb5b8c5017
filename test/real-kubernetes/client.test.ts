import { homedir } from "node:os";
import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import { loadAccess } from "@milo-quota/kubernetes/client/kubeconfig/load-access.ts";
import { patientTransport } from "@milo-quota/kubernetes/client/transport/patient-transport.ts";
import { SocketTransport } from "@milo-quota/kubernetes/client/transport/socket-transport.ts";
import { clientSuite, type Reached } from "../api-client/client-suite.ts";
import { startControlPlane } from "./control-plane.ts";

async function realKubernetes(): Promise<Reached> {
  const { kubeconfig, stop } = await startControlPlane();
  const surroundings = { env: process.env, home: homedir(), clock: systemClock, hasTerminal: false };
  const sockets = new SocketTransport(loadAccess({ kubeconfig }, surroundings), { userAgent: "client-suite" });
  return { transport: patientTransport(sockets, systemClock), faults: [], stop };
}

clientSuite("the client, on a real Kubernetes", realKubernetes);
