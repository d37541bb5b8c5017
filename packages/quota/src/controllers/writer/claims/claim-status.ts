import { type ConditionState, findCondition } from "@milo-quota/kubernetes/protocol/condition.ts";
import { extendObject } from "@milo-quota/kubernetes/protocol/extend-object.ts";
import type { ClaimPart } from "../../../core/ledger/claim-knowledge.ts";
import { allocatedText, type DecisionStatus, invalidAllocations } from "../../../core/ledger/decision-status.ts";
import { knowledgeOf } from "../../../core/ledger/read-claim.ts";
import { amountToJson, noAmount } from "../../../core/resources/fields/amount.ts";
import { displayAmount, type Unit } from "../../../core/resources/fields/units.ts";
import type { ClaimPhase, ResourceClaim } from "../../../core/resources/resource-claim.ts";

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
  const phase = decision.condition.status === "True" ? "Granted" : "Denied";
  return withOutcome(claim, { ...decision, phase }, details);
}

interface Outcome extends DecisionStatus {
  readonly phase: ClaimPhase;
}

function withOutcome(claim: Before, { condition, allocations, phase }: Outcome, details: StatusDetails): object {
  const timed = allocations.map((each) => extendObject(each, { lastTransitionTime: details.now }));
  const { consumerUid } = details;
  const outcome =
    consumerUid === undefined ? { phase, allocations: timed } : { phase, consumerUID: consumerUid, allocations: timed };
  return extendObject(withCondition(claim, condition, details), outcome);
}

/** Why a claim cannot be decided: as a whole, and for each of its requests. */
export interface Invalidity {
  readonly message: string;
  readonly requests: readonly string[];
}

/** The status of a claim that cannot be decided at present; undefined if it already has this message. */
export function invalidStatus(
  claim: ResourceClaim,
  { message, requests }: Invalidity,
  details: StatusDetails,
): object | undefined {
  const { conditions, phase } = claim.status;
  const before = findCondition(conditions, "Granted");
  if (phase === "Invalid" && before?.reason === "ValidationFailed" && before.message === message) return undefined;
  const condition = { type: "Granted", status: "False", reason: "ValidationFailed", message } as const;
  const allocations = invalidAllocations(claim.requests, requests);
  return withOutcome(claim, { condition, allocations, phase: "Invalid" }, details);
}

/** What the texts of a lowered claim are made of. */
export interface ShrinkContext {
  readonly now: string;
  readonly unitOf: (resourceType: string) => Unit;
}

/** The status of a granted claim that is to hold less; undefined if it already holds no more than that. */
export function shrunkStatus(
  claim: ResourceClaim,
  parts: readonly ClaimPart[],
  { now, unitOf }: ShrinkContext,
): object | undefined {
  const knowledge = knowledgeOf(claim);
  const held = knowledge.state === "granted" ? knowledge.parts : [];
  let isChanged = false;
  const left: string[] = [];
  const allocations = (claim.status.allocations ?? []).map((allocation, at) => {
    const { resourceType, allocatingBucket = "" } = allocation;
    const before = held[at]?.amount ?? noAmount;
    const part = parts.find((each) => isSamePart(each, held[at]));
    const isLess = part !== undefined && part.amount < before;
    const amount = isLess ? part.amount : before;
    left.push(displayAmount(amount, unitOf(resourceType)));
    if (!isLess) return allocation;
    isChanged = true;
    const message = allocatedText(amount, unitOf(resourceType), allocatingBucket);
    return { ...allocation, allocatedAmount: amountToJson(amount), message, lastTransitionTime: now };
  });
  return isChanged ? { ...claim.status, amounts: left.join(", "), allocations } : undefined;
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
