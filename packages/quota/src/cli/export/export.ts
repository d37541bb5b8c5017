import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { type Command, Option } from "commander";
import { stringify } from "yaml";
import { projectOfPlane } from "../../views/tenant-planes.ts";
import type { Surroundings } from "../cluster/chosen-access.ts";
import { type Cluster, planeText } from "../cluster/cluster.ts";
import { type ClusterFlags, withClusterFlags } from "../cluster/cluster-flags.ts";
import { inEachPlane } from "../cluster/each-plane.ts";
import { onCluster } from "../cluster/on-cluster.ts";
import { CommandFailure } from "../command-failure.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { jsonText } from "../output.ts";
import { counted } from "../text-table.ts";
import { type ExportPart, partsOf } from "./export-parts.ts";

interface ExportFlags extends ClusterFlags {
  readonly output: "yaml" | "json";
  readonly dir?: string;
}

export function addExport(program: Command, surroundings: Surroundings): void {
  const name = program.name();
  const command = program
    .command("export")
    .description("print everything that people made, as manifests for another cluster")
    .option("--dir <folder>", "write files into this folder, also those of all projects' control planes")
    .addOption(new Option("-o, --output <form>", "how to print").choices(["yaml", "json"]).default("yaml"))
    .addHelpText(
      "after",
      `
Registrations, policies, grants and claims made by hand, tenants, and the namespaces they are in; without what servers fill
in, and without what the quota system makes of them by itself. Without --dir only one control plane is printed: the root,
or the one that --project names. Apply twice: what waits for something else is taken the second time.

Examples:
  ${name} export > quota.yaml
  ${name} export --dir backup
  kubectl --context other apply -f backup/root`,
    );
  withClusterFlags(command).action(() => onCluster<ExportFlags>(command, surroundings, exportAll));
}

async function exportAll(cluster: Cluster, flags: ExportFlags, signal: AbortSignal): Promise<ExitCode> {
  return flags.dir === undefined ? printPlane(cluster, flags, signal) : writePlanes(cluster, flags.dir, flags, signal);
}

async function printPlane(cluster: Cluster, { output }: ExportFlags, signal: AbortSignal): Promise<ExitCode> {
  const objects = (await partsOf(cluster.here, cluster.namespace, signal)).flatMap((part) => part.objects);
  console.log(textOf(objects, output).trimEnd());
  const others = (await cluster.planes(signal)).length - 1;
  if (others > 0)
    cluster.note(`Left out the control planes of ${counted(others, "project")}: --dir writes those, too.`);
  return exitCodes.fine;
}

async function writePlanes(
  cluster: Cluster,
  folder: string,
  { output }: ExportFlags,
  signal: AbortSignal,
): Promise<ExitCode> {
  const planes = await inEachPlane(cluster, await cluster.planes(signal), async (plane) => {
    const project = projectOfPlane(plane.plane.plane);
    const into = project === undefined ? join(folder, "root") : join(folder, "projects", project);
    return { plane, into, parts: await partsOf(plane, cluster.namespace, signal) };
  });
  for (const { plane, into, parts } of planes.results) {
    if (parts.length === 0) continue;
    writeParts(into, parts, output);
    const count = parts.reduce((sum, { objects }) => sum + objects.length, 0);
    console.log(`${into}: ${counted(count, "object")} of ${planeText(plane)}`);
  }
  return planes.exitCode;
}

/** Numbered, because kubectl takes the files of a folder in the order of their names. */
function writeParts(folder: string, parts: readonly ExportPart[], output: ExportFlags["output"]): void {
  try {
    mkdirSync(folder, { recursive: true });
    for (const [at, { name, objects }] of parts.entries()) {
      const file = `${String(at + 1).padStart(2, "0")}-${name}.${output}`;
      writeFileSync(join(folder, file), textOf(objects, output));
    }
  } catch (error) {
    throw new CommandFailure(`cannot write to ${folder}: ${(error as Error).message}`, exitCodes.unusable);
  }
}

function textOf(objects: readonly JsonObject[], output: ExportFlags["output"]): string {
  if (output === "json") return `${jsonText({ apiVersion: "v1", kind: "List", items: objects })}\n`;
  return objects.map((object) => stringify(object, { lineWidth: 0, aliasDuplicateObjects: false })).join("---\n");
}
