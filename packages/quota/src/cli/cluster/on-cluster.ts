import { sharedAbort } from "@milo-quota/kubernetes/client/shared-abort.ts";
import type { Command } from "commander";
import { CommandFailure, failureOf } from "../command-failure.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import type { Surroundings } from "./chosen-access.ts";
import { Cluster } from "./cluster.ts";
import type { ClusterFlags } from "./cluster-flags.ts";

/** Does the work of a command on the cluster that its flags mean; what goes wrong is told, and the exit code set. */
export async function onCluster<Flags extends ClusterFlags>(
  command: Command,
  surroundings: Surroundings,
  work: (cluster: Cluster, flags: Flags, signal: AbortSignal) => Promise<ExitCode>,
): Promise<void> {
  const flags = command.optsWithGlobals<Flags>();
  const patience = sharedAbort();
  const late = new CommandFailure(
    `the server took longer than ${flags.requestTimeout} s`,
    exitCodes.unreachable,
    "Give it more with --request-timeout.",
  );
  const timer = surroundings.clock.after(flags.requestTimeout * 1_000, () => patience.abort(late));
  let cluster: Cluster | undefined;
  try {
    cluster = new Cluster(flags, surroundings);
    process.exitCode = await work(cluster, flags, patience.signal);
  } catch (error) {
    process.exitCode = tell(command, failureOf(error, cluster?.url ?? ""));
  } finally {
    timer.stop();
    await cluster?.close();
  }
}

/** Says what went wrong, and what to do, in the name of the program. */
function tell(command: Command, { message, advice, exitCode }: CommandFailure): ExitCode {
  let program = command;
  while (program.parent !== null) program = program.parent;
  console.error(`${program.name()}: ${message}`);
  if (advice !== "") console.error(advice);
  return exitCode;
}
