import { type Command, InvalidArgumentError } from "commander";

/** Flags that select a server and the credentials for it. */
export interface AccessFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly server?: string;
  readonly token?: string;
  readonly certificateAuthority?: string;
  readonly insecureSkipTlsVerify?: boolean;
  /** In seconds. */
  readonly requestTimeout: number;
}

/** Flags of commands that work on a control plane. */
export interface ClusterFlags extends AccessFlags {
  readonly namespace?: string;
  readonly organization?: string;
  readonly project?: string;
}

const requestSeconds = 60;

/** The flags have kubectl's names where kubectl has them. */
export function addAccessFlags(command: Command): Command {
  return command
    .option("--kubeconfig <file>", "path to the kubeconfig file")
    .option("--context <name>", "kubeconfig context to use")
    .option("-s, --server <url>", "URL of the API server")
    .option("--token <token>", "bearer token")
    .option("--certificate-authority <file>", "CA certificate that verifies the server")
    .option("--insecure-skip-tls-verify", "do not verify the server's certificate")
    .option("--request-timeout <seconds>", "time limit for the whole command", parseSeconds, requestSeconds);
}

export function addClusterFlags(command: Command): Command {
  return addAccessFlags(command)
    .option("--organization <name>", "use the control plane of this organization")
    .option("--project <name>", "use the control plane of this project");
}

/** Only for commands on which a namespace has an effect; the description says which. */
export function addNamespaceFlag(command: Command, description: string): Command {
  return command.option("-n, --namespace <name>", description);
}

function parseSeconds(text: string): number {
  const seconds = Number(text.replace(/s$/, ""));
  if (Number.isFinite(seconds) && seconds > 0 && seconds <= 86_400) return seconds;
  throw new InvalidArgumentError("must be a number of seconds from 1 to 86400");
}
