import type { AnyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { sleep } from "@milo-quota/kubernetes/client/sleep.ts";
import { type Condition, findCondition } from "@milo-quota/kubernetes/protocol/condition.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { planeName } from "../cluster/cluster.ts";
import { QuotaObjects } from "../cluster/quota-objects.ts";
import { CommandError } from "../command-error.ts";
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
import { DemoSession } from "./demo-session.ts";

type Print = (...lines: readonly string[]) => void;

/** Creates a quota, uses it up, shows a rejection, and frees quota for the rejected project. */
export async function runDemo(cluster: Cluster, print: Print, keep: boolean, signal: AbortSignal): Promise<void> {
  const session = new DemoSession(cluster, signal);
  try {
    await setUp(session, print);
    await waitForGrant(cluster, signal);
    print("", await usageOf(cluster, signal));
    await useUpQuota(session, cluster, print, signal);
    await freeQuota(session, cluster, print, signal);
  } finally {
    if (keep) print("", "The objects of the demo are kept. Inspect them with usage, explain and kubectl.");
    else await session.cleanUp();
  }
  if (!keep) print("", "The objects of the demo were deleted.");
}

async function setUp(session: DemoSession, print: Print): Promise<void> {
  print(
    "1. A registration defines what is counted: the projects of an organization.",
    "   ResourceRegistration projects-per-organization",
  );
  await session.create(demoRegistration);
  await session.waitUntil(demoRegistration, (object) => conditionOf(object, "Active") === "True");
  print(
    "",
    "2. A grant policy gives every active Organization three projects.",
    "   GrantCreationPolicy three-projects",
  );
  await session.create(demoGrantPolicy);
  print(
    "",
    "3. A claim policy requests one project whenever a Project is created.",
    "   ClaimCreationPolicy one-project",
  );
  await session.create(demoClaimPolicy);
  for (const policy of [demoGrantPolicy, demoClaimPolicy]) {
    await session.waitUntil(policy, (object) => conditionOf(object, "Ready") === "True");
  }
  print("", `4. Organization ${organizationName} is created and gets its grant of three projects.`);
  await session.create(demoOrganization);
}

async function useUpQuota(session: DemoSession, cluster: Cluster, print: Print, signal: AbortSignal): Promise<void> {
  print("", "5. It creates three projects. Each one is admitted and uses one project of the quota.");
  for (const name of projectNames) {
    const rejection = await session.create(demoProject(name));
    if (rejection !== undefined) throw unexpected(`${name} was rejected: ${rejection}`);
    print(`   Project ${name}: created`);
  }
  print("", await usageOf(cluster, signal));
  print("", "6. The fourth project is over quota and is rejected:");
  const rejection = await session.create(demoProject(oneTooMany));
  if (rejection === undefined) throw unexpected(`${oneTooMany} was created although the quota was used up`);
  print(`   Project ${oneTooMany}: ${rejection}`);
}

async function freeQuota(session: DemoSession, cluster: Cluster, print: Print, signal: AbortSignal): Promise<void> {
  const [first] = projectNames;
  print("", `7. Project ${first} is deleted, which frees its quota. The fourth project now fits.`);
  await session.delete(demoProject(first));
  while ((await session.create(demoProject(oneTooMany))) !== undefined) await sleep(cluster.clock, 50, signal);
  print(`   Project ${oneTooMany}: created`, "", await usageOf(cluster, signal));
}

async function waitForGrant(cluster: Cluster, signal: AbortSignal): Promise<void> {
  while ((await bucketsOf(cluster, signal)).every(({ bucket }) => Number(bucket.status?.limit ?? 0) === 0)) {
    await sleep(cluster.clock, 50, signal);
  }
}

/** Waits until reservations have become allocations, so that the table does not need an explanation of RESERVED. */
async function usageOf(cluster: Cluster, signal: AbortSignal): Promise<string> {
  const units = await readUnits(cluster, signal);
  let buckets = await bucketsOf(cluster, signal);
  while (buckets.some(({ bucket }) => Number(bucket.status?.reserved ?? 0) > 0)) {
    await sleep(cluster.clock, 50, signal);
    buckets = await bucketsOf(cluster, signal);
  }
  const table = usageTable(buckets, units) ?? "";
  return table.replaceAll(/^/gm, "   ");
}

async function bucketsOf(cluster: Cluster, signal: AbortSignal) {
  const buckets = await new QuotaObjects(cluster.root, cluster.printErr, signal).buckets();
  const plane = planeName(cluster.root);
  return buckets
    .filter(({ consumer }) => consumer.kind === "Organization" && consumer.name === organizationName)
    .map((bucket) => ({ plane, bucket }));
}

function conditionOf(object: AnyObject, type: string): string | undefined {
  const { conditions } = (object["status"] ?? {}) as { conditions?: readonly Condition[] };
  return findCondition(conditions, type)?.status;
}

function unexpected(message: string): CommandError {
  const advice = "Other policies or claims on this server interfere: try `milo-quota demo --in-memory`.";
  return new CommandError(message, exitCodes.negative, advice);
}
