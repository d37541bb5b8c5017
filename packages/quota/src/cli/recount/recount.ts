import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import { sleep } from "@milo-quota/kubernetes/client/sleep.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { formatTime } from "@milo-quota/kubernetes/protocol/time.ts";
import type { Command } from "commander";
import { allowanceBucketDefinition } from "../../core/resources/allowance-bucket.ts";
import { annotations } from "../../core/resources/well-known.ts";
import type { CliContext } from "../cli-context.ts";
import { type Cluster, planeName } from "../cluster/cluster.ts";
import { addClusterFlags, addNamespaceFlag, type ClusterFlags } from "../cluster/cluster-flags.ts";
import { forEachPlane } from "../cluster/each-plane.ts";
import { mapConcurrently } from "../cluster/map-concurrently.ts";
import { QuotaObjects } from "../cluster/quota-objects.ts";
import { runOnCluster } from "../cluster/run-on-cluster.ts";
import { isFullView } from "../cluster/tenant-addresses.ts";
import { CommandError } from "../command-error.ts";
import { kindAndName } from "../consumer-filter.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { addOutputFlag, type OutputFlags, print } from "../output.ts";
import { counted } from "../text-table.ts";
import { Units } from "../units.ts";
import { type Drift, driftKey, driftsOf, driftText, driftValue } from "./bucket-drift.ts";
import { readLedgerObjects, recountConsumers } from "./recounted-consumers.ts";

interface RecountFlags extends ClusterFlags, OutputFlags {
  readonly fix?: boolean;
}

/** Writes in flight reach the buckets within this time. */
const settleMs = 2_000;
const fixAttemptsMax = 4;

export function addRecount(program: Command, cli: CliContext): void {
  const name = program.name();
  const command = program
    .command("recount")
    .description("recompute usage from grants and claims, and compare it with the buckets")
    .option("--fix", "mark differing buckets stale so that the controller recomputes them from grants and claims")
    .addHelpText(
      "after",
      `
Writes nothing without --fix. Compares twice, and reports only differences that persist. Exits with 1 if buckets differ, or
still differ after --fix, and with 4 if some buckets cannot be verified because you do not see all grants and claims.

Examples:
  ${name} recount
  ${name} recount --project web
  ${name} recount --fix`,
    );
  addNamespaceFlag(command, "only buckets in this namespace");
  addOutputFlag(addClusterFlags(command)).action(() => runOnCluster<RecountFlags>(command, cli, recount));
}

interface PlaneDrifts {
  readonly plane: KubeClient;
  readonly consumers: number;
  readonly drifts: readonly Drift[];
  /** Differences that may come from grants and claims which the user cannot see. */
  readonly unverified: readonly Drift[];
}

async function recount(cluster: Cluster, flags: RecountFlags, signal: AbortSignal): Promise<ExitCode> {
  const units = await readRegistrations(cluster, signal);
  const planes = await cluster.planes(signal);
  const { results: found, exitCode } = await forEachPlane(cluster, planes, (plane) =>
    persistentDrifts(plane, { cluster, units }, signal),
  );
  const remaining = flags.fix === true ? await fixAll(found, { cluster, units }, signal) : found;
  const [before, after] = [found, remaining].map((each) => each.flatMap(({ drifts }) => drifts).length as number);
  const consumers = found.reduce((sum, each) => sum + each.consumers, 0);
  const unverified = found.flatMap((each) => each.unverified);
  const outcome = { consumers, before: before ?? 0, after: flags.fix === true ? after : undefined };
  print(
    flags,
    () => [recountText(found, units, outcome), ...unverifiedLines(unverified)].join("\n"),
    () => ({
      consumers,
      differing: before,
      ...(flags.fix === true ? { stillDiffering: after } : {}),
      unverified: unverified.map(({ consumer, resourceType }) => ({ consumer, resourceType })),
      planes: found
        .filter(({ drifts }) => drifts.length > 0)
        .map(({ plane, drifts }) => ({ plane: planeName(plane), drifts: drifts.map(driftValue) })),
    }),
  );
  if (after !== 0) return exitCodes.negative;
  return unverified.length > 0 ? exitCodes.forbidden : exitCode;
}

/** A recount needs the registrations, because a grant is active only if its type is registered. */
async function readRegistrations({ root, printErr }: Cluster, signal: AbortSignal): Promise<Units> {
  try {
    return new Units(await new QuotaObjects(root, printErr, signal).registrations());
  } catch (error) {
    if (!(error instanceof StatusError) || error.status.code !== 403) throw error;
    const message = "recount needs the registrations, which you lack permission to read";
    const advice = "Members of an organization can read them with --organization NAME.";
    throw new CommandError(message, exitCodes.forbidden, advice);
  }
}

