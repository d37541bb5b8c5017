import type { Command } from "commander";
import {
  addServingFlags,
  type BannerContext,
  dataText,
  type RunningServer,
  type ServerDeps,
  type ServingFlags,
  serveUntilSignalled,
} from "./serving-flags.ts";
import { accessLines } from "./shell-lines.ts";

/** `milo-quota apiserver`: the embedded API server without quota. */
export function addApiserver(program: Command, deps: ServerDeps): void {
  const name = program.name();
  addServingFlags(program.command("apiserver"))
    .description("run only the embedded Kubernetes API server, without quota")
    .addHelpText(
      "after",
      `
Examples:
  ${name} apiserver
  ${name} apiserver --in-memory --port 0 --kubeconfig ./kubeconfig`,
    )
    .action((flags: ServingFlags) => serveUntilSignalled(flags, deps, banner));
}

function banner(server: RunningServer, { flags, shell, readyMs }: BannerContext): string {
  const examples = ["kubectl get namespaces", "kubectl create configmap hello --from-literal=a=1"];
  const lines = [...accessLines(server, { ...shell, hasKubectl: true }), ...examples];
  return [
    `Serving the Kubernetes API at ${server.url} (data ${dataText(flags)}; ready in ${readyMs} ms).`,
    "",
    "Try it:",
    "",
    ...lines.map((line) => `  ${line}`),
    "",
    "Press Ctrl-C to stop.",
  ].join("\n");
}
