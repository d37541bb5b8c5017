import { existsSync } from "node:fs";
import type { Command } from "commander";
import { enforcementNotice } from "../../core/resources/enforcement.ts";
import {
  addMetricsFlag,
  addQuotaFlags,
  addServingFlags,
  type Banner,
  dataText,
  type RunningServer,
  type ServerDeps,
  type ServingFlags,
  serveUntilSignalled,
} from "./serving-flags.ts";
import { accessFlags, accessLines, type Shell, shellQuote } from "./shell-lines.ts";

/** `milo-quota up`: API server, quota and tenants in one process. */
export function addUp(program: Command, deps: ServerDeps, examples: string): void {
  const name = program.name();
  addQuotaFlags(addMetricsFlag(addServingFlags(program.command("up"))))
    .description("run the Kubernetes API, quota and tenants in one local process")
    .addHelpText(
      "after",
      `
Examples:
  ${name} up
  ${name} up --in-memory --port 0
  ${name} up --data-dir /var/lib/milo-quota --bind 0.0.0.0 --metrics-port 9090
  ${name} up --enforcement Shadow`,
    )
    .action((flags: ServingFlags) => serveUntilSignalled(flags, deps, bannerWith(findExamples(examples))));
}

/** A clone has the examples in the current directory; elsewhere they are in the installed package. */
function findExamples(installed: string): string {
  return existsSync("examples/projects-per-organization") ? "examples" : installed;
}

const bannerWith =
  (examples: string): Banner =>
  (server, { flags, shell, readyMs }) => {
    const { enforcement = "Enforce" } = flags;
    const notice = enforcementNotice(enforcement);
    const lines = [
      ...accessLines(server, shell),
      ...(shell.hasKubectl ? kubectlLines(examples) : ownLines(server, shell)),
    ];
    const showsRejection = shell.hasKubectl && notice === undefined;
    return [
      `Milo Quota is running at ${server.url} (data ${dataText(flags)}; ready in ${readyMs} ms).`,
      "",
      ...(notice === undefined ? [] : [`Enforcement is ${enforcement}: ${notice}.`, ""]),
      `Try it in another terminal${showsRejection ? ". The fourth project is rejected" : ""}:`,
      "",
      ...lines.map((line) => `  ${line}`),
      "",
      ...(server.metricsUrl === undefined ? [] : [`Metrics are at ${server.metricsUrl}.`, ""]),
      "Press Ctrl-C to stop.",
    ].join("\n");
  };

function kubectlLines(examples: string): readonly string[] {
  const setup = shellQuote(`${examples}/projects-per-organization`);
  const fourProjects = shellQuote(`${examples}/projects-per-organization/try/four-projects.yaml`);
  return [`kubectl apply -f ${setup}`, `kubectl create -f ${fourProjects}`];
}

/** Without kubectl, the demo shows a rejection. */
function ownLines(server: RunningServer, { program }: Shell): readonly string[] {
  const flags = accessFlags(server);
  return [`${program} demo${flags}`, `${program} usage${flags}`, `${program} doctor${flags}`];
}
