import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { claimsType } from "@milo-quota/quota/views/quota-types.ts";
import type { AdmissionHistory } from "../invariants/admission-history.ts";
import { conditionAt, textAt } from "../invariants/json-fields.ts";
import type { Host } from "../world/world.ts";
import { clientOf, failureReason, retry, signal, sleep } from "./clients.ts";
import { metadataOf } from "./operator-calls.ts";

/** A claim of a service and how long the service uses it. */
export interface ClaimUse {
  readonly plane: string;
  readonly claim: KubernetesObject;
  /** How long the service holds the quota; undefined means for good. */
  readonly holdMs: number | undefined;
}

const pollMs = 150;
const pollsMax = 40;

/** Creates a claim, waits for the decision, holds the quota for a while and deletes the claim. */
export async function useClaim(host: Host, use: ClaimUse, history: AdmissionHistory): Promise<void> {
  const client = clientOf(host, use.plane, claimsType);
  const { namespace = "", name = "" } = use.claim.metadata;
  await retry(host, () => createOrFind(host, use), 4);
  if (use.holdMs === undefined) return;
  for (let polls = 0; polls < pollsMax; polls += 1) {
    const found = await client.find({ namespace, name }, signal).catch(undecidedOnError);
    if (found === undefined || isDecided(found)) break;
    await sleep(host, pollMs);
  }
  await sleep(host, use.holdMs);
  await retry(host, () => releaseClaim(host, use, history));
}

/** Deletes the claim that has this name now. */
export async function releaseClaim(host: Host, { plane, claim }: ClaimUse, history: AdmissionHistory): Promise<void> {
  const client = clientOf(host, plane, claimsType);
  const { namespace = "", name = "" } = claim.metadata;
  const found = await client.find({ namespace, name }, signal);
  if (found === undefined) return;
  const { uid = "" } = metadataOf(found);
  history.claimDeletedByActor(uid);
  await client.delete({ namespace, name }, { uid }, signal).catch(ignoreGone);
  if (metadataOf(found).finalizers === undefined) return;
  await sleep(host, host.random.between(1, 3_000));
  const body = { metadata: { uid, finalizers: null } };
  await client.patch({ namespace, name }, { type: "merge", body }, {}, signal).catch(ignoreGone);
}

function ignoreGone(error: unknown): void {
  if (!["NotFound", "Conflict"].includes(failureReason(error))) throw error;
}

/** A claim of that name may exist from a try whose response was lost, or from an earlier use. */
async function createOrFind(host: Host, { plane, claim }: ClaimUse): Promise<void> {
  await clientOf(host, plane, claimsType)
    .create(claim, {}, signal)
    .catch((error: unknown) => {
      if (failureReason(error) !== "AlreadyExists") throw error;
    });
}

function isDecided(claim: JsonObject): boolean {
  return textAt(conditionAt(claim, "Granted"), "reason") !== "PendingEvaluation";
}

function undecidedOnError(error: unknown): JsonObject {
  failureReason(error);
  return {};
}
