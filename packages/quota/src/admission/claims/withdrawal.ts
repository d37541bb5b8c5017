import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { ResourceClient } from "@milo-quota/kubernetes/client/resources/resource-client.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { candidatesOf, candidatesText } from "../../core/resources/claim-candidates.ts";
import type { ResourceClaim } from "../../core/resources/resource-claim.ts";
import { parseResourceClaim, resourceClaimDefinition } from "../../core/resources/resource-claim.ts";
import { annotations, candidatesMax } from "../../core/resources/well-known.ts";
import { removeClaim } from "./claim-removal.ts";

/** The entry of an object in the candidates of a claim. */
export interface ListedCandidate {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly name: string;
  /** UID of the object. */
  readonly candidate: string;
  /** UID of the claim. Given when only the claim with this UID lists the object because of this request. */
  readonly claim?: string;
}

/** All candidates of a claim may withdraw at the same time, and each of them may lose every race but one. */
const triesMax = candidatesMax;

/**
 * Removes an object from the candidates of a claim, and deletes the claim with its last candidate. If this fails, the
 * ownership controller releases the unused claim later.
 */
export async function withdraw(listed: ListedCandidate, signal: AbortSignal): Promise<void> {
  const claims = listed.client.resource(resourceClaimDefinition, parseResourceClaim);
  for (let tries = 0; tries < triesMax; tries += 1) {
    const claim = await claims.find(listed, signal);
    if (claim === undefined || !lists(claim, listed)) return;
    if (await removeCandidate(claims, claim, listed, signal)) return;
  }
}

function lists({ metadata }: ResourceClaim, { candidate, claim = metadata.uid }: ListedCandidate): boolean {
  return metadata.uid === claim && candidatesOf(metadata).includes(candidate);
}

/** Removes one entry only: an object is listed once for each request that needs the claim. */
function withoutOne(candidates: readonly string[], candidate: string): readonly string[] {
  const at = candidates.indexOf(candidate);
  return candidates.filter((_, index) => index !== at);
}

/** False when the claim has changed since it was read. */
async function removeCandidate(
  claims: ResourceClient<ResourceClaim>,
  claim: ResourceClaim,
  listed: ListedCandidate,
  signal: AbortSignal,
): Promise<boolean> {
  const { metadata } = claim;
  const { uid = "", resourceVersion = "" } = metadata;
  const others = withoutOne(candidatesOf(metadata), listed.candidate);
  const noted = { [annotations.candidates]: candidatesText(others) };
  const body = { metadata: { uid, resourceVersion, annotations: noted } };
  try {
    if (others.length === 0) await removeClaim(claims, listed, claim, signal);
    else await claims.patch(listed, { type: "merge", body }, {}, signal);
    return true;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    if (error.status.code === 404) return true;
    if (error.status.reason === "Conflict") return false;
    throw error;
  }
}
