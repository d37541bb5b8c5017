import type { Command } from "commander";
import { defaultQuotaOptions } from "../../core/resources/quota-options.ts";
import type { Surroundings } from "../cluster/chosen-access.ts";
import { localFile } from "../cluster/chosen-access.ts";
import { type ClusterFlags, withClusterFlags } from "../cluster/cluster-flags.ts";
import { onCluster } from "../cluster/on-cluster.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ServerOptions, ServerPorts } from "../serving/serving-flags.ts";
import { play } from "./play.ts";

interface DemoFlags extends ClusterFlags {
  readonly inMemory?: boolean;
  readonly keep?: boolean;
}

/** For a server that runs for the demo alone. Its warnings, such as of conflicts that it retries, would only distract. */
const aloneOptions: ServerOptions = { host: "127.0.0.1", port: 0, logLevel: "error", quota: defaultQuotaOptions };

export function addDemo(program: Command, surroundings: Surroundings, start: ServerPorts["start"]): void {
  const name = program.name();
  const command = program
    .command("demo")
    .description("play a quota from its registration to a refusal, and explain each step")
    .option("--in-memory", "start a server for it, and forget everything at the end")
    .option("--keep", "leave everything that it made")
    .addHelpText(
      "after",
      `
Plays on the server that flags, KUBECONFIG or .milo-quota/kubeconfig name; when nothing names one, it starts a server in
memory. What it made it removes again.

Examples:
  ${name} demo
  ${name} demo --in-memory`,
    );
  withClusterFlags(command).action(async () => {
    const flags = command.optsWithGlobals<DemoFlags>();
    if (flags.inMemory === true || !isNamed(flags, surroundings)) await playAlone(command, surroundings, start);
    else await playOn(command, surroundings);
  });
}

function isNamed(flags: DemoFlags, surroundings: Surroundings): boolean {
  const { kubeconfig, server, context } = flags;
  const isSaid = [kubeconfig, server, context].some((text) => text !== undefined);
  return isSaid || (surroundings.env["KUBECONFIG"] ?? "") !== "" || localFile(flags, surroundings) !== undefined;
}

async function playAlone(command: Command, surroundings: Surroundings, start: ServerPorts["start"]): Promise<void> {
  console.log("Starting a server in memory: nothing of this is kept.\n");
  const { url, token, stop } = await start(aloneOptions);
  const given = { server: url, token, insecureSkipTlsVerify: true };
  for (const [flag, value] of Object.entries(given)) command.setOptionValue(flag, value);
  try {
    await playOn(command, surroundings);
  } finally {
    await stop();
  }
}

function playOn(command: Command, surroundings: Surroundings): Promise<void> {
  return onCluster<DemoFlags>(command, surroundings, async (cluster, { keep = false }, signal) => {
    await play(cluster, (...lines) => console.log(lines.join("\n")), keep, signal);
    return exitCodes.fine;
  });
}
