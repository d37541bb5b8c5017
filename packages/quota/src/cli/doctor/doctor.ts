import type { AnyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import type { Command } from "commander";
import type { CliContext } from "../cli-context.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { addClusterFlags, type ClusterFlags } from "../cluster/cluster-flags.ts";
import { forEachPlane } from "../cluster/each-plane.ts";
import { QuotaObjects } from "../cluster/quota-objects.ts";
import { runOnCluster } from "../cluster/run-on-cluster.ts";
import { isFullView } from "../cluster/tenant-addresses.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { addOutputFlag, type OutputFlags, print } from "../output.ts";
import { counted } from "../text-table.ts";
import { Units } from "../units.ts";
import { checkAdmission } from "./admission-check.ts";
import { checkControllers } from "./controllers-check.ts";
import { checkDefinitions } from "./definitions-check.ts";
import { checkEnforcement } from "./enforcement-check.ts";
import type { Finding } from "./finding.ts";
import { LenientLister } from "./lenient-lister.ts";
import { type QuotaSnapshot, quotaChecks } from "./quota-checks.ts";
import { checkStorage } from "./storage-check.ts";

interface DoctorFlags extends ClusterFlags, OutputFlags {}

/** `definitions` are the CRDs of this version of milo-quota. */
export function addDoctor(program: Command, cli: CliContext, definitions: () => readonly AnyObject[]): void {
  const name = program.name();
  const command = program
    .command("doctor")
    .description("diagnose problems that keep quota from working, and suggest fixes")
    .addHelpText(
      "after",
      `
Checks definitions, admission (with a dry run), enforcement, storage, controllers, registrations, policies, grants, claims and
buckets, including the control planes of all projects. Writes nothing. Exits with 1 if there is a problem. Warnings may be
intentional, or name checks that you lack permission to run.

Examples:
  ${name} doctor
  ${name} doctor -o json`,
    );
  addOutputFlag(addClusterFlags(command)).action(() =>
    runOnCluster<DoctorFlags>(command, cli, (cluster, flags, signal) =>
      runChecks(cluster, flags, definitions(), signal),
    ),
  );
}

async function runChecks(
  cluster: Cluster,
  flags: DoctorFlags,
  definitions: readonly AnyObject[],
  signal: AbortSignal,
): Promise<ExitCode> {
  const crds = await checkDefinitions(cluster, definitions, signal);
  const quota = crds.isInstalled ? await checkQuota(cluster, signal) : { findings: [], exitCode: exitCodes.success };
  const findings = [...crds.findings, ...quota.findings];
  const problems = findings.filter(({ state }) => state === "problem").length;
  const warnings = findings.filter(({ state }) => state === "warning").length;
  print(
    flags,
    () => [...findings.flatMap(linesOf), "", verdictText(problems, warnings)].join("\n"),
    () => ({ healthy: problems === 0, problems, warnings, findings }),
  );
  return problems === 0 ? quota.exitCode : exitCodes.negative;
}

async function checkQuota(cluster: Cluster, signal: AbortSignal) {
  const { snapshot, exitCode } = await readSnapshot(cluster, signal);
  const findings: readonly Finding[] = [
    ...(await checkAdmission(cluster, signal)),
    ...(await checkEnforcement(cluster, signal)),
    ...(await checkStorage(cluster, signal)),
    ...(await checkControllers(cluster, snapshot, signal)),
    ...quotaChecks(snapshot),
  ];
  return { findings, exitCode };
}

async function readSnapshot(cluster: Cluster, signal: AbortSignal) {
  const lister = new LenientLister();
  const { target, root, printErr, clock } = cluster;
  const registrations = await lister.list("registrations", () =>
    new QuotaObjects(root, printErr, signal).registrations(),
  );
  const { results: planes, exitCode } = await forEachPlane(cluster, await cluster.planes(signal), (plane) =>
    readPlane(new QuotaObjects(plane, printErr, signal), lister),
  );
  const snapshot: QuotaSnapshot = {
    forbidden: lister.forbidden,
    isComplete: target === root && isFullView(root.plane) && exitCode === exitCodes.success,
    registrations,
    units: new Units(registrations),
    nowMs: clock.now(),
    ledgerBuckets: planes.flatMap(({ ledgerBuckets }) => ledgerBuckets),
    grants: planes.flatMap(({ grants }) => grants),
    claims: planes.flatMap(({ claims }) => claims),
    grantPolicies: planes.flatMap(({ grantPolicies }) => grantPolicies),
    claimPolicies: planes.flatMap(({ claimPolicies }) => claimPolicies),
  };
  return { snapshot, exitCode };
}

async function readPlane(objects: QuotaObjects, lister: LenientLister) {
  const buckets = await lister.list("buckets", () => objects.buckets());
  const [grants, claims, grantPolicies, claimPolicies] = await Promise.all([
    lister.list("grants", () => objects.grants()),
    lister.list("claims", () => objects.claims()),
    lister.list("policies", () => objects.grantPolicies()),
    lister.list("policies", () => objects.claimPolicies()),
  ]);
  const ledgerBuckets = buckets.filter(({ dimensions }) => Object.keys(dimensions).length === 0);
  return { ledgerBuckets, grants, claims, grantPolicies, claimPolicies };
}

const labels = { ok: "ok     ", warning: "warning", problem: "PROBLEM" } as const;

function linesOf({ check, state, message, advice }: Finding): readonly string[] {
  const line = `${labels[state]}  ${check.padEnd(13)}  ${message}`;
  return advice === undefined ? [line] : [line, `${" ".repeat(24)}${advice}`];
}

function verdictText(problems: number, warnings: number): string {
  if (problems === 0 && warnings === 0) return "No problems found.";
  return `${counted(problems, "problem")}, ${counted(warnings, "warning")}.`;
}
