import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { timeText } from "@milo-quota/kubernetes/protocol/time.ts";
import type { Command } from "commander";
import type { RenderedClaim } from "../../core/policy/claim-policy.ts";
import type { Surroundings } from "../cluster/chosen-access.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { type ClusterFlags, withClusterFlags } from "../cluster/cluster-flags.ts";
import { onCluster } from "../cluster/on-cluster.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { type OutputFlags, print, withOutputFlag } from "../output.ts";
import { counted } from "../text-table.ts";
import { readUnits } from "../units.ts";
import { creationsFrom } from "./created-object.ts";
import { type Alone, dryRun, nameOf } from "./dry-run.ts";
import { Forecast, SeenInPart } from "./forecast.ts";
import { policiesHere } from "./policies-here.ts";
import { PoliciesAtWork, type WantedClaims } from "./wanted-claims.ts";

interface SimulateFlags extends ClusterFlags, OutputFlags {
  readonly filename: readonly string[];
}

export function addSimulateCreate(program: Command, surroundings: Surroundings): void {
  const name = program.name();
  const command = program
    .command("simulate-create")
    .description("tell whether objects would fit into their quotas, each alone and all together, without creating them")
    .requiredOption("-f, --filename <file...>", "files or folders of the objects; - reads the standard input")
    .addHelpText(
      "after",
      `
The server is asked about each object by a dry run. Whether all of them fit is then worked out from its policies, grants
and claims. Exits with 1 when something does not fit, and with 4 when you may not read what tells whether all do.

Examples:
  ${name} simulate-create -f projects.yaml
  kubectl kustomize overlays/prod | ${name} simulate-create -f - --project web`,
    );
  withOutputFlag(withClusterFlags(command)).action(() => onCluster<SimulateFlags>(command, surroundings, simulate));
}

/** What does not fit beside the objects before it; unknown to whoever may not read what it is counted from. */
type Together = readonly string[] | "not created" | "not known";

interface Simulated {
  readonly object: string;
  readonly alone: Alone;
  readonly wanted: WantedClaims;
  readonly together: Together;
}

async function simulate(cluster: Cluster, flags: SimulateFlags, signal: AbortSignal): Promise<ExitCode> {
  const units = await readUnits(cluster, signal);
  const creations = await creationsFrom(flags.filename, cluster, signal);
  const here = await policiesHere(cluster, signal);
  if (!here.areAll) cluster.note(rootUnseen);
  const policies = new PoliciesAtWork(here.policies);
  const forecast = new Forecast(cluster, units, signal);
  const results: Simulated[] = [];
  for (const creation of creations) {
    const { alone, object } = await dryRun(creation, cluster, signal);
    const wanted = policies.claimsFor({ ...creation, object }, timeText(cluster.clock.now()));
    const counts = wanted.claims.filter(({ shadow }) => !shadow).map(({ claim }) => claim);
    const isCreated = alone.verdict === "fits" || alone.verdict === "does not fit";
    const beside = () => (here.areAll ? besideOthers(forecast, counts, cluster) : "not known");
    const together = isCreated ? await beside() : "not created";
    results.push({ object: nameOf(creation.object), alone, wanted, together });
  }
  const fits = allFit(results);
  print(
    flags,
    () => results.flatMap(linesOf).concat("", summary(results)).join("\n"),
    () => ({ fits: fits ?? null, items: results.map(simulatedValue) }),
  );
  if (fits === undefined) return exitCodes.forbidden;
  return fits ? exitCodes.fine : exitCodes.refused;
}

const rootUnseen =
  "You may not read the policies of the root, which put quota on what is in projects, too: whether objects fit beside " +
  "each other is not known. Members of an organization see them with --organization NAME.";

/** Undefined when nobody here can say. Of one object alone the server has said it. */
function allFit(results: readonly Simulated[]): boolean | undefined {
  if (!results.every(isFitting)) return false;
  return results.length > 1 && results.some(({ together }) => together === "not known") ? undefined : true;
}

async function besideOthers(forecast: Forecast, claims: readonly RenderedClaim[], cluster: Cluster): Promise<Together> {
  try {
    return await forecast.shortages(claims, cluster.here);
  } catch (error) {
    const isUnseen = error instanceof SeenInPart || (error instanceof StatusError && error.status.code === 403);
    if (!isUnseen) throw error;
    cluster.note(`Whether it fits beside the others is not known: ${error.message}`);
    return "not known";
  }
}

function isFitting({ alone, together }: Simulated): boolean {
  return alone.verdict === "fits" && (together === "not known" || together.length === 0);
}

function linesOf({ object, alone, wanted, together }: Simulated): readonly string[] {
  const isBeside = alone.verdict === "fits" && typeof together !== "string" && together.length > 0;
  const verdict = isBeside ? "fits alone, but not beside those before it" : alone.verdict;
  const because = isBeside ? together : "message" in alone ? [alone.message] : [];
  return [
    `${object}: ${verdict}${alone.verdict === "fits" ? addition(wanted, together) : ""}`,
    ...because.map((text) => `    ${text}`),
  ];
}

function addition({ claims }: WantedClaims, together: Together): string {
  if (together === "not known") return " alone";
  return claims.length === 0 ? " (no quota on it)" : "";
}

function summary(results: readonly Simulated[]): string {
  const fitting = results.filter(isFitting).length;
  if (allFit(results) === undefined)
    return `Each fits alone: ${counted(results.length, "object")}. Whether all do is not known.`;
  if (fitting === results.length) return `All fit: ${counted(results.length, "object")}.`;
  return `${fitting} of ${counted(results.length, "object")} would be created.`;
}

function simulatedValue({ object, alone, wanted, together }: Simulated): object {
  return {
    object,
    alone,
    together: typeof together === "string" ? null : { fits: together.length === 0, shortages: together },
    claims: wanted.claims.map(({ policy, shadow, claim }) => ({
      policy,
      mode: shadow ? "Shadow" : "Enforce",
      consumer: claim.consumer,
      requests: claim.requests.map(({ resourceType, amount, dimensions }) => ({ resourceType, amount, dimensions })),
    })),
    problems: wanted.problems,
  };
}
