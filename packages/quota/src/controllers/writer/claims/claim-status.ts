import type { ConditionState } from "@milo-quota/kubernetes/protocol/condition.ts";
import { extendObject } from "@milo-quota/kubernetes/protocol/extend-object.ts";
import type { ClaimPart } from "../../../core/ledger/claim-knowledge.ts";
import type { DecisionStatus } from "../../../core/ledger/decision-status.ts";
import { knowledgeOf } from "../../../core/ledger/read-claim.ts";
import { amountToJson, noAmount } from "../../../core/resources/fields/amount.ts";
import type { ResourceClaim } from "../../../core/resources/resource-claim.ts";

/** Fields of every claim status, whatever the decision. */
export interface StatusDetails {
  readonly now: string;
  /** The requested amounts in display units. */
  readonly amounts: string;
  /** Undefined if it is not known. */
  readonly consumerUid: string | undefined;
}

/** The fields of a claim that its next status depends on. */
type Before = Pick<ResourceClaim, "metadata" | "status">;

/** The status of a decided claim: condition and allocations are always written together. */
export function decidedStatus(claim: Before, decision: DecisionStatus, details: StatusDetails): object {
  const allocations = decision.allocations.map((each) => extendObject(each, { lastTransitionTime: details.now }));
  const { consumerUid } = details;
  const decided = consumerUid === undefined ? { allocations } : { consumerUID: consumerUid, allocations };
  return extendObject(withCondition(claim, decision.condition, details), decided);
}

/** The status of a claim that cannot be decided at present; undefined if it already has this message. */
export function invalidStatus(claim: ResourceClaim, message: string, details: StatusDetails): object | undefined {
  const before = claim.status.conditions?.find(({ type }) => type === "Granted");
  if (before?.reason === "ValidationFailed" && before.message === message) return undefined;
  const condition = { type: "Granted", status: "False", reason: "ValidationFailed", message } as const;
  return withCondition(claim, condition, details);
}

/** The status of a granted claim that is to hold less; undefined if it already holds no more than that. */
export function shrunkStatus(claim: ResourceClaim, parts: readonly ClaimPart[]): object | undefined {
  const knowledge = knowledgeOf(claim);
  const held = knowledge.state === "granted" ? knowledge.parts : [];
  let isChanged = false;
  const allocations = (claim.status.allocations ?? []).map((allocation, at) => {
    const part = parts.find((each) => isSamePart(each, held[at]));
    if (part === undefined || part.amount >= (held[at]?.amount ?? noAmount)) return allocation;
    isChanged = true;
    return { ...allocation, allocatedAmount: amountToJson(part.amount) };
  });
  return isChanged ? { ...claim.status, allocations } : undefined;
}

function isSamePart(one: ClaimPart, other: ClaimPart | undefined): boolean {
  return one.resourceType === other?.resourceType && one.dimensionKey === other.dimensionKey;
}

/** Always sets a new lastTransitionTime: the default condition of a new claim has the Unix epoch. */
function withCondition(
  { metadata: { generation = 1 }, status }: Before,
  condition: ConditionState,
  { now, amounts }: StatusDetails,
): object {
  const others = (status.conditions ?? []).filter(({ type }) => type !== condition.type);
  const { type, status: holds, reason, message } = condition;
  const changed = { type, status: holds, reason, message, observedGeneration: generation, lastTransitionTime: now };
  return { ...status, observedGeneration: generation, amounts, conditions: [...others, changed] };
}
