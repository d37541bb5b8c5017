import { rootPlane } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { PlaneAddress } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { dnsLabel } from "@milo-quota/kubernetes/protocol/names.ts";
import { type Command, InvalidArgumentError } from "commander";
import { stringify } from "yaml";
import { projectAddress } from "./cluster/tenant-addresses.ts";
import { exitCodes } from "./exit-codes.ts";
import { readManifests } from "./manifests.ts";
import { type RenderResult, renderPolicy } from "./render-policy.ts";

interface RenderOptions {
  readonly policy: string;
  readonly object: string;
  readonly user: string;
  readonly group: readonly string[];
  readonly resource?: string;
  readonly project?: PlaneAddress;
}

export function addRender(program: Command, now: () => string): void {
  const name = program.name();
  program
    .command("render")
    .description("show the claim or grant that a policy creates for an object, without a cluster")
    .requiredOption("--policy <file>", "file with a ClaimCreationPolicy or GrantCreationPolicy")
    .requiredOption("--object <file>", "file with the object that triggers the policy")
    .option("--user <name>", "user who creates the object", "kubernetes-admin")
    .option("--group <name...>", "groups of the user", [])
    .option("--resource <plural>", "plural of the object's kind, such as networkpolicies (default: guessed)")
    .option("--project <name>", "create the object in the control plane of this project (default: root)", parseProject)
    .addHelpText(
      "after",
      `
Examples:
  ${name} render --policy policy.yaml --object project.yaml
  ${name} render --policy policy.yaml --object pod.yaml --user jane --group dev ops
  ${name} render --policy policy.yaml --object secret.yaml --project web`,
    )
    .action((options: RenderOptions, command: Command) => {
      const [policy, object] = [options.policy, options.object].map((path) => onlyObject(path, command)) as [
        JsonObject,
        JsonObject,
      ];
      const user = { name: options.user, uid: "", groups: options.group, extra: {} };
      const { resource, project: plane = rootPlane } = options;
      print(renderPolicy(policy, object, { user, now: now(), resource, plane }));
    });
}

function parseProject(name: string): PlaneAddress {
  const faults = dnsLabel(name);
  if (faults.length > 0) throw new InvalidArgumentError(`not a valid project name: ${faults.join("; ")}`);
  return projectAddress(name);
}

function onlyObject(path: string, command: Command): JsonObject {
  const { manifests, unreadable } = readManifests([path]);
  const [manifest, ...others] = manifests;
  if (unreadable.length > 0) return command.error(`error: ${unreadable.join("\n")}`);
  if (manifest === undefined || others.length > 0)
    return command.error(`error: ${path} must contain exactly one object`);
  return manifest.object;
}

function print(result: RenderResult): void {
  switch (result.outcome) {
    case "rendered":
      console.log(stringify(result.manifest).trimEnd());
      break;
    case "nothing":
      console.log(`nothing rendered: ${result.reason}`);
      break;
    case "failed":
      for (const problem of result.problems) console.error(problem);
      process.exitCode = exitCodes.negative;
      break;
    default:
      throw new Error(`unknown outcome ${result satisfies never}`);
  }
}
