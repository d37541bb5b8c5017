import { pause } from "@milo-quota/kubernetes/client/pause.ts";
import type { AnyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { type Condition, findCondition } from "@milo-quota/kubernetes/protocol/condition.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { planeText } from "../cluster/cluster.ts";
import { QuotaObjects } from "../cluster/quota-objects.ts";
import { CommandFailure } from "../command-failure.ts";
import { exitCodes } from "../exit-codes.ts";
import { readUnits } from "../units.ts";
import { usageTable } from "../usage-table.ts";
import {
  demoClaimPolicy,
  demoGrantPolicy,
  demoOrganization,
  demoProject,
  demoRegistration,
  oneTooMany,
  organizationName,
  projectNames,
} from "./demo-objects.ts";
import { Stage } from "./stage.ts";

type Say = (...lines: readonly string[]) => void;

/** Plays it from the first registration to the project that does not fit, and the one that does after all. */
export async function play(cluster: Cluster, say: Say, keep: boolean, signal: AbortSignal): Promise<void> {
  const stage = new Stage(cluster, signal);
  try {
    await setUp(stage, say);
    await untilGranted(cluster, signal);
    say("", await usageOf(cluster, signal));
    await useUp(stage, cluster, say, signal);
    await freeOne(stage, cluster, say, signal);
  } finally {
    if (keep) say("", "Everything stays as it is: --keep. Look at it with usage, explain and kubectl.");
    else await stage.clear();
  }
  if (!keep) say("", "The demo has removed what it made.");
}

async function setUp(stage: Stage, say: Say): Promise<void> {
  say(
    "1. Somebody registers what is counted: projects, of organizations.",
    "   ResourceRegistration projects-per-organization",
  );
  await stage.create(demoRegistration);
  await stage.until(demoRegistration, (object) => conditionOf(object, "Active") === "True");
  say("", "2. A policy grants every active Organization three of them.", "   GrantCreationPolicy three-projects");
  await stage.create(demoGrantPolicy);
  say("", "3. A policy takes one for every Project, when it is created.", "   ClaimCreationPolicy one-project");
  await stage.create(demoClaimPolicy);
  for (const policy of [demoGrantPolicy, demoClaimPolicy]) {
    await stage.until(policy, (object) => conditionOf(object, "Ready") === "True");
  }
  say("", `4. A tenant comes: Organization ${organizationName}. It is granted three projects at once.`);
  await stage.create(demoOrganization);
}

async function useUp(stage: Stage, cluster: Cluster, say: Say, signal: AbortSignal): Promise<void> {
  say("", "5. It creates three projects. Each is checked before it is stored, and takes one.");
  for (const name of projectNames) {
    const refusal = await stage.create(demoProject(name));
    if (refusal !== undefined) throw unexpected(`${name} was refused: ${refusal}`);
    say(`   Project ${name}: created`);
  }
  say("", await usageOf(cluster, signal));
  say("", "6. The fourth does not fit, and is refused with the numbers:");
  const refusal = await stage.create(demoProject(oneTooMany));
  if (refusal === undefined) throw unexpected(`${oneTooMany} was created, although nothing was left`);
  say(`   Project ${oneTooMany}: ${refusal}`);
}

async function freeOne(stage: Stage, cluster: Cluster, say: Say, signal: AbortSignal): Promise<void> {
  const [first] = projectNames;
  say("", `7. Project ${first} is deleted: what it held is free, and the fourth fits now.`);
  await stage.remove(demoProject(first));
  while ((await stage.create(demoProject(oneTooMany))) !== undefined) await pause(cluster.clock, 50, signal);
  say(`   Project ${oneTooMany}: created`, "", await usageOf(cluster, signal));
}

async function untilGranted(cluster: Cluster, signal: AbortSignal): Promise<void> {
  while ((await bucketsOf(cluster, signal)).every(({ bucket }) => Number(bucket.status?.limit ?? 0) === 0)) {
    await pause(cluster.clock, 50, signal);
  }
}

/** Promises are kept within a moment; until then they stand apart, and would only need explaining. */
async function usageOf(cluster: Cluster, signal: AbortSignal): Promise<string> {
  const units = await readUnits(cluster, signal);
  let buckets = await bucketsOf(cluster, signal);
  while (buckets.some(({ bucket }) => Number(bucket.status?.reserved ?? 0) > 0)) {
    await pause(cluster.clock, 50, signal);
    buckets = await bucketsOf(cluster, signal);
  }
  const table = usageTable(buckets, units) ?? "";
  return table.replaceAll(/^/gm, "   ");
}

async function bucketsOf(cluster: Cluster, signal: AbortSignal) {
  const buckets = await new QuotaObjects(cluster.home, cluster.note, signal).buckets();
  const plane = planeText(cluster.home);
  return buckets
    .filter(({ consumer }) => consumer.kind === "Organization" && consumer.name === organizationName)
    .map((bucket) => ({ plane, bucket }));
}

function conditionOf(object: AnyObject, type: string): string | undefined {
  const { conditions } = (object["status"] ?? {}) as { conditions?: readonly Condition[] };
  return findCondition(conditions, type)?.status;
}

function unexpected(message: string): CommandFailure {
  const advice = "Something else on this server takes part in this: try `milo-quota demo --in-memory`.";
  return new CommandFailure(message, exitCodes.refused, advice);
}
