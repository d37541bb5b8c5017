import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { ResourceClient } from "@milo-quota/kubernetes/client/resources/resource-client.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { candidatesOf, candidatesText } from "../../core/resources/claim-candidates.ts";
import type { ResourceClaim } from "../../core/resources/resource-claim.ts";
import { parseResourceClaim, resourceClaimDefinition } from "../../core/resources/resource-claim.ts";
import { annotations, candidatesMax } from "../../core/resources/well-known.ts";
import { removeClaim } from "./claim-removal.ts";

/** A claim that lists an object which is not going to be stored. */
export interface Listed {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly name: string;
  /** UID of the object. */
  readonly candidate: string;
  /** UID of the claim, where only that one lists the object because of us. */
  readonly claim?: string;
}

/** As many as may be on one claim, and all may go at once. */
const triesMax = candidatesMax;

/**
 * Takes an object off a claim again, and the claim away with the last one. Where this fails nothing is lost: what nobody
 * uses is returned after a while.
 */
export async function withdraw(listed: Listed, signal: AbortSignal): Promise<void> {
  const claims = listed.client.resource(resourceClaimDefinition, parseResourceClaim);
  for (let tries = 0; tries < triesMax; tries += 1) {
    const claim = await claims.find(listed, signal);
    if (claim === undefined || !lists(claim, listed)) return;
    if (await takeOff(claims, claim, listed, signal)) return;
  }
}

function lists({ metadata }: ResourceClaim, { candidate, claim = metadata.uid }: Listed): boolean {
  return metadata.uid === claim && candidatesOf(metadata).includes(candidate);
}

/** An object is listed once for each request that wants the claim for it. */
function withoutOne(candidates: readonly string[], candidate: string): readonly string[] {
  const at = candidates.indexOf(candidate);
  return candidates.filter((_, index) => index !== at);
}

/** Whether it was done; not when somebody else changed the claim meanwhile. */
async function takeOff(
  claims: ResourceClient<ResourceClaim>,
  claim: ResourceClaim,
  listed: Listed,
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
