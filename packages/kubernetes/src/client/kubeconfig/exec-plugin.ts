import type { Clock } from "../../protocol/clock.ts";
import { writeJson } from "../../protocol/json-writer.ts";
import { type ExecCredential, parseExecCredential } from "./exec-credential.ts";
import type { ClusterEntry, ExecEntry } from "./kubeconfig-entries.ts";
import { KubeconfigError } from "./kubeconfig-error.ts";
import type { PluginRun } from "./run-plugin.ts";

export interface ExecPorts {
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether somebody can be asked for a password. */
  readonly hasTerminal: boolean;
  /** Resolves to what the program writes on its standard output. */
  readonly run: (exec: ExecEntry, how: PluginRun) => Promise<string>;
}

const knownVersions = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"];

/** Credentials from a program: kept until they expire or are refused, and asked for by one caller at a time. */
export class ExecPlugin {
  readonly #exec: ExecEntry;
  readonly #cluster: ClusterEntry;
  readonly #ports: ExecPorts;
  #credential: ExecCredential | undefined;
  #running: Promise<ExecCredential> | undefined;

  constructor(exec: ExecEntry, cluster: ClusterEntry, ports: ExecPorts) {
    if (!knownVersions.includes(exec.apiVersion)) {
      throw new KubeconfigError(
        `exec plugin: invalid apiVersion "${exec.apiVersion}"; supported are ${knownVersions.join(" and ")}`,
      );
    }
    this.#exec = exec;
    this.#cluster = cluster;
    this.#ports = ports;
  }

  async credential(): Promise<ExecCredential> {
    const known = this.#credential;
    const hasExpired = (known?.expiresAtMs ?? Number.POSITIVE_INFINITY) < this.#ports.clock.now();
    if (known !== undefined && !hasExpired) return known;
    this.#running ??= this.#ask().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  forget(): void {
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
    const env = { ...this.#ports.env, ...Object.fromEntries(own), KUBERNETES_EXEC_INFO: writeJson(info) };
    const output = await this.#ports.run(this.#exec, { env, isInteractive });
    this.#credential = parseExecCredential(output, this.#exec.apiVersion);
    return this.#credential;
  }

  #isInteractive(): boolean {
    const { hasTerminal } = this.#ports;
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
