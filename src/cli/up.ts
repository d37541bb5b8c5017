import type { Command } from "commander";
import {
  accessLines,
  placeText,
  type RunningServer,
  type ServerPorts,
  type ServingFlags,
  serveUntilEnded,
  withMetricsFlag,
  withServingFlags,
} from "./serving-flags.ts";

/** `milo-quota up`: the whole system in one process. */
export function addUp(program: Command, ports: ServerPorts): void {
  withMetricsFlag(withServingFlags(program.command("up")))
    .description("start everything on this machine: the Kubernetes API, quota, tenants")
    .action((flags: ServingFlags) => serveUntilEnded(flags, ports, welcome));
}

function welcome(server: RunningServer, flags: ServingFlags, readyMs: number): string {
  const lines = [
    ...accessLines(server),
    "kubectl apply -f examples/projects-per-organization",
    "kubectl create -f examples/projects-per-organization/try/four-projects.yaml",
  ];
  return [
    `Quota is at work at ${server.url} (data ${placeText(flags)}; ready in ${readyMs} ms).`,
    "",
    "Try it in another terminal. The fourth project is refused:",
    "",
    ...lines.map((line) => `  ${line}`),
    "",
    ...(server.metricsUrl === undefined ? [] : [`Metrics are at ${server.metricsUrl}.`, ""]),
    "Ctrl-C stops it.",
  ].join("\n");
}
