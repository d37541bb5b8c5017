import { KubeconfigError } from "@milo-quota/kubernetes/client/kubeconfig/kubeconfig-error.ts";
import { objectOrThrow } from "@milo-quota/kubernetes/client/resources/read-reply.ts";
import type { Call } from "@milo-quota/kubernetes/client/transport/transport.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { Command } from "commander";
import type { CliContext } from "./cli-context.ts";
import type { Cluster } from "./cluster/cluster.ts";
import { type AccessFlags, addAccessFlags } from "./cluster/cluster-flags.ts";
import { isServerSelected } from "./cluster/resolve-access.ts";
import { printError, withCluster } from "./cluster/run-on-cluster.ts";
import { CommandError } from "./command-error.ts";
import { exitCodes } from "./exit-codes.ts";
import { addOutputFlag, type OutputFlags, print } from "./output.ts";

interface VersionFlags extends AccessFlags, OutputFlags {}

export function addVersion(program: Command, cli: CliContext): void {
  const name = program.name();
  const command = program
    .command("version")
    .description("print the client version, and the server version if a server is reachable")
    .addHelpText("after", `\nExamples:\n  ${name} version\n  ${name} version -o json`);
  addOutputFlag(addAccessFlags(command)).action(() => printVersions(command, program.version() ?? "", cli));
}

async function printVersions(command: Command, clientVersion: string, cli: CliContext): Promise<void> {
  const flags = command.optsWithGlobals<VersionFlags>();
  let server: JsonObject | undefined;
  try {
    server = await readServerVersion(flags, cli);
  } catch (error) {
    const exitCode = printError(command, error as CommandError);
    // Without a server, the client version is still worth printing; invalid flags are an error as for every command.
    if (exitCode === exitCodes.usageError) {
      process.exitCode = exitCode;
      return;
    }
  }
  const serverLine = server === undefined ? [] : [`Server Version: ${String(server["gitVersion"])}`];
  print(
    flags,
    () => [`Client Version: ${clientVersion}`, ...serverLine].join("\n"),
    () => ({ clientVersion, ...(server === undefined ? {} : { serverVersion: server }) }),
  );
}

/** Undefined if no server is configured. Rejects with a CommandError if the configured one does not answer. */
async function readServerVersion(flags: VersionFlags, cli: CliContext): Promise<JsonObject | undefined> {
  try {
    return await withCluster(flags, cli, getVersion);
  } catch (error) {
    const isUnconfigured = error instanceof CommandError && error.cause instanceof KubeconfigError;
    if (isUnconfigured && !isServerSelected(flags, cli)) return undefined;
    throw error;
  }
}

async function getVersion({ transport }: Cluster, signal: AbortSignal): Promise<JsonObject> {
  const call: Call = { method: "GET", path: "/version", query: new URLSearchParams() };
  return objectOrThrow(call, await transport.request(call, signal));
}
