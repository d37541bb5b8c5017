import { type KubeClient, rootPlane } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { ResourceClaim } from "../../core/resources/resource-claim.ts";
import { annotations, labels } from "../../core/resources/well-known.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { readTargetAndRoot } from "../cluster/each-plane.ts";
import { QuotaObjects } from "../cluster/quota-objects.ts";
import { dryRun, nameOf } from "../simulate/dry-run.ts";
import { readPlannedObjects } from "../simulate/planned-objects.ts";
import type { PlannedObject } from "../simulate/policy-claims.ts";
import { type Denial, denialsIn, isDenialFor, matchesObject, type ObjectSelector } from "./denial-events.ts";
import type { Explanation } from "./explain-claim.ts";

/** The claims and denials of one control plane. */
interface PlaneEvidence {
  readonly plane: KubeClient;
  readonly claims: readonly ResourceClaim[];
  readonly denials: readonly Denial[];
}

export interface Evidence {
  readonly planes: readonly PlaneEvidence[];
  /** False if the user has no access to the root, which may have further claims and denials. */
  readonly isComplete: boolean;
}

export async function collectEvidence(cluster: Cluster, signal: AbortSignal): Promise<Evidence> {
  const { namespace, target, root } = cluster;
  const selection = namespace === undefined ? {} : { namespace };
  const planes = await readTargetAndRoot(cluster, async (plane) => {
    const objects = new QuotaObjects(plane, cluster.printErr, signal);
    const [claims, denials] = await Promise.all([objects.claims(selection), denialsIn(plane, namespace, signal)]);
    return { plane, claims, denials };
  });
  return { planes, isComplete: target === root || planes.length > 1 };
}

/** Explains a claim, which may be deleted, by its name. */
export function explainClaim({ planes }: Evidence, name: string): readonly Explanation[] {
  const live = explainByClaims(planes, ({ metadata }) => metadata.name === name);
  return live.length > 0 ? live : explainByEvents(planes, ({ claim }) => claim.name === name);
}

/** Explains an object by its claims, and by the denials of claims for it. */
export function explainObject(
  { planes }: Evidence,
  selector: ObjectSelector,
  { target }: Cluster,
): readonly Explanation[] {
  const live = explainByClaims(planes, (claim) => isClaimFor(selector, claim, target));
  return [...live, ...explainByEvents(planes, (denial) => isDenialFor(selector, denial, target.plane), live)];
}

/** Claims of policies name the control plane of their object in an annotation; manually created claims do not. */
function isClaimFor(selector: ObjectSelector, { resource, metadata }: ResourceClaim, { plane }: KubeClient): boolean {
  if (resource === undefined || !matchesObject(selector, resource)) return false;
  const isAutomatic = metadata.labels?.[labels.autoCreated] === "true";
  return !isAutomatic || (metadata.annotations?.[annotations.resourcePlane] ?? rootPlane.plane) === plane.plane;
}

/** Explains the objects in files. Those without a claim or an Event are tried with a dry run. */
export async function explainFiles(
  evidence: Evidence,
  files: readonly string[],
  cluster: Cluster,
  signal: AbortSignal,
): Promise<readonly Explanation[]> {
  const explanations: Explanation[] = [];
  for (const planned of await readPlannedObjects(files, cluster, signal)) {
    const found = explainObject(evidence, selectorOf(planned), cluster);
    explanations.push(...(found.length > 0 ? found : [await explainByDryRun(planned, cluster, signal)]));
  }
  return explanations;
}

function selectorOf({ object, type, namePrefix }: PlannedObject): ObjectSelector {
  const { namespace = "", name = "" } = object["metadata"] as { namespace?: string; name?: string };
  const kind = String(object["kind"]);
  return { apiGroup: type.group, kind, namespace, name, ...(namePrefix === undefined ? {} : { namePrefix }) };
}

async function explainByDryRun(planned: PlannedObject, cluster: Cluster, signal: AbortSignal): Promise<Explanation> {
  const { result } = await dryRun(planned, cluster, signal);
  return { source: "dry-run", plane: cluster.target, object: nameOf(planned.object), result };
}

function explainByClaims(
  planes: readonly PlaneEvidence[],
  matches: (claim: ResourceClaim) => boolean,
): readonly Explanation[] {
  return planes.flatMap(({ plane, claims }) =>
    claims.filter(matches).map((claim) => ({ source: "claim", plane, claim }) as const),
  );
}

/** Without the Events of claims that still exist. */
function explainByEvents(
  planes: readonly PlaneEvidence[],
  matches: (denial: Denial) => boolean,
  byClaims: readonly Explanation[] = [],
): readonly Explanation[] {
  const names = new Set(
    byClaims.flatMap((explanation) => (explanation.source === "claim" ? [explanation.claim.metadata.name] : [])),
  );
  return planes.flatMap(({ plane, denials }) =>
    denials
      .filter((denial) => !names.has(denial.claim.name) && matches(denial))
      .map((denial) => ({ source: "event", plane, denial }) as const),
  );
}
