import type { Command } from "commander";
import {
  placeText,
  type RunningServer,
  type ServerPorts,
  type ServingFlags,
  serveUntilEnded,
  type WelcomeContext,
  withServingFlags,
} from "./serving-flags.ts";
import { accessLines } from "./shell-lines.ts";

/** `milo-quota apiserver`: the Kubernetes API over a folder of this machine, and nothing of quota. */
export function addApiserver(program: Command, ports: ServerPorts): void {
  const name = program.name();
  withServingFlags(program.command("apiserver"))
    .description("serve the Kubernetes API, durably, from a folder of this machine; without quota")
    .addHelpText(
      "after",
      `
Examples:
  ${name} apiserver
  ${name} apiserver --in-memory --port 0 --kubeconfig ./kubeconfig`,
    )
    .action((flags: ServingFlags) => serveUntilEnded(flags, ports, welcome));
}

function welcome(server: RunningServer, { flags, shell, readyMs }: WelcomeContext): string {
  const tries = ["kubectl get namespaces", "kubectl create configmap hello --from-literal=a=1"];
  const lines = [...accessLines(server, { ...shell, hasKubectl: true }), ...tries];
  return [
    `Serving the Kubernetes API at ${server.url} (data ${placeText(flags)}; ready in ${readyMs} ms).`,
    "",
    "Try it:",
    "",
    ...lines.map((line) => `  ${line}`),
    "",
    "Ctrl-C stops it.",
  ].join("\n");
}
