import { pause } from "@milo-quota/kubernetes/client/pause.ts";
import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { timeText } from "@milo-quota/kubernetes/protocol/time.ts";
import type { Command } from "commander";
import { allowanceBucketDefinition } from "../../core/resources/allowance-bucket.ts";
import { annotations } from "../../core/resources/well-known.ts";
import type { Surroundings } from "../cluster/chosen-access.ts";
import { type Cluster, planeText } from "../cluster/cluster.ts";
import { type ClusterFlags, withClusterFlags } from "../cluster/cluster-flags.ts";
import { inEachPlane } from "../cluster/each-plane.ts";
import { forEachOf } from "../cluster/object-lists.ts";
import { onCluster } from "../cluster/on-cluster.ts";
import { QuotaObjects } from "../cluster/quota-objects.ts";
import { isSeenWhole } from "../cluster/tenant-addresses.ts";
import { CommandFailure } from "../command-failure.ts";
import { shortConsumer } from "../consumer-filter.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { type OutputFlags, print, withOutputFlag } from "../output.ts";
import { counted } from "../text-table.ts";
import { Units } from "../units.ts";
import { booksOf, readCounted } from "./consumer-books.ts";
import { type Drift, driftKey, driftsOf, driftText, driftValue } from "./page-drift.ts";

interface RecountFlags extends ClusterFlags, OutputFlags {
  readonly fix?: boolean;
}

/** What is under way takes less than this to be written down. */
const settleMs = 2_000;
const fixLooksMax = 4;

export function addRecount(program: Command, surroundings: Surroundings): void {
  const name = program.name();
  const command = program
    .command("recount")
    .description("add up grants and claims of every consumer, and compare with what the buckets say")
    .option("--fix", "have the quota system count those that differ anew")
    .addHelpText(
      "after",
      `
Reads only, unless --fix is given. Buckets that change meanwhile are looked at twice: only what stays different is told.
Exits with 1 when something differs, and with --fix when it still does afterwards; with 4 when nothing does, but something
cannot be judged by whoever sees only a part.

Examples:
  ${name} recount
  ${name} recount --project web
  ${name} recount --fix`,
    );
  withOutputFlag(withClusterFlags(command)).action(() => onCluster<RecountFlags>(command, surroundings, recount));
}

interface PlaneDrifts {
  readonly plane: KubeClient;
  readonly consumers: number;
  readonly drifts: readonly Drift[];
  /** Buckets that count what is not seen from here, as far as one can tell: nobody can say whether they are right. */
  readonly unjudged: readonly Drift[];
}

async function recount(cluster: Cluster, flags: RecountFlags, signal: AbortSignal): Promise<ExitCode> {
  const units = await readRegistrations(cluster, signal);
  const planes = await cluster.planes(signal);
  const seen = await inEachPlane(cluster, planes, (plane) => lastingDrifts(plane, { cluster, units }, signal));
  const found = seen.results;
  const left = flags.fix === true ? await fixAll(found, { cluster, units }, signal) : found;
  const [before, after] = [found, left].map((each) => each.flatMap(({ drifts }) => drifts).length as number);
  const consumers = found.reduce((sum, each) => sum + each.consumers, 0);
  const unjudged = found.flatMap((each) => each.unjudged);
  const outcome = { consumers, before: before ?? 0, after: flags.fix === true ? after : undefined };
  print(
    flags,
    () => [recountText(found, units, outcome), ...unjudgedLines(unjudged)].join("\n"),
    () => ({
      consumers,
      differing: before,
      ...(flags.fix === true ? { stillDiffering: after } : {}),
      notJudged: unjudged.map(({ consumer, resourceType }) => ({ consumer, resourceType })),
      planes: found
        .filter(({ drifts }) => drifts.length > 0)
        .map(({ plane, drifts }) => ({ plane: planeText(plane), drifts: drifts.map(driftValue) })),
    }),
  );
  if (after !== 0) return exitCodes.refused;
  return unjudged.length > 0 ? exitCodes.forbidden : seen.exitCode;
}

/** Whether a grant counts is said by the registration of its type: without those, nothing can be added up. */
async function readRegistrations({ home, note }: Cluster, signal: AbortSignal): Promise<Units> {
  try {
    return new Units(await new QuotaObjects(home, note, signal).registrations());
  } catch (error) {
    if (!(error instanceof StatusError) || error.status.code !== 403) throw error;
    const message = "nothing can be added up without registrations, which you may not read here";
    throw new CommandFailure(
      message,
      exitCodes.forbidden,
      "Members of an organization see them with --organization NAME.",
    );
  }
}

