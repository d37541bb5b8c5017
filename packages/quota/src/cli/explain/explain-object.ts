import { type KubeClient, rootPlane } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { ResourceClaim } from "../../core/resources/resource-claim.ts";
import { annotations, labels } from "../../core/resources/well-known.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { hereAndAtHome } from "../cluster/each-plane.ts";
import { QuotaObjects } from "../cluster/quota-objects.ts";
import { creationsFrom } from "../simulate/created-object.ts";
import { dryRun, nameOf } from "../simulate/dry-run.ts";
import type { Creation } from "../simulate/wanted-claims.ts";
import { type Denial, denialsIn, isDenialOf, isOf, type MeantObject } from "./denial-events.ts";
import type { Finding } from "./explain-claim.ts";

/** Everything in one control plane that can explain what became of an object. */
interface PlaneEvidence {
  readonly plane: KubeClient;
  readonly claims: readonly ResourceClaim[];
  readonly denials: readonly Denial[];
}

export interface Evidence {
  readonly planes: readonly PlaneEvidence[];
  /** Not all for whoever may not look into the root. */
  readonly isAll: boolean;
}

export async function evidenceIn(cluster: Cluster, signal: AbortSignal): Promise<Evidence> {
  const { namespace, here, home } = cluster;
  const selection = namespace === undefined ? {} : { namespace };
  const planes = await hereAndAtHome(cluster, async (plane) => {
    const objects = new QuotaObjects(plane, cluster.note, signal);
    const [claims, denials] = await Promise.all([objects.claims(selection), denialsIn(plane, namespace, signal)]);
    return { plane, claims, denials };
  });
  return { planes, isAll: here === home || planes.length > 1 };
}

/** Of a claim by its name, there or gone. */
export function findingsOfClaim({ planes }: Evidence, name: string): readonly Finding[] {
  const live = claimsThat(planes, ({ metadata }) => metadata.name === name);
  return live.length > 0 ? live : denialsThat(planes, ({ claim }) => claim.name === name);
}

/** Of an object by its kind and name: its claims, and denials of claims that were made for it. */
export function findingsOfObject({ planes }: Evidence, meant: MeantObject, { here }: Cluster): readonly Finding[] {
  const live = claimsThat(planes, (claim) => isClaimOf(meant, claim, here));
  return [...live, ...denialsThat(planes, (denial) => isDenialOf(meant, denial, here.plane), live)];
}

/** Claims of admission say which control plane their object is in; those that others made say nothing of it. */
function isClaimOf(meant: MeantObject, { resource, metadata }: ResourceClaim, { plane }: KubeClient): boolean {
  if (resource === undefined || !isOf(meant, resource)) return false;
  const isAutomatic = metadata.labels?.[labels.autoCreated] === "true";
  return !isAutomatic || (metadata.annotations?.[annotations.resourcePlane] ?? rootPlane.plane) === plane.plane;
}

/** Of the objects in files. The server is asked about those of which nothing is known: it fills in what they leave out. */
export async function findingsOfFiles(
  evidence: Evidence,
  files: readonly string[],
  cluster: Cluster,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const creation of await creationsFrom(files, cluster, signal)) {
    const found = findingsOfObject(evidence, meantBy(creation), cluster);
    findings.push(...(found.length > 0 ? found : [await trialOf(creation, cluster, signal)]));
  }
  return findings;
}

function meantBy({ object, type, namePrefix }: Creation): MeantObject {
  const { namespace = "", name = "" } = object["metadata"] as { namespace?: string; name?: string };
  const kind = String(object["kind"]);
  return { apiGroup: type.group, kind, namespace, name, ...(namePrefix === undefined ? {} : { namePrefix }) };
}

async function trialOf(creation: Creation, cluster: Cluster, signal: AbortSignal): Promise<Finding> {
  const { alone } = await dryRun(creation, cluster, signal);
  return { found: "trial", plane: cluster.here, object: nameOf(creation.object), alone };
}

function claimsThat(planes: readonly PlaneEvidence[], isMeant: (claim: ResourceClaim) => boolean): readonly Finding[] {
  return planes.flatMap(({ plane, claims }) =>
    claims.filter(isMeant).map((claim) => ({ found: "claim", plane, claim }) as const),
  );
}

/** What a claim that is there says itself needs no Event. */
function denialsThat(
  planes: readonly PlaneEvidence[],
  isMeant: (denial: Denial) => boolean,
  known: readonly Finding[] = [],
): readonly Finding[] {
  const names = new Set(known.flatMap((finding) => (finding.found === "claim" ? [finding.claim.metadata.name] : [])));
  return planes.flatMap(({ plane, denials }) =>
    denials
      .filter((denial) => !names.has(denial.claim.name) && isMeant(denial))
      .map((denial) => ({ found: "denial", plane, denial }) as const),
  );
}
