import type { ClaimCreationPolicy } from "../core/resources/claim-creation-policy.ts";
import type { ConsumerRef } from "../core/resources/consumer-ref.ts";
import type { ResourceClaim, ResourceRef } from "../core/resources/resource-claim.ts";
import type { KubeClient } from "../kube/client/kube-client.ts";
import { timeText } from "../kube/timestamp.ts";
import { parseApiVersion } from "../protocol/object-meta.ts";
import type { Cluster } from "./cluster/cluster.ts";
import { hereAndAtHome } from "./cluster/each-plane.ts";
import { QuotaObjects } from "./cluster/quota-objects.ts";
import type { ConsumerFilter } from "./consumer-filter.ts";
import { creationsFrom } from "./created-object.ts";
import { type Denial, denialsIn, endOf, possibleClaims } from "./denial-events.ts";
import type { Finding } from "./explain-claim.ts";
import { PoliciesAtWork } from "./wanted-claims.ts";

/** Everything in one control plane that can explain what became of an object. */
interface Evidence {
  readonly plane: KubeClient;
  readonly claims: readonly ResourceClaim[];
  readonly denials: readonly Denial[];
}

export function evidenceIn(cluster: Cluster, signal: AbortSignal): Promise<readonly Evidence[]> {
  const { namespace } = cluster;
  const selection = namespace === undefined ? {} : { namespace };
  return hereAndAtHome(cluster, async (plane) => {
    const objects = new QuotaObjects(plane, cluster.note, signal);
    const [claims, denials] = await Promise.all([objects.claims(selection), denialsIn(plane, namespace, signal)]);
    return { plane, claims, denials };
  });
}

/** Of a claim by its name, there or gone. */
export function findingsOfClaim(evidence: readonly Evidence[], name: string): readonly Finding[] {
  const live = claimsThat(evidence, ({ metadata }) => metadata.name === name);
  return live.length > 0 ? live : denialsThat(evidence, ({ claim }) => claim.name === name);
}

/** Of an object by its kind and name: its claims, and denials of claims that it must have been. */
export async function findingsOfObject(
  evidence: readonly Evidence[],
  { kind, apiGroup, namespace, name }: ConsumerFilter,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const live = claimsThat(
    evidence,
    ({ resource }) =>
      resource !== undefined &&
      resource.kind.toLowerCase() === kind.toLowerCase() &&
      resource.name === name &&
      (apiGroup === undefined || resource.apiGroup === apiGroup) &&
      (namespace === undefined || resource.namespace === namespace),
  );
  const policies = (await policiesHere(cluster, signal)).policies.filter(
    ({ trigger }) =>
      trigger.kind.toLowerCase() === kind.toLowerCase() &&
      (apiGroup === undefined || parseApiVersion(trigger.apiVersion).group === apiGroup),
  );
  const consumers = await consumersIn(cluster, signal);
  const ends = policies.flatMap((policy) => {
    const object = { apiGroup: parseApiVersion(policy.trigger.apiVersion).group, kind: policy.trigger.kind, name };
    const places = namespace === undefined ? ["", cluster.defaultNamespace] : [namespace];
    return places.flatMap((place) => {
      const named: ResourceRef = { ...object, namespace: place };
      return [...possibleClaims({ object: named, plane: cluster.here.plane }, [policy], consumers)];
    });
  });
  return [...live, ...denialsThat(evidence, ({ claim }) => ends.includes(endOf(claim.name)), live)];
}

/** Of the objects in files: the names of their claims are known exactly. */
export async function findingsOfFiles(
  evidence: readonly Evidence[],
  files: readonly string[],
  cluster: Cluster,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const policies = new PoliciesAtWork((await policiesHere(cluster, signal)).policies);
  const now = timeText(cluster.clock.now());
  const wanted = (await creationsFrom(files, cluster, signal)).map((creation) => policies.claimsFor(creation, now));
  const ends = new Set(wanted.flatMap(({ claims }) => claims.map(({ claim }) => endOf(claim.name))));
  const live = claimsThat(evidence, ({ metadata }) => ends.has(endOf(metadata.name ?? "")));
  const found = [...live, ...denialsThat(evidence, ({ claim }) => ends.has(endOf(claim.name)), live)];
  // A manifest lacks what a server fills in, and a policy may fail for that: it matters only where nothing is found.
  if (found.length === 0) for (const problem of wanted.flatMap(({ problems }) => problems)) cluster.note(problem);
  return found;
}

export interface PoliciesHere {
  readonly policies: readonly ClaimCreationPolicy[];
  /** Not all for whoever may not read those of the root. */
  readonly areAll: boolean;
}

/** Policies of the root are about all planes. */
export async function policiesHere(cluster: Cluster, signal: AbortSignal): Promise<PoliciesHere> {
  const read = (plane: KubeClient) => new QuotaObjects(plane, cluster.note, signal).claimPolicies();
  const lists = await hereAndAtHome(cluster, read);
  return { policies: lists.flat(), areAll: cluster.here === cluster.home || lists.length > 1 };
}

async function consumersIn(cluster: Cluster, signal: AbortSignal): Promise<readonly ConsumerRef[]> {
  const read = (plane: KubeClient) => new QuotaObjects(plane, cluster.note, signal).buckets();
  return (await hereAndAtHome(cluster, read)).flat().map(({ consumer }) => consumer);
}

function claimsThat(evidence: readonly Evidence[], isMeant: (claim: ResourceClaim) => boolean): readonly Finding[] {
  return evidence.flatMap(({ plane, claims }) =>
    claims.filter(isMeant).map((claim) => ({ found: "claim", plane, claim }) as const),
  );
}

/** What a claim that is there says itself needs no Event. */
function denialsThat(
  evidence: readonly Evidence[],
  isMeant: (denial: Denial) => boolean,
  known: readonly Finding[] = [],
): readonly Finding[] {
  const names = new Set(known.flatMap((finding) => (finding.found === "claim" ? [finding.claim.metadata.name] : [])));
  return evidence.flatMap(({ plane, denials }) =>
    denials
      .filter((denial) => !names.has(denial.claim.name) && isMeant(denial))
      .map((denial) => ({ found: "denial", plane, denial }) as const),
  );
}