interface Ground {
  readonly cluster: Cluster;
  readonly units: Units;
}

/** What differs, and after a while still does in the same way. */
async function lastingDrifts(plane: KubeClient, ground: Ground, signal: AbortSignal): Promise<PlaneDrifts> {
  const first = await driftsIn(plane, ground, signal);
  if (first.drifts.length === 0) return first;
  await pause(ground.cluster.clock, settleMs, signal);
  const second = await driftsIn(plane, ground, signal);
  const known = new Set(first.drifts.map(driftKey));
  return { ...second, drifts: second.drifts.filter((drift) => known.has(driftKey(drift))) };
}

async function driftsIn(plane: KubeClient, { cluster, units }: Ground, signal: AbortSignal): Promise<PlaneDrifts> {
  const { namespace } = cluster;
  const objects = await readCounted(new QuotaObjects(plane, cluster.note, signal));
  const books = booksOf(objects, units, cluster.clock.now());
  const drifts = books.flatMap(driftsOf);
  const isIn = ({ page }: Drift): boolean => namespace === undefined || page?.metadata.namespace === namespace;
  const told = drifts.filter(isIn);
  const isWhole = isSeenWhole(plane.plane);
  return { plane, consumers: books.length, drifts: isWhole ? told : [], unjudged: isWhole ? [] : told };
}

/** Waits until the quota system has counted anew. What it does not put right is still told; what is under way is not. */
async function fixAll(
  found: readonly PlaneDrifts[],
  ground: Ground,
  signal: AbortSignal,
): Promise<readonly PlaneDrifts[]> {
  let left = found.filter(({ drifts }) => drifts.length > 0);
  for (const { plane, drifts } of left) for (const drift of drifts) await touch(plane, drift, ground.cluster, signal);
  for (let looks = 0; looks < fixLooksMax && left.length > 0; looks += 1) {
    await pause(ground.cluster.clock, settleMs / 4, signal);
    const now = await forEachOf(left, ({ plane }) => lastingDrifts(plane, ground, signal));
    left = now.filter(({ drifts }) => drifts.length > 0);
  }
  return left;
}

/** Asks the bucket writer to count a bucket anew. One that changed since was looked at anyway. */
async function touch(plane: KubeClient, { page }: Drift, { clock }: Cluster, signal: AbortSignal): Promise<void> {
  if (page === undefined) return;
  const { namespace = "", name = "", resourceVersion } = page.metadata;
  const noted = { [annotations.recount]: timeText(clock.now()) };
  const body = { metadata: { resourceVersion, annotations: noted } };
  const pages = plane.resource(allowanceBucketDefinition, anyObject);
  try {
    await pages.patch({ namespace, name }, { type: "merge", body }, {}, signal);
  } catch (error) {
    const isOvertaken = error instanceof StatusError && [404, 409].includes(error.status.code);
    if (!isOvertaken) throw error;
  }
}

interface Outcome {
  readonly consumers: number;
  readonly before: number;
  /** Undefined: nothing was to be put right. */
  readonly after: number | undefined;
}

function recountText(found: readonly PlaneDrifts[], units: Units, { consumers, before, after }: Outcome): string {
  const lines = found.flatMap(({ plane, drifts }) =>
    drifts.map((drift) => `${found.length > 1 ? `${planeText(plane)}: ` : ""}${driftText(drift, units)}`),
  );
  const isPart = found.some(({ unjudged }) => unjudged.length > 0);
  const right = `every ${isPart ? "other " : ""}bucket says what they come to`;
  const differing = before === 0 ? right : `${counted(before, "bucket differs", "buckets differ")}`;
  const fixed =
    after === undefined || before === 0
      ? before === 0
        ? ""
        : " --fix has them counted anew."
      : after === 0
        ? " All were counted anew, and are right now."
        : ` ${counted(after, "bucket still differs", "buckets still differ")}: is the quota system running?`;
  return [...lines, `Grants and claims of ${counted(consumers, "consumer")} added up: ${differing}.${fixed}`].join(
    "\n",
  );
}

function unjudgedLines(unjudged: readonly Drift[]): readonly string[] {
  if (unjudged.length === 0) return [];
  const them = counted(unjudged.length, "bucket counts", "buckets count");
  return [
    `${them} more or less than is seen from here, and cannot be judged: an organization does not see grants and claims in`,
    "namespaces other than its own.",
    ...unjudged.map(({ consumer, resourceType }) => `  ${shortConsumer(consumer)} ${resourceType}`),
  ];
}
