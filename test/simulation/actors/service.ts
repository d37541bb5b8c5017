import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { claimsType } from "@milo-quota/quota/views/quota-types.ts";
import type { AdmissionBook } from "../invariants/admission-book.ts";
import { conditionAt, textAt } from "../invariants/json-fields.ts";
import type { Host } from "../world/world.ts";
import { clientOf, insist, reasonOf, signal, waitFor } from "./clients.ts";
import { metadataOf } from "./operator.ts";

/** What a service does with a claim of its own. */
export interface ClaimUse {
  readonly plane: string;
  readonly claim: KubernetesObject;
  /** How long it keeps what it was granted; for good, when undefined. */
  readonly keepsMs: number | undefined;
}

const lookMs = 150;
const looksMax = 40;

/** Asks for quota, waits for the answer, uses it for a while, and gives it back. */
export async function useClaim(host: Host, use: ClaimUse, book: AdmissionBook): Promise<void> {
  const client = clientOf(host, use.plane, claimsType);
  const { namespace = "", name = "" } = use.claim.metadata;
  await insist(host, () => createOrFind(host, use), 4);
  if (use.keepsMs === undefined) return;
  for (let looks = 0; looks < looksMax; looks += 1) {
    const found = await client.find({ namespace, name }, signal).catch(orUnknown);
    if (found === undefined || isDecided(found)) break;
    await waitFor(host, lookMs);
  }
  await waitFor(host, use.keepsMs);
  await insist(host, () => giveBack(host, use, book));
}

/** Deletes whatever claim has this name by now. */
export async function giveBack(host: Host, { plane, claim }: ClaimUse, book: AdmissionBook): Promise<void> {
  const client = clientOf(host, plane, claimsType);
  const { namespace = "", name = "" } = claim.metadata;
  const found = await client.find({ namespace, name }, signal);
  if (found === undefined) return;
  const { uid = "" } = metadataOf(found);
  book.endedByHand(uid);
  await client.delete({ namespace, name }, { uid }, signal).catch(orGone);
  if (metadataOf(found).finalizers === undefined) return;
  await waitFor(host, host.random.between(1, 3_000));
  const body = { metadata: { uid, finalizers: null } };
  await client.patch({ namespace, name }, { type: "merge", body }, {}, signal).catch(orGone);
}

function orGone(error: unknown): void {
  if (!["NotFound", "Conflict"].includes(reasonOf(error))) throw error;
}

/** A claim of that name may be there from a try whose answer was lost, or from somebody before. */
async function createOrFind(host: Host, { plane, claim }: ClaimUse): Promise<void> {
  await clientOf(host, plane, claimsType)
    .create(claim, {}, signal)
    .catch((error: unknown) => {
      if (reasonOf(error) !== "AlreadyExists") throw error;
    });
}

function isDecided(claim: JsonObject): boolean {
  return textAt(conditionAt(claim, "Granted"), "reason") !== "PendingEvaluation";
}

function orUnknown(error: unknown): JsonObject {
  reasonOf(error);
  return {};
}
