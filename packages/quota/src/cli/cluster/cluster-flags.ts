import { type Command, InvalidArgumentError } from "commander";

/** What every command that talks to a cluster can be told about where it is. */
export interface ClusterFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly server?: string;
  readonly token?: string;
  readonly certificateAuthority?: string;
  readonly insecureSkipTlsVerify?: boolean;
  readonly namespace?: string;
  readonly organization?: string;
  readonly project?: string;
  /** In seconds. */
  readonly requestTimeout: number;
}

const requestSeconds = 60;

/** Named as kubectl names them, where it has them. */
export function withClusterFlags(command: Command): Command {
  return command
    .option("--kubeconfig <file>", "the kubeconfig file to use")
    .option("--context <name>", "the context of the kubeconfig to use")
    .option("-s, --server <url>", "the URL of the server")
    .option("--token <token>", "the token to show to the server")
    .option("--certificate-authority <file>", "the certificate of the authority that vouches for the server")
    .option("--insecure-skip-tls-verify", "trust the server whatever certificate it shows")
    .option("-n, --namespace <name>", "look in this namespace alone")
    .option("--organization <name>", "go through the control plane of this organization")
    .option("--project <name>", "look in the control plane of this project")
    .option("--request-timeout <seconds>", "how long the whole command may take", readSeconds, requestSeconds);
}

function readSeconds(text: string): number {
  const seconds = Number(text.replace(/s$/, ""));
  if (Number.isFinite(seconds) && seconds > 0 && seconds <= 86_400) return seconds;
  throw new InvalidArgumentError("a number of seconds, from 1 to 86400");
}
