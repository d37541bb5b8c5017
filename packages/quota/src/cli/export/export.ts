import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { type Command, Option } from "commander";
import { stringify } from "yaml";
import { projectOfPlane } from "../../views/tenant-planes.ts";
import type { CliContext } from "../cli-context.ts";
import { type Cluster, planeName } from "../cluster/cluster.ts";
import { addClusterFlags, addNamespaceFlag, type ClusterFlags } from "../cluster/cluster-flags.ts";
import { forEachPlane } from "../cluster/each-plane.ts";
import { runOnCluster } from "../cluster/run-on-cluster.ts";
import { CommandError } from "../command-error.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { jsonText } from "../output.ts";
import { counted } from "../text-table.ts";
import { type ExportPart, readExportParts } from "./export-parts.ts";

interface ExportFlags extends ClusterFlags {
  readonly output: "yaml" | "json";
  readonly dir?: string;
}

export function addExport(program: Command, cli: CliContext): void {
  const name = program.name();
  const command = program
    .command("export")
    .description("export quota and tenant objects as manifests for another cluster")
    .option("--dir <directory>", "write files to this directory, including the control planes of all projects")
    .addOption(new Option("-o, --output <format>", "output format").choices(["yaml", "json"]).default("yaml"))
    .addHelpText(
      "after",
      `
Exports registrations, policies, manually created grants and claims, tenants, and the namespaces of these objects; without
fields that the server sets, and without objects that the quota system creates itself. Without --dir, exports one control
plane: the root, or that of --project. Apply the manifests twice: objects that depend on others may fail the first time.

Examples:
  ${name} export > quota.yaml
  ${name} export --dir backup
  kubectl --context other apply -f backup/root`,
    );
  addNamespaceFlag(command, "only objects in this namespace");
  addClusterFlags(command).action(() => runOnCluster<ExportFlags>(command, cli, exportAll));
}

async function exportAll(cluster: Cluster, flags: ExportFlags, signal: AbortSignal): Promise<ExitCode> {
  return flags.dir === undefined ? printPlane(cluster, flags, signal) : writePlanes(cluster, flags.dir, flags, signal);
}

async function printPlane(cluster: Cluster, { output }: ExportFlags, signal: AbortSignal): Promise<ExitCode> {
  const objects = (await readExportParts(cluster.target, cluster.namespace, signal)).flatMap((part) => part.objects);
  console.log(textOf(objects, output).trimEnd());
  const others = (await cluster.planes(signal)).length - 1;
  if (others > 0) cluster.printErr(`Skipped the control planes of ${counted(others, "project")}: --dir includes them.`);
  return exitCodes.success;
}

async function writePlanes(
  cluster: Cluster,
  directory: string,
  { output }: ExportFlags,
  signal: AbortSignal,
): Promise<ExitCode> {
  const planes = await forEachPlane(cluster, await cluster.planes(signal), async (plane) => {
    const project = projectOfPlane(plane.plane.plane);
    const subdirectory = project === undefined ? join(directory, "root") : join(directory, "projects", project);
    return { plane, subdirectory, parts: await readExportParts(plane, cluster.namespace, signal) };
  });
  for (const { plane, subdirectory, parts } of planes.results) {
    if (parts.length === 0) continue;
    writeParts(subdirectory, parts, output);
    const count = parts.reduce((sum, { objects }) => sum + objects.length, 0);
    console.log(`${subdirectory}: ${counted(count, "object")} of ${planeName(plane)}`);
  }
  return planes.exitCode;
}

/** Numbers the files, because kubectl applies the files of a directory in the order of their names. */
function writeParts(directory: string, parts: readonly ExportPart[], output: ExportFlags["output"]): void {
  try {
    mkdirSync(directory, { recursive: true });
    for (const [index, { name, objects }] of parts.entries()) {
      const file = `${String(index + 1).padStart(2, "0")}-${name}.${output}`;
      writeFileSync(join(directory, file), textOf(objects, output));
    }
  } catch (error) {
    throw new CommandError(`cannot write to ${directory}: ${(error as Error).message}`, exitCodes.usageError);
  }
}

function textOf(objects: readonly JsonObject[], output: ExportFlags["output"]): string {
  if (output === "json") return `${jsonText({ apiVersion: "v1", kind: "List", items: objects })}\n`;
  return objects.map((object) => stringify(object, { lineWidth: 0, aliasDuplicateObjects: false })).join("---\n");
}
