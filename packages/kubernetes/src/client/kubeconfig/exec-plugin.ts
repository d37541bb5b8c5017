import type { Clock } from "../../protocol/clock.ts";
import { writeJson } from "../../protocol/json-writer.ts";
import { type ExecCredential, parseExecCredential } from "./exec-credential.ts";
import type { ClusterEntry, ExecEntry } from "./kubeconfig-entries.ts";
import { KubeconfigError } from "./kubeconfig-error.ts";
import type { RunPluginOptions } from "./run-plugin.ts";

export interface ExecDeps {
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether a user can be prompted. */
  readonly hasTerminal: boolean;
  /** Resolves to the program's standard output. */
  readonly run: (exec: ExecEntry, options: RunPluginOptions) => Promise<string>;
}

const knownVersions = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"];

/** Credentials from a program, cached until they expire or are rejected. Concurrent callers share one run. */
export class ExecPlugin {
  readonly #exec: ExecEntry;
  readonly #cluster: ClusterEntry;
  readonly #deps: ExecDeps;
  #credential: ExecCredential | undefined;
  #running: Promise<ExecCredential> | undefined;

  constructor(exec: ExecEntry, cluster: ClusterEntry, deps: ExecDeps) {
    if (!knownVersions.includes(exec.apiVersion)) {
      throw new KubeconfigError(
        `exec plugin: invalid apiVersion "${exec.apiVersion}"; supported are ${knownVersions.join(" and ")}`,
      );
    }
    this.#exec = exec;
    this.#cluster = cluster;
    this.#deps = deps;
  }

  async credential(): Promise<ExecCredential> {
    const cached = this.#credential;
    const hasExpired = (cached?.expiresAtMs ?? Number.POSITIVE_INFINITY) < this.#deps.clock.now();
    if (cached !== undefined && !hasExpired) return cached;
    this.#running ??= this.#ask().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  invalidate(): void {
    this.#credential = undefined;
  }

  async #ask(): Promise<ExecCredential> {
    const isInteractive = this.#isInteractive();
    const spec = {
      interactive: isInteractive,
      ...(this.#exec.provideClusterInfo ? { cluster: this.#clusterInfo() } : {}),
    };
    const info = { kind: "ExecCredential", apiVersion: this.#exec.apiVersion, spec };
    const own = this.#exec.env.map(({ name, value }) => [name, value]);
    const env = { ...this.#deps.env, ...Object.fromEntries(own), KUBERNETES_EXEC_INFO: writeJson(info) };
    const output = await this.#deps.run(this.#exec, { env, isInteractive });
    this.#credential = parseExecCredential(output, this.#exec.apiVersion);
    return this.#credential;
  }

  #isInteractive(): boolean {
    const { hasTerminal } = this.#deps;
    if (this.#exec.interactiveMode === "Never") return false;
    if (this.#exec.interactiveMode === "Always" && !hasTerminal) {
      throw new KubeconfigError(
        "getting credentials: exec plugin cannot support interactive mode: standard input is not a terminal",
      );
    }
    return hasTerminal;
  }

  #clusterInfo(): Readonly<Record<string, unknown>> {
    const { server, tlsServerName, insecureSkipTlsVerify, authorityData, proxyUrl, execConfig } = this.#cluster;
    return {
      server,
      ...(tlsServerName === "" ? {} : { "tls-server-name": tlsServerName }),
      ...(insecureSkipTlsVerify ? { "insecure-skip-tls-verify": true } : {}),
      ...(authorityData === "" ? {} : { "certificate-authority-data": Buffer.from(authorityData).toString("base64") }),
      ...(proxyUrl === "" ? {} : { "proxy-url": proxyUrl }),
      config: execConfig ?? null,
    };
  }
}
