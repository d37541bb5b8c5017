import { existsSync } from "node:fs";
import type { Command } from "commander";
import { laxityOf } from "../core/resources/enforcement.ts";
import {
  accessLines,
  placeText,
  type RunningServer,
  type ServerPorts,
  type ServingFlags,
  serveUntilEnded,
  withMetricsFlag,
  withQuotaFlags,
  withServingFlags,
} from "./serving-flags.ts";

/** `milo-quota up`: the whole system in one process. */
export function addUp(program: Command, ports: ServerPorts, examples: string): void {
  const name = program.name();
  withQuotaFlags(withMetricsFlag(withServingFlags(program.command("up"))))
    .description("start everything on this machine: the Kubernetes API, quota, tenants")
    .addHelpText(
      "after",
      `
Examples:
  ${name} up
  ${name} up --in-memory --port 0
  ${name} up --data-dir /var/lib/milo-quota --bind 0.0.0.0 --metrics-port 9090
  ${name} up --enforcement Shadow`,
    )
    .action((flags: ServingFlags) => serveUntilEnded(flags, ports, welcomeTo(folderOf(examples))));
}

/** Where the examples are from here: beside us in a clone, else where the package was installed. */
function folderOf(examples: string): string {
  return existsSync("examples/projects-per-organization") ? "examples" : examples;
}

type Welcome = (server: RunningServer, flags: ServingFlags, readyMs: number) => string;

const welcomeTo =
  (examples: string): Welcome =>
  (server, flags, readyMs) => {
    const { enforcement = "Enforce" } = flags;
    const laxity = laxityOf(enforcement);
    const lines = [
      ...accessLines(server),
      `kubectl apply -f ${examples}/projects-per-organization`,
      `kubectl create -f ${examples}/projects-per-organization/try/four-projects.yaml`,
    ];
    return [
      `Quota is at work at ${server.url} (data ${placeText(flags)}; ready in ${readyMs} ms).`,
      "",
      ...(laxity === undefined ? [] : [`Enforcement is ${enforcement}: ${laxity}.`, ""]),
      `Try it in another terminal${laxity === undefined ? ". The fourth project is refused" : ""}:`,
      "",
      ...lines.map((line) => `  ${line}`),
      "",
      ...(server.metricsUrl === undefined ? [] : [`Metrics are at ${server.metricsUrl}.`, ""]),
      "Ctrl-C stops it.",
    ].join("\n");
  };
