import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { findCondition } from "@milo-quota/kubernetes/protocol/condition.ts";
import type { ResourceClaim } from "../../core/resources/resource-claim.ts";
import type { AdmissionResult } from "../admission-observer.ts";
import type { WaitResult } from "../claims/waiter.ts";
import type { ClaimPolicy } from "../policies/policy-evaluation.ts";
import { type RejectedObject, Rejection, type ShortageContext, shortagesOf } from "./rejection.ts";

/** The outcome of one claim of a request: its decision, or the error that prevented it. */
export interface ClaimOutcome {
  readonly policy: ClaimPolicy;
  readonly isGrowth: boolean;
  readonly outcome: WaitResult | { readonly result: "failed"; readonly error: unknown };
}

/** Of several rejections the first in this order is sent: permanent ones before those that a retry may resolve. */
const precedence: readonly Rejection["kind"][] = ["exists", "insufficient", "misconfigured", "timeout", "undecided"];

export interface RejectionContext extends Pick<ShortageContext, "registrations"> {
  readonly object: RejectedObject;
  readonly advice: string;
}

/** Why a request is rejected; undefined when all claims are granted or ignored. */
export function rejectionOf(
  outcomes: readonly ClaimOutcome[],
  { object, registrations, advice }: RejectionContext,
): Rejection | undefined {
  const short = outcomes.flatMap(({ outcome, isGrowth }) =>
    outcome.result === "denied" ? shortagesOf(outcome.claim, { registrations, isGrowth }) : [],
  );
  const rejections = outcomes.flatMap((each) => (isIgnored(each) ? [] : (failureOf(each) ?? [])));
  if (outcomes.some(({ outcome }) => outcome.result === "denied"))
    rejections.push(Rejection.insufficient(short, object, advice));
  return rejections.sort((one, other) => precedence.indexOf(one.kind) - precedence.indexOf(other.kind))[0];
}

/** Whether the claim was not decided and its policy has failurePolicy: Ignore. */
export function isIgnored({ policy, outcome }: ClaimOutcome): boolean {
  const isDecided = outcome.result === "denied" || outcome.result === "granted";
  if (policy.policy.failurePolicy !== "Ignore" || isDecided) return false;
  return !(outcome.result === "failed" && outcome.error instanceof Rejection && outcome.error.kind === "exists");
}

/** The result of one policy for a request that is rejected, because of this or another policy. */
export function resultIfRejected(each: ClaimOutcome): AdmissionResult {
  const { result } = each.outcome;
  if (result === "granted") return "withdrawn";
  return result === "denied" ? "denied" : results[failureOf(each)?.kind ?? "undecided"];
}

const results: Readonly<Record<Rejection["kind"], AdmissionResult>> = {
  insufficient: "denied",
  misconfigured: "misconfigured",
  exists: "exists",
  timeout: "undecided",
  undecided: "undecided",
};

/** Why a claim was not decided; undefined when it was. */
export function failureOf({ outcome, policy }: ClaimOutcome): Rejection | undefined {
  switch (outcome.result) {
    case "granted":
    case "denied":
      return undefined;
    case "timeout":
      return Rejection.timeout(`the claim of ${nameOf(policy)} was not decided in time`);
    case "lost":
      return Rejection.undecided(`the claim of ${nameOf(policy)} was deleted before it was decided`);
    case "invalid":
      return Rejection.misconfigured(`the claim of ${nameOf(policy)} cannot be decided: ${messageOf(outcome.claim)}`);
    case "failed":
      return creationFailure(outcome.error, policy);
    default:
      throw new Error(`unknown result ${outcome satisfies never}`);
  }
}

/** Names the policy, because that is where people look for the cause of any failure. */
function creationFailure(error: unknown, policy: ClaimPolicy): Rejection {
  if (error instanceof Rejection && error.kind === "exists") return error;
  const because = error instanceof Rejection ? error.because : error instanceof Error ? error.message : String(error);
  const message = `the claim of ${nameOf(policy)} cannot be created: ${because}`;
  switch (kindOf(error)) {
    case "misconfigured":
      return Rejection.misconfigured(message);
    case "timeout":
      return Rejection.timeout(message);
    default:
      return Rejection.undecided(message);
  }
}

/** A client error of the API server means that the claim itself is wrong; any other error may be temporary. */
function kindOf(error: unknown): Rejection["kind"] {
  if (error instanceof Rejection) return error.kind;
  const isPermanent = error instanceof StatusError && error.status.code < 500 && error.status.code !== 429;
  return isPermanent ? "misconfigured" : "undecided";
}

function nameOf({ policy }: ClaimPolicy): string {
  return `ClaimCreationPolicy ${JSON.stringify(policy.metadata.name ?? "")}`;
}

function messageOf({ status }: ResourceClaim): string {
  return findCondition(status.conditions, "Granted")?.message ?? "";
}
