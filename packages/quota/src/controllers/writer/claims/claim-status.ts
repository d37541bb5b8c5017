import type { ConditionState } from "@milo-quota/kubernetes/protocol/condition.ts";
import { extended } from "@milo-quota/kubernetes/protocol/extended.ts";
import type { ClaimAnswerStatus } from "../../../core/ledger/answer.ts";
import type { ClaimPart } from "../../../core/ledger/claim-knowledge.ts";
import { knowledgeOf } from "../../../core/ledger/read-claim.ts";
import { amountToJson, noAmount } from "../../../core/resources/fields/amount.ts";
import type { ResourceClaim } from "../../../core/resources/resource-claim.ts";

/** What goes into every status beside the answer. */
export interface StatusFrame {
  readonly now: string;
  /** What is asked for, in the units that people read. */
  readonly amounts: string;
}

/** What of a claim its next status depends on. */
type Before = Pick<ResourceClaim, "metadata" | "status">;

/** The status of a claim that is decided: answer and numbers in one piece. */
export function decidedStatus(claim: Before, answer: ClaimAnswerStatus, frame: StatusFrame): object {
  const allocations = answer.allocations.map((each) => extended(each, { lastTransitionTime: frame.now }));
  return extended(withCondition(claim, answer.condition, frame), { allocations });
}

/** The status of a claim that cannot be decided as things are; undefined when it says so already. */
export function invalidStatus(claim: ResourceClaim, message: string, frame: StatusFrame): object | undefined {
  const said = claim.status.conditions?.find(({ type }) => type === "Granted");
  if (said?.reason === "ValidationFailed" && said.message === message) return undefined;
  const condition = { type: "Granted", status: "False", reason: "ValidationFailed", message } as const;
  return withCondition(claim, condition, frame);
}

/** The status of a granted claim that holds less than before; undefined when it holds no more than that already. */
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

/** A claim is born with a condition as old as time; what is said of it is said now. */
function withCondition(
  { metadata: { generation = 1 }, status }: Before,
  condition: ConditionState,
  { now, amounts }: StatusFrame,
): object {
  const others = (status.conditions ?? []).filter(({ type }) => type !== condition.type);
  const { type, status: holds, reason, message } = condition;
  const said = { type, status: holds, reason, message, observedGeneration: generation, lastTransitionTime: now };
  return { ...status, observedGeneration: generation, amounts, conditions: [...others, said] };
}
