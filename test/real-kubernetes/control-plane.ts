// A real Kubernetes control plane on free loopback ports: etcd, kube-apiserver, and the controllers for garbage
// collection, namespace deletion and role aggregation.
import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kubernetesPrograms } from "./programs.ts";

export interface ControlPlane {
  readonly url: string;
  readonly token: string;
  readonly ca: string;
  readonly kubeconfig: string;
  readonly kubectl: string;
  stop(): Promise<void>;
}

const readyMsMax = 90_000;

export async function startControlPlane(): Promise<ControlPlane> {
  const programs = await kubernetesPrograms();
  const folder = mkdtempSync(join(tmpdir(), "milo-quota-kube-"));
  const processes: ChildProcess[] = [];
  const stop = async (): Promise<void> => {
    for (const child of processes.reverse()) await stopped(child);
    rmSync(folder, { recursive: true, force: true });
  };
  const run = (name: string, program: string, flags: readonly string[]): void => {
    processes.push(started(name, program, flags));
  };
  try {
    const [clientPort, peerPort, securePort, managerPort] = await freePorts(4);
    const token = randomBytes(16).toString("hex");
    run("etcd", programs.etcd, etcdFlags(folder, clientPort as number, peerPort as number));
    run(
      "kube-apiserver",
      programs.apiserver,
      apiserverFlags(folder, clientPort as number, securePort as number, token),
    );
    const url = `https://127.0.0.1:${securePort}`;
    const ca = await ready(url, join(folder, "certificates", "apiserver.crt"), processes);
    const kubeconfig = join(folder, "kubeconfig");
    writeFileSync(kubeconfig, kubeconfigText(url, ca, token), { mode: 0o600 });
    run("kube-controller-manager", programs.controllerManager, managerFlags(kubeconfig, managerPort as number));
    return { url, token, ca, kubeconfig, kubectl: programs.kubectl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function etcdFlags(folder: string, clientPort: number, peerPort: number): readonly string[] {
  const client = `http://127.0.0.1:${clientPort}`;
  const peer = `http://127.0.0.1:${peerPort}`;
  return [
    `--data-dir=${join(folder, "etcd")}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    "--log-level=error",
  ];
}

function apiserverFlags(folder: string, etcdPort: number, port: number, token: string): readonly string[] {
  const keys = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const keyFile = join(folder, "service-accounts.key");
  const tokenFile = join(folder, "tokens.csv");
  writeFileSync(keyFile, keys.privateKey, { mode: 0o600 });
  writeFileSync(tokenFile, `${token},admin,admin,system:masters\nnobody-token,nobody,nobody\n`, { mode: 0o600 });
  return [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    `--cert-dir=${join(folder, "certificates")}`,
    `--token-auth-file=${tokenFile}`,
    "--authorization-mode=RBAC",
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${keyFile}`,
    `--service-account-signing-key-file=${keyFile}`,
    "--service-cluster-ip-range=10.0.0.0/24",
    "--disable-admission-plugins=ServiceAccount",
    "--endpoint-reconciler-type=none",
    "--v=0",
  ];
}

function managerFlags(kubeconfig: string, port: number): readonly string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    `--secure-port=${port}`,
    "--bind-address=127.0.0.1",
    "--leader-elect=false",
    "--controllers=garbage-collector-controller,namespace-controller,clusterrole-aggregation-controller",
    "--v=0",
  ];
}

/** Besides the administrator there is the user `nobody` with the token `nobody-token` and no permissions. */
function kubeconfigText(url: string, ca: string, token: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      { name: "real", cluster: { server: url, "certificate-authority-data": Buffer.from(ca).toString("base64") } },
    ],
    users: [{ name: "admin", user: { token } }],
    contexts: [{ name: "real", context: { cluster: "real", user: "admin" } }],
    "current-context": "real",
  });
}

function started(name: string, program: string, flags: readonly string[]): ChildProcess {
  const child = spawn(program, flags, { stdio: ["ignore", "ignore", "pipe"] });
  let tail = "";
  child.stderr?.on("data", (chunk) => {
    tail = (tail + String(chunk)).slice(-4_000);
  });
  child.once("exit", (code, signal) => {
    if (signal === null && code !== 0) console.error(`${name} ended with ${code}:\n${tail}`);
  });
  return child;
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.kill("SIGKILL");
  await gone;
}

/** Waits for `/readyz` and returns the self-signed certificate of the server. */
async function ready(url: string, certificateFile: string, processes: readonly ChildProcess[]): Promise<string> {
  const deadline = Date.now() + readyMsMax;
  while (Date.now() < deadline) {
    const dead = processes.find((child) => child.exitCode !== null);
    if (dead !== undefined) throw new Error(`${dead.spawnfile} exited before the control plane was ready`);
    if ((await statusOf(`${url}/readyz`)) === 200) return readFileSync(certificateFile, "utf8");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`the Kubernetes control plane was not ready within ${readyMsMax / 1_000} s`);
}

function statusOf(url: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const call = request(url, { rejectUnauthorized: false, timeout: 2_000 }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    call.once("error", () => resolve(undefined));
    call.once("timeout", () => call.destroy());
    call.end();
  });
}

async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<ReturnType<typeof createServer>>((resolve, reject) => {
          const server = createServer();
          server.once("error", reject);
          server.listen(0, "127.0.0.1", () => resolve(server));
        }),
    ),
  );
  const ports = servers.map((server) => (server.address() as { readonly port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
