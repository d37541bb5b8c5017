import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { formatTime } from "@milo-quota/kubernetes/protocol/time.ts";
import type { Command } from "commander";
import type { RenderedClaim } from "../../core/policy/claim-policy.ts";
import type { CliContext } from "../cli-context.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { addClusterFlags, addNamespaceFlag, type ClusterFlags } from "../cluster/cluster-flags.ts";
import { runOnCluster } from "../cluster/run-on-cluster.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { addOutputFlag, type OutputFlags, print } from "../output.ts";
import { counted } from "../text-table.ts";
import { readUnits } from "../units.ts";
import { type DryRunResult, dryRun, nameOf } from "./dry-run.ts";
import { Forecast, PartialViewError } from "./forecast.ts";
import { readPlannedObjects } from "./planned-objects.ts";
import { policiesInScope } from "./policies-in-scope.ts";
import { ActivePolicies, type PolicyClaims } from "./policy-claims.ts";

interface SimulateFlags extends ClusterFlags, OutputFlags {
  readonly filename: readonly string[];
}

export function addSimulateCreate(program: Command, cli: CliContext): void {
  const name = program.name();
  const command = program
    .command("simulate-create")
    .description("check whether objects would fit their quotas, one by one and together, without creating them")
    .requiredOption("-f, --filename <file...>", "files or directories that contain the objects; - reads stdin")
    .addHelpText(
      "after",
      `
Creates each object as a dry run, then computes from policies, grants and claims whether all of them fit together. Exits
with 1 if an object does not fit, and with 4 if you lack permission to read what is needed to tell.

Examples:
  ${name} simulate-create -f projects.yaml
  kubectl kustomize overlays/prod | ${name} simulate-create -f - --project web`,
    );
  addNamespaceFlag(command, "namespace of objects that name none");
  addOutputFlag(addClusterFlags(command)).action(() => runOnCluster<SimulateFlags>(command, cli, simulate));
}

/** Why an object does not fit together with those before it; unknown if the user lacks permission to read the quota. */
type Together = readonly string[] | "not created" | "unknown";

interface SimulatedObject {
  readonly object: string;
  readonly alone: DryRunResult;
  readonly together: Together;
  readonly policyClaims: PolicyClaims;
}

async function simulate(cluster: Cluster, flags: SimulateFlags, signal: AbortSignal): Promise<ExitCode> {
  const units = await readUnits(cluster, signal);
  const planned = await readPlannedObjects(flags.filename, cluster, signal);
  const { policies, isComplete } = await policiesInScope(cluster, signal);
  if (!isComplete) cluster.printErr(rootNotReadable);
  const activePolicies = new ActivePolicies(policies);
  const forecast = new Forecast(cluster, units, signal);
  const results: SimulatedObject[] = [];
  for (const each of planned) {
    const { result: alone, object } = await dryRun(each, cluster, signal);
    const policyClaims = activePolicies.claimsFor({ ...each, object }, formatTime(cluster.clock.now()));
    const enforced = policyClaims.claims.filter(({ shadow }) => !shadow).map(({ claim }) => claim);
    const isCreated = alone.verdict === "fits" || alone.verdict === "does not fit";
    const forecastEach = () => (isComplete ? fitTogether(forecast, enforced, cluster) : "unknown");
    const together = isCreated ? await forecastEach() : "not created";
    results.push({ object: nameOf(each.object), alone, together, policyClaims });
  }
  const fits = allFit(results);
  print(
    flags,
    () => results.flatMap(linesOf).concat("", summary(results)).join("\n"),
    () => ({ fits: fits ?? null, items: results.map(simulatedValue) }),
  );
  if (fits === undefined) return exitCodes.forbidden;
  return fits ? exitCodes.success : exitCodes.negative;
}

const rootNotReadable =
  "Whether the objects fit together is unknown, because you lack permission to read the policies of the root control " +
  "plane, which also apply to projects. Members of an organization can read them with --organization NAME.";

/** Undefined if it is unknown. A single object needs no forecast: the dry run has the answer. */
function allFit(results: readonly SimulatedObject[]): boolean | undefined {
  if (!results.every(isFitting)) return false;
  return results.length > 1 && results.some(({ together }) => together === "unknown") ? undefined : true;
}

async function fitTogether(forecast: Forecast, claims: readonly RenderedClaim[], cluster: Cluster): Promise<Together> {
  try {
    return await forecast.shortages(claims, cluster.target);
  } catch (error) {
    const isForbidden =
      error instanceof PartialViewError || (error instanceof StatusError && error.status.code === 403);
    if (!isForbidden) throw error;
    cluster.printErr(`Whether the objects fit together is unknown: ${error.message}`);
    return "unknown";
  }
}

function isFitting({ alone, together }: SimulatedObject): boolean {
  return alone.verdict === "fits" && (together === "unknown" || together.length === 0);
}

function linesOf({ object, alone, together, policyClaims }: SimulatedObject): readonly string[] {
  const fitsOnlyAlone = alone.verdict === "fits" && typeof together !== "string" && together.length > 0;
  const verdict = fitsOnlyAlone ? "fits alone, but not together with the objects before it" : alone.verdict;
  const reasons = fitsOnlyAlone ? together : "message" in alone ? [alone.message] : [];
  return [
    `${object}: ${verdict}${alone.verdict === "fits" ? verdictSuffix(policyClaims, together) : ""}`,
    ...reasons.map((text) => `    ${text}`),
  ];
}

function verdictSuffix({ claims }: PolicyClaims, together: Together): string {
  if (together === "unknown") return " alone";
  return claims.length === 0 ? " (no quota applies)" : "";
}

function summary(results: readonly SimulatedObject[]): string {
  const fitting = results.filter(isFitting).length;
  if (allFit(results) === undefined) {
    return `${counted(results.length, "object fits", "objects fit")} alone. Whether they fit together is unknown.`;
  }
  return `${fitting} of ${counted(results.length, "object")} would be created.`;
}

function simulatedValue({ object, alone, together, policyClaims }: SimulatedObject): object {
  return {
    object,
    alone,
    together: typeof together === "string" ? null : { fits: together.length === 0, shortages: together },
    claims: policyClaims.claims.map(({ policy, shadow, claim }) => ({
      policy,
      mode: shadow ? "Shadow" : "Enforce",
      consumer: claim.consumer,
      requests: claim.requests.map(({ resourceType, amount, dimensions }) => ({ resourceType, amount, dimensions })),
    })),
    problems: policyClaims.problems,
  };
}
