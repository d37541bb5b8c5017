// The programs of a real Kubernetes control plane, built once from the Go module registry.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const moduleFolder = join(import.meta.dirname, "control-plane");

export interface KubernetesPrograms {
  readonly etcd: string;
  readonly apiserver: string;
  readonly controllerManager: string;
  readonly kubectl: string;
}

/** Go packages by program. */
const packages = {
  etcd: { path: "go.etcd.io/etcd/server/v3", binary: "server" },
  apiserver: { path: "k8s.io/kubernetes/cmd/kube-apiserver", binary: "kube-apiserver" },
  controllerManager: { path: "k8s.io/kubernetes/cmd/kube-controller-manager", binary: "kube-controller-manager" },
  kubectl: { path: "k8s.io/kubernetes/cmd/kubectl", binary: "kubectl" },
} as const;

/** Builds the programs unless this version is in the cache. */
export async function kubernetesPrograms(): Promise<KubernetesPrograms> {
  const folder = join(cacheFolder(), `kubernetes-${pinnedVersion()}-${pinnedContent()}`);
  if (!existsSync(folder)) await build(folder);
  const at = (program: keyof typeof packages): string => join(folder, packages[program].binary);
  return {
    etcd: at("etcd"),
    apiserver: at("apiserver"),
    controllerManager: at("controllerManager"),
    kubectl: at("kubectl"),
  };
}

function cacheFolder(): string {
  const chosen = process.env["MILO_QUOTA_CACHE"];
  return chosen ?? join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "milo-quota");
}

function pinnedVersion(): string {
  const version = /k8s\.io\/kubernetes (v\S+)/.exec(readFileSync(join(moduleFolder, "go.mod"), "utf8"))?.[1];
  if (version === undefined)
    throw new Error("test/real-kubernetes/control-plane/go.mod does not name a Kubernetes version");
  return version;
}

function pinnedContent(): string {
  const hash = createHash("sha256");
  for (const file of ["go.mod", "go.sum"]) hash.update(readFileSync(join(moduleFolder, file)));
  return hash.digest("hex").slice(0, 12);
}

/** Builds in a temporary folder and renames it when all programs are done, so that an incomplete folder is never used. */
async function build(folder: string): Promise<void> {
  requireGo();
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    for (const { path, binary } of Object.values(packages)) await buildOne(path, join(unfinished, binary));
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(folder)) throw error; // another process may have finished first
  }
}

function requireGo(): void {
  const { status } = spawnSync("go", ["version"], { stdio: "ignore" });
  if (status === 0) return;
  throw new Error(
    "The suites on a real Kubernetes need Go 1.24 or later to build it, and there is no `go` on the PATH. " +
      "Install Go, or run `npm test`, which does not need it.",
  );
}

async function buildOne(path: string, output: string): Promise<void> {
  const started = Date.now();
  console.error(`Building ${path} ${pinnedVersion()} (once; several minutes) ...`);
  const [major, minor] = pinnedVersion().slice(1).split(".");
  const version = "k8s.io/component-base/version";
  const flags = `-s -w -X ${version}.gitVersion=${pinnedVersion()} -X ${version}.gitMajor=${major} -X ${version}.gitMinor=${minor}`;
  const go = spawn("go", ["build", "-trimpath", "-ldflags", flags, "-o", output, path], {
    cwd: moduleFolder,
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, CGO_ENABLED: "0" },
  });
  const outputText: string[] = [];
  go.stderr.on("data", (chunk) => outputText.push(String(chunk)));
  const code = await new Promise<number | null>((resolve) => go.once("close", resolve));
  if (code !== 0) throw new Error(`go build ${path} failed:\n${outputText.join("").slice(-4_000)}`);
  console.error(`Built ${path} in ${Math.round((Date.now() - started) / 1_000)} s`);
}
