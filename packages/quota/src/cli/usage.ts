import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { Command } from "commander";
import type { CliContext } from "./cli-context.ts";
import type { Cluster } from "./cluster/cluster.ts";
import { planeName } from "./cluster/cluster.ts";
import { addClusterFlags, addNamespaceFlag, type ClusterFlags } from "./cluster/cluster-flags.ts";
import { forEachPlane } from "./cluster/each-plane.ts";
import { QuotaObjects } from "./cluster/quota-objects.ts";
import { runOnCluster } from "./cluster/run-on-cluster.ts";
import { CommandError } from "./command-error.ts";
import {
  type ConsumerFilter,
  filterText,
  matchesConsumer,
  matchesResourceType,
  parseKindAndName,
} from "./consumer-filter.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { addOutputFlag, type OutputFlags, print } from "./output.ts";
import { typeInfo } from "./resource-type-info.ts";
import { readUnits, Units } from "./units.ts";
import { type PlaneBucket, usageTable, usageValue } from "./usage-table.ts";

interface UsageFlags extends ClusterFlags, OutputFlags {
  readonly consumer?: ConsumerFilter;
  readonly resourceType?: string;
  readonly owner?: string;
  readonly all?: boolean;
}

export function addUsage(program: Command, cli: CliContext): void {
  const command = program
    .command("usage")
    .description("show limit, usage and available quota of each consumer")
    .option("--consumer <kind/name>", "only this consumer, such as Organization/acme-corp", parseKindAndName)
    .option("--resource-type <type>", "only this resource type; the last segment is enough, such as projects")
    .option("--owner <service>", "only resource types of this service, by the label services.miloapis.com/owner")
    .option("-A, --all", "include the control planes of all projects")
    .addHelpText(
      "after",
      `
Examples:
  ${program.name()} usage
  ${program.name()} usage --consumer Organization/acme-corp --resource-type projects
  ${program.name()} usage --owner compute
  ${program.name()} usage --project web
  ${program.name()} usage --all -o json`,
    );
  addNamespaceFlag(command, "only buckets in this namespace");
  addOutputFlag(addClusterFlags(command)).action(() => runOnCluster<UsageFlags>(command, cli, showUsage));
}

async function showUsage(cluster: Cluster, flags: UsageFlags, signal: AbortSignal): Promise<ExitCode> {
  const units = await unitsFor(cluster, flags, signal);
  const planes = flags.all === true ? await cluster.planes(signal) : [cluster.target];
  const { results, exitCode } = await forEachPlane(cluster, planes, (plane) => bucketsOf(plane, cluster, signal));
  const buckets = results.flat().filter((bucket) => isSelected(bucket, flags, units));
  if (buckets.length === 0 && flags.consumer !== undefined && exitCode === exitCodes.success) {
    throw consumerNotFound(flags.consumer, flags, cluster);
  }
  print(
    flags,
    () => usageTable(buckets, units) ?? emptyText(flags, cluster),
    () => ({ items: buckets.map((bucket) => usageValue(bucket, units)) }),
  );
  return exitCode;
}

async function bucketsOf(
  plane: KubeClient,
  { namespace, printErr }: Cluster,
  signal: AbortSignal,
): Promise<readonly PlaneBucket[]> {
  const selection = namespace === undefined ? {} : { namespace };
  const buckets = await new QuotaObjects(plane, printErr, signal).buckets(selection);
  return buckets.map((bucket) => ({ plane: planeName(plane), bucket }));
}

/** Filtering by owner needs the registrations: then lack of permission is an error. */
async function unitsFor(cluster: Cluster, { owner }: UsageFlags, signal: AbortSignal): Promise<Units> {
  if (owner === undefined) return readUnits(cluster, signal);
  return new Units(await new QuotaObjects(cluster.root, cluster.printErr, signal).registrations());
}

function isSelected({ bucket }: PlaneBucket, { consumer, resourceType, owner }: UsageFlags, units: Units): boolean {
  if (owner !== undefined && typeInfo(units, bucket.resourceType).owner !== owner) return false;
  return matchesConsumer(consumer, bucket.consumer) && matchesResourceType(resourceType, bucket.resourceType);
}

function emptyText(flags: UsageFlags, cluster: Cluster): string {
  const { consumer, resourceType, owner } = flags;
  const filters = [consumer, resourceType, owner, cluster.namespace];
  if (filters.some((filter) => filter !== undefined)) return "No matching quota found.";
  return `No quota is granted or used yet. ${allHint(flags, cluster)}`.trimEnd();
}

/** A single consumer without quota is an error: most likely its name is misspelled. */
function consumerNotFound(consumer: ConsumerFilter, flags: UsageFlags, cluster: Cluster): CommandError {
  const { resourceType, owner } = flags;
  const type = resourceType === undefined ? "" : ` for ${resourceType}`;
  const ofOwner = owner === undefined ? "" : ` owned by ${owner}`;
  const message = `no quota${type}${ofOwner} is granted to or used by ${filterText(consumer)}`;
  return new CommandError(message, exitCodes.notFound, `Check the name. ${allHint(flags, cluster)}`.trimEnd());
}

function allHint({ all }: UsageFlags, { target, root }: Cluster): string {
  return target === root && all !== true ? "--all includes the control planes of projects." : "";
}
