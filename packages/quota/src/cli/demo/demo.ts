import type { Command } from "commander";
import { defaultQuotaOptions } from "../../core/resources/quota-options.ts";
import type { CliContext } from "../cli-context.ts";
import { type AccessFlags, addAccessFlags } from "../cluster/cluster-flags.ts";
import { findLocalKubeconfig, isServerSelected } from "../cluster/resolve-access.ts";
import { runOnCluster } from "../cluster/run-on-cluster.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ServerDeps, ServerOptions } from "../serving/serving-flags.ts";
import { runDemo } from "./run-demo.ts";

interface DemoFlags extends AccessFlags {
  readonly inMemory?: boolean;
  readonly keep?: boolean;
}

/** Options of the demo's own server. Its warnings, such as retried conflicts, would distract from the demo. */
const temporaryServer: ServerOptions = { host: "127.0.0.1", port: 0, logLevel: "error", quota: defaultQuotaOptions };

export function addDemo(program: Command, cli: CliContext, start: ServerDeps["start"]): void {
  const name = program.name();
  const command = program
    .command("demo")
    .description("walk through a quota from registration to rejection")
    .option("--in-memory", "start a temporary server in memory for the demo")
    .option("--keep", "do not delete the objects of the demo at the end")
    .addHelpText(
      "after",
      `
Runs on the server that flags, KUBECONFIG or .milo-quota/kubeconfig select, or starts a temporary server in memory if there
is none. Deletes the objects that it created at the end.

Examples:
  ${name} demo
  ${name} demo --in-memory`,
    );
  addAccessFlags(command).action(async () => {
    const flags = command.optsWithGlobals<DemoFlags>();
    const hasServer = isServerSelected(flags, cli) || findLocalKubeconfig(flags, cli) !== undefined;
    if (flags.inMemory === true || !hasServer) await runOnTemporaryServer(command, cli, start);
    else await runOnSelectedServer(command, cli);
  });
}

async function runOnTemporaryServer(command: Command, cli: CliContext, start: ServerDeps["start"]): Promise<void> {
  console.log("Starting a temporary server in memory.\n");
  const { url, token, stop } = await start(temporaryServer);
  const access = { server: url, token, insecureSkipTlsVerify: true };
  for (const [flag, value] of Object.entries(access)) command.setOptionValue(flag, value);
  try {
    await runOnSelectedServer(command, cli);
  } finally {
    await stop();
  }
}

function runOnSelectedServer(command: Command, cli: CliContext): Promise<void> {
  return runOnCluster<DemoFlags>(command, cli, async (cluster, { keep = false }, signal) => {
    await runDemo(cluster, (...lines) => console.log(lines.join("\n")), keep, signal);
    return exitCodes.success;
  });
}