interface RecountDeps {
  readonly cluster: Cluster;
  readonly units: Units;
}

/** Drifts that are unchanged after writes in flight have settled. */
async function persistentDrifts(plane: KubeClient, deps: RecountDeps, signal: AbortSignal): Promise<PlaneDrifts> {
  const first = await driftsIn(plane, deps, signal);
  if (first.drifts.length === 0) return first;
  await sleep(deps.cluster.clock, settleMs, signal);
  const second = await driftsIn(plane, deps, signal);
  const keys = new Set(first.drifts.map(driftKey));
  return { ...second, drifts: second.drifts.filter((drift) => keys.has(driftKey(drift))) };
}

async function driftsIn(plane: KubeClient, { cluster, units }: RecountDeps, signal: AbortSignal): Promise<PlaneDrifts> {
  const { namespace } = cluster;
  const objects = await readLedgerObjects(new QuotaObjects(plane, cluster.printErr, signal));
  const recounted = recountConsumers(objects, units, cluster.clock.now());
  const isSelected = ({ bucket }: Drift): boolean =>
    namespace === undefined || bucket?.metadata.namespace === namespace;
  const drifts = recounted.flatMap(driftsOf).filter(isSelected);
  const isVerifiable = isFullView(plane.plane);
  return {
    plane,
    consumers: recounted.length,
    drifts: isVerifiable ? drifts : [],
    unverified: isVerifiable ? [] : drifts,
  };
}

/** Marks the buckets stale and waits until the controller has recomputed them. Resolves to the drifts that remain. */
async function fixAll(
  found: readonly PlaneDrifts[],
  deps: RecountDeps,
  signal: AbortSignal,
): Promise<readonly PlaneDrifts[]> {
  let remaining = found.filter(({ drifts }) => drifts.length > 0);
  for (const { plane, drifts } of remaining) {
    for (const drift of drifts) await markStale(plane, drift, deps.cluster, signal);
  }
  for (let attempt = 0; attempt < fixAttemptsMax && remaining.length > 0; attempt += 1) {
    await sleep(deps.cluster.clock, settleMs / 4, signal);
    const drifts = await mapConcurrently(remaining, ({ plane }) => persistentDrifts(plane, deps, signal));
    remaining = drifts.filter(({ drifts: ofPlane }) => ofPlane.length > 0);
  }
  return remaining;
}

/** Annotates the bucket, at which the controller recomputes it. A conflict means that it was rewritten meanwhile. */
async function markStale(plane: KubeClient, { bucket }: Drift, { clock }: Cluster, signal: AbortSignal): Promise<void> {
  if (bucket === undefined) return;
  const { namespace = "", name = "", resourceVersion } = bucket.metadata;
  const body = { metadata: { resourceVersion, annotations: { [annotations.recount]: formatTime(clock.now()) } } };
  const buckets = plane.resource(allowanceBucketDefinition, anyObject);
  try {
    await buckets.patch({ namespace, name }, { type: "merge", body }, {}, signal);
  } catch (error) {
    const isRewritten = error instanceof StatusError && [404, 409].includes(error.status.code);
    if (!isRewritten) throw error;
  }
}

interface Outcome {
  readonly consumers: number;
  readonly before: number;
  /** Undefined without --fix. */
  readonly after: number | undefined;
}

function recountText(found: readonly PlaneDrifts[], units: Units, { consumers, before, after }: Outcome): string {
  const lines = found.flatMap(({ plane, drifts }) =>
    drifts.map((drift) => `${found.length > 1 ? `${planeName(plane)}: ` : ""}${driftText(drift, units)}`),
  );
  const isPartial = found.some(({ unverified }) => unverified.length > 0);
  const match = `all ${isPartial ? "other " : ""}buckets match`;
  const result = before === 0 ? match : counted(before, "bucket differs", "buckets differ");
  const fixed = before === 0 ? "" : ` ${fixText(before, after)}`;
  return [...lines, `Recomputed the usage of ${counted(consumers, "consumer")}: ${result}.${fixed}`].join("\n");
}

function fixText(before: number, after: number | undefined): string {
  const them = before === 1 ? "it" : "them";
  if (after === undefined) return `Run with --fix to have the controller recompute ${them}.`;
  if (after === 0) return `The controller has recomputed ${them}: all buckets match now.`;
  return `${counted(after, "bucket still differs", "buckets still differ")}: is the quota system running?`;
}

function unverifiedLines(unverified: readonly Drift[]): readonly string[] {
  if (unverified.length === 0) return [];
  return [
    `${counted(unverified.length, "bucket")} cannot be verified, because an organization sees only grants and claims in its own namespace:`,
    ...unverified.map(({ consumer, resourceType }) => `  ${kindAndName(consumer)} ${resourceType}`),
  ];
}
