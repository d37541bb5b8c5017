import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { Command } from "commander";
import type { Surroundings } from "./cluster/chosen-access.ts";
import type { Cluster } from "./cluster/cluster.ts";
import { planeText } from "./cluster/cluster.ts";
import { type ClusterFlags, withClusterFlags } from "./cluster/cluster-flags.ts";
import { inEachPlane } from "./cluster/each-plane.ts";
import { onCluster } from "./cluster/on-cluster.ts";
import { QuotaObjects } from "./cluster/quota-objects.ts";
import { CommandFailure } from "./command-failure.ts";
import { type ConsumerFilter, isMeant, isType, readKindAndName } from "./consumer-filter.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { type OutputFlags, print, withOutputFlag } from "./output.ts";
import { namesOf } from "./registered-names.ts";
import { readUnits, Units } from "./units.ts";
import { type ShownBucket, usageTable, usageValue } from "./usage-table.ts";

interface UsageFlags extends ClusterFlags, OutputFlags {
  readonly consumer?: ConsumerFilter;
  readonly resourceType?: string;
  readonly owner?: string;
  readonly all?: boolean;
}

export function addUsage(program: Command, surroundings: Surroundings): void {
  const command = program
    .command("usage")
    .description("show limits, what is used of them and what is left, by consumer")
    .option("--consumer <kind/name>", "only of this consumer, such as Organization/acme-corp", readKindAndName)
    .option("--resource-type <type>", "only this resource type; its last part is enough, such as projects")
    .option("--owner <service>", "only what belongs to this service, by the label services.miloapis.com/owner")
    .option("-A, --all", "also in the control planes of all projects")
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
  withOutputFlag(withClusterFlags(command)).action(() => onCluster<UsageFlags>(command, surroundings, showUsage));
}

async function showUsage(cluster: Cluster, flags: UsageFlags, signal: AbortSignal): Promise<ExitCode> {
  const units = await unitsFor(cluster, flags, signal);
  const planes = flags.all === true ? await cluster.planes(signal) : [cluster.here];
  const seen = await inEachPlane(cluster, planes, (plane) => bucketsOf(plane, cluster, signal));
  const buckets = seen.results.flat().filter((bucket) => isShown(bucket, flags, units));
  if (buckets.length === 0 && flags.consumer !== undefined && seen.exitCode === exitCodes.fine) {
    throw nothingOf(flags.consumer, flags, cluster);
  }
  print(
    flags,
    () => usageTable(buckets, units) ?? nothing(flags, cluster),
    () => ({ items: buckets.map((bucket) => usageValue(bucket, units)) }),
  );
  return seen.exitCode;
}

async function bucketsOf(
  plane: KubeClient,
  { namespace, note }: Cluster,
  signal: AbortSignal,
): Promise<readonly ShownBucket[]> {
  const selection = namespace === undefined ? {} : { namespace };
  const buckets = await new QuotaObjects(plane, note, signal).buckets(selection);
  return buckets.map((bucket) => ({ plane: planeText(plane), bucket }));
}

/** Whose a type is, nobody can tell who may not read its registration. */
async function unitsFor(cluster: Cluster, { owner }: UsageFlags, signal: AbortSignal): Promise<Units> {
  if (owner === undefined) return readUnits(cluster, signal);
  return new Units(await new QuotaObjects(cluster.home, cluster.note, signal).registrations());
}

function isShown({ bucket }: ShownBucket, { consumer, resourceType, owner }: UsageFlags, units: Units): boolean {
  if (owner !== undefined && namesOf(units, bucket.resourceType).owner !== owner) return false;
  return isMeant(consumer, bucket.consumer) && isType(resourceType, bucket.resourceType);
}

function nothing(flags: UsageFlags, cluster: Cluster): string {
  const { consumer, resourceType, owner } = flags;
  const isNarrowed = consumer !== undefined || resourceType !== undefined || owner !== undefined;
  if (isNarrowed) return "Nothing is granted or used that this asks for.";
  return `Nothing is granted or used yet. ${elsewhere(flags, cluster)}`.trimEnd();
}

/** Whoever asks for one consumer has most likely mistyped its name, or looks in the wrong place. */
function nothingOf({ kind, name }: ConsumerFilter, flags: UsageFlags, cluster: Cluster): CommandFailure {
  const { resourceType, owner } = flags;
  const type = resourceType === undefined ? "" : ` of ${resourceType}`;
  const message = `nothing${type}${owner === undefined ? "" : ` that ${owner} owns`} is granted to ${kind}/${name} or used by it`;
  return new CommandFailure(message, exitCodes.missing, `Is it named right? ${elsewhere(flags, cluster)}`.trimEnd());
}

function elsewhere({ all }: UsageFlags, { here, home }: Cluster): string {
  return here === home && all !== true ? "--all looks into the planes of projects, too." : "";
}
