import { existsSync } from "node:fs";
import type { Command } from "commander";
import { laxityOf } from "../../core/resources/enforcement.ts";
import {
  placeText,
  type RunningServer,
  type ServerPorts,
  type ServingFlags,
  serveUntilEnded,
  type Welcome,
  withMetricsFlag,
  withQuotaFlags,
  withServingFlags,
} from "./serving-flags.ts";
import { accessFlags, accessLines, quoted, type Shell } from "./shell-lines.ts";

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

const welcomeTo =
  (examples: string): Welcome =>
  (server, { flags, shell, readyMs }) => {
    const { enforcement = "Enforce" } = flags;
    const laxity = laxityOf(enforcement);
    const lines = [
      ...accessLines(server, shell),
      ...(shell.hasKubectl ? kubectlLines(examples) : ownLines(server, shell)),
    ];
    const isRefused = shell.hasKubectl && laxity === undefined;
    return [
      `Milo Quota is running at ${server.url} (data ${placeText(flags)}; ready in ${readyMs} ms).`,
      "",
      ...(laxity === undefined ? [] : [`Enforcement is ${enforcement}: ${laxity}.`, ""]),
      `Try it in another terminal${isRefused ? ". The fourth project is rejected" : ""}:`,
      "",
      ...lines.map((line) => `  ${line}`),
      "",
      ...(server.metricsUrl === undefined ? [] : [`Metrics are at ${server.metricsUrl}.`, ""]),
      "Ctrl-C stops it.",
    ].join("\n");
  };

function kubectlLines(examples: string): readonly string[] {
  const folder = quoted(`${examples}/projects-per-organization`);
  const tried = quoted(`${examples}/projects-per-organization/try/four-projects.yaml`);
  return [`kubectl apply -f ${folder}`, `kubectl create -f ${tried}`];
}

/** Without kubectl: the demo makes and refuses something, and is seen by the next command while it runs. */
function ownLines(server: RunningServer, { program }: Shell): readonly string[] {
  const flags = accessFlags(server);
  return [`${program} demo${flags}`, `${program} usage${flags}`, `${program} doctor${flags}`];
}
