import type { AnyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import type { Command } from "commander";
import type { Surroundings } from "../cluster/chosen-access.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { type ClusterFlags, withClusterFlags } from "../cluster/cluster-flags.ts";
import { inEachPlane } from "../cluster/each-plane.ts";
import { onCluster } from "../cluster/on-cluster.ts";
import { QuotaObjects } from "../cluster/quota-objects.ts";
import { isSeenWhole } from "../cluster/tenant-addresses.ts";
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
import { Sight } from "./sight.ts";

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
buckets, in the control planes of all projects too. Writes nothing. Exits with 1 when there is a problem; warnings may be meant
so, or tell what you may not look at.

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
  const quota = isInstalled ? await examineQuota(cluster, signal) : { findings: [], exitCode: exitCodes.fine };
  const findings = [...kinds, ...quota.findings];
  const problems = findings.filter(({ state }) => state === "problem").length;
  const warnings = findings.filter(({ state }) => state === "warning").length;
  print(
    flags,
    () => [...findings.flatMap(linesOf), "", verdictText(problems, warnings)].join("\n"),
    () => ({ healthy: problems === 0, problems, warnings, findings }),
  );
  return problems === 0 ? quota.exitCode : exitCodes.refused;
}

async function examineQuota(cluster: Cluster, signal: AbortSignal) {
  const { examined, exitCode } = await readAll(cluster, signal);
  const findings: readonly Finding[] = [
    ...(await probeAdmission(cluster, signal)),
    ...(await examineEnforcement(cluster, signal)),
    ...(await examineControllers(cluster, examined, signal)),
    ...quotaChecks(examined),
  ];
  return { findings, exitCode };
}

async function readAll(cluster: Cluster, signal: AbortSignal) {
  const sight = new Sight();
  const { home, note } = cluster;
  const registrations = await sight.list("registrations", () => new QuotaObjects(home, note, signal).registrations());
  const planes = await inEachPlane(cluster, await cluster.planes(signal), (plane) =>
    readPlane(new QuotaObjects(plane, note, signal), sight),
  );
  const isAll = cluster.here === home && isSeenWhole(home.plane) && planes.exitCode === exitCodes.fine;
  const seen = { hidden: sight.hidden, isAll };
  return { examined: readTogether(registrations, planes.results, cluster, seen), exitCode: planes.exitCode };
}

function readTogether(
  registrations: Examined["registrations"],
  planes: readonly Awaited<ReturnType<typeof readPlane>>[],
  cluster: Cluster,
  seen: Pick<Examined, "hidden" | "isAll">,
): Examined {
  return {
    ...seen,
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

async function readPlane(objects: QuotaObjects, sight: Sight) {
  const buckets = await sight.list("buckets", () => objects.buckets());
  const [grants, claims, grantPolicies, claimPolicies] = await Promise.all([
    sight.list("grants", () => objects.grants()),
    sight.list("claims", () => objects.claims()),
    sight.list("policies", () => objects.grantPolicies()),
    sight.list("policies", () => objects.claimPolicies()),
  ]);
  const pages = buckets.filter(({ dimensions }) => Object.keys(dimensions).length === 0);
  return { pages, grants, claims, grantPolicies, claimPolicies };
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
