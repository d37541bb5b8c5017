import { lightAbortController } from "@milo-quota/kubernetes/client/light-abort-controller.ts";
import type { Command } from "commander";
import type { CliContext } from "../cli-context.ts";
import { CommandError, toCommandError } from "../command-error.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { Cluster } from "./cluster.ts";
import type { AccessFlags } from "./cluster-flags.ts";

/** Runs a command on the cluster that its flags select. Prints errors and sets the exit code. */
export async function runOnCluster<Flags extends AccessFlags>(
  command: Command,
  cli: CliContext,
  run: (cluster: Cluster, flags: Flags, signal: AbortSignal) => Promise<ExitCode>,
): Promise<void> {
  const flags = command.optsWithGlobals<Flags>();
  try {
    process.exitCode = await withCluster(flags, cli, (cluster, signal) => run(cluster, flags, signal));
  } catch (error) {
    process.exitCode = printError(command, error as CommandError);
  }
}

/** Connects to the cluster that the flags select, for at most the request timeout. Rejects with a CommandError. */
export async function withCluster<Result>(
  flags: AccessFlags,
  cli: CliContext,
  run: (cluster: Cluster, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const timeout = lightAbortController();
  const timedOut = new CommandError(
    `the command took longer than ${flags.requestTimeout} s`,
    exitCodes.unreachable,
    "Raise the limit with --request-timeout.",
  );
  const timer = cli.clock.after(flags.requestTimeout * 1_000, () => timeout.abort(timedOut));
  let cluster: Cluster | undefined;
  try {
    cluster = new Cluster(flags, cli);
    return await run(cluster, timeout.signal);
  } catch (error) {
    throw toCommandError(error, cluster?.url ?? "");
  } finally {
    timer.stop();
    await cluster?.close();
  }
}

/** Prefixes the error with the name of the program, as Unix tools do. */
export function printError(command: Command, { message, advice, exitCode }: CommandError): ExitCode {
  let program = command;
  while (program.parent !== null) program = program.parent;
  console.error(`${program.name()}: ${message}`);
  if (advice !== "") console.error(advice);
  return exitCode;
}
