import type { Command } from "commander";
import type { KubeClient } from "../../kube/client/kube-client.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { Surroundings } from "../cluster/cluster-access.ts";
import { type ClusterFlags, withClusterFlags } from "../cluster/cluster-flags.ts";
import { inEachPlane } from "../cluster/each-plane.ts";
import type { AnyObject } from "../cluster/object-lists.ts";
import { onCluster } from "../cluster/on-cluster.ts";
import { QuotaObjects } from "../cluster/quota-objects.ts";
import { readCounted } from "../consumer-books.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { type OutputFlags, print, withOutputFlag } from "../output.ts";
import { counted } from "../text-table.ts";
import { Units } from "../units.ts";
import { probeAdmission } from "./admission-probe.ts";
import { examineControllers } from "./controllers-alive.ts";
import { examineDefinitions } from "./definitions.ts";
import { examineEnforcement } from "./enforcement-check.ts";
import type { Finding } from "./finding.ts";
import { type Examined, quotaChecks } from "./quota-checks.ts";

interface DoctorFlags extends ClusterFlags, OutputFlags {}

/** `definitions` are those of the kinds that this version of the program knows. */
export function addDoctor(program: Command, surroundings: Surroundings, definitions: () => readonly AnyObject[]): void {
  const name = program.name();
  const command = program
    .command("doctor")
    .description("look for whatever keeps quota from working, and say what to do about it")
    .addHelpText(
      "after",
      `
Looks at definitions, admission (by a dry run), enforcement, controllers, registrations, policies, grants, claims and
buckets, in the control planes of all projects too. Writes nothing. Exits with 1 when there is a problem; warnings may be meant so.

Examples:
  ${name} doctor
  ${name} doctor -o json`,
    );
  withOutputFlag(withClusterFlags(command)).action(() =>
    onCluster<DoctorFlags>(command, surroundings, (cluster, flags, signal) =>
      examine(cluster, flags, definitions(), signal),
    ),
  );
}

async function examine(
  cluster: Cluster,
  flags: DoctorFlags,
  definitions: readonly AnyObject[],
  signal: AbortSignal,
): Promise<ExitCode> {
  const kinds = await examineDefinitions(cluster, definitions, signal);
  const isInstalled = !kinds.some(({ state, message }) => state === "problem" && message.includes("not installed"));
  const findings = isInstalled ? [...kinds, ...(await examineQuota(cluster, signal))] : kinds;
  const problems = findings.filter(({ state }) => state === "problem").length;
  const warnings = findings.filter(({ state }) => state === "warning").length;
  print(
    flags,
    () => [...findings.flatMap(linesOf), "", verdictText(problems, warnings)].join("\n"),
    () => ({ healthy: problems === 0, problems, warnings, findings }),
  );
  return problems === 0 ? exitCodes.fine : exitCodes.refused;
}

async function examineQuota(cluster: Cluster, signal: AbortSignal): Promise<readonly Finding[]> {
  const examined = await readAll(cluster, signal);
  return [
    ...(await probeAdmission(cluster, signal)),
    ...(await examineEnforcement(cluster, signal)),
    ...(await examineControllers(cluster, examined, signal)),
    ...quotaChecks(examined),
  ];
}

async function readAll(cluster: Cluster, signal: AbortSignal): Promise<Examined> {
  const registrations = await new QuotaObjects(cluster.home, cluster.note, signal).registrations();
  const planes = await inEachPlane(cluster, await cluster.planes(signal), (plane) => readPlane(plane, cluster, signal));
  return readTogether(registrations, planes.results, cluster);
}

function readTogether(
  registrations: Examined["registrations"],
  planes: readonly Awaited<ReturnType<typeof readPlane>>[],
  cluster: Cluster,
): Examined {
  return {
    registrations,
    units: new Units(registrations),
    nowMs: cluster.clock.now(),
    pages: planes.flatMap(({ pages }) => pages),
    grants: planes.flatMap(({ grants }) => grants),
    claims: planes.flatMap(({ claims }) => claims),
    grantPolicies: planes.flatMap(({ grantPolicies }) => grantPolicies),
    claimPolicies: planes.flatMap(({ claimPolicies }) => claimPolicies),
  };
}

async function readPlane(plane: KubeClient, { note }: Cluster, signal: AbortSignal) {
  const objects = new QuotaObjects(plane, note, signal);
  const [found, grantPolicies, claimPolicies] = await Promise.all([
    readCounted(objects),
    objects.grantPolicies(),
    objects.claimPolicies(),
  ]);
  return { ...found, grantPolicies, claimPolicies };
}

const marks = { ok: "ok     ", warning: "warning", problem: "PROBLEM" } as const;

function linesOf({ check, state, message, advice }: Finding): readonly string[] {
  const line = `${marks[state]}  ${check.padEnd(13)}  ${message}`;
  return advice === undefined ? [line] : [line, `${" ".repeat(24)}${advice}`];
}

function verdictText(problems: number, warnings: number): string {
  if (problems === 0 && warnings === 0) return "Everything is well.";
  return `${counted(problems, "problem")}, ${counted(warnings, "warning")}.`;
}
