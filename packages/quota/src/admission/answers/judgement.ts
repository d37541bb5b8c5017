import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { findCondition } from "@milo-quota/kubernetes/protocol/condition.ts";
import type { ResourceClaim } from "../../core/resources/resource-claim.ts";
import type { AdmissionResult } from "../admission-listener.ts";
import type { WaitResult } from "../claims/waiter.ts";
import type { ClaimPolicy } from "../policies/wanted-claims.ts";
import { Refused, shortagesOf } from "./refusals.ts";

/** What became of one claim of a change: its answer, or that it could not even be made. */
export interface Heard {
  readonly policy: ClaimPolicy;
  readonly heard: WaitResult | { readonly result: "failed"; readonly error: unknown };
}

/** In this order: what is certain before what may change. */
const order: readonly Refused["kind"][] = ["taken", "insufficient", "misconfigured", "timeout", "busy"];

/** Why a change is refused, given what became of all its claims; undefined when it is not. */
export function judge(all: readonly Heard[], advice: string): Refused | undefined {
  const denied = all.flatMap(({ heard }) => (heard.result === "denied" ? [heard.claim] : []));
  const refusals = all.flatMap((each) => refusalOf(each) ?? []);
  if (denied.length > 0) refusals.push(Refused.insufficient(denied.flatMap(shortagesOf), advice));
  return refusals.sort((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind))[0];
}

/** Whether a change is let in although nobody decided, because the policy says so. */
export function isIgnored({ policy, heard }: Heard): boolean {
  if (policy.policy.failurePolicy !== "Ignore" || heard.result === "denied" || heard.result === "granted") return false;
  return !(heard.result === "failed" && heard.error instanceof Refused && heard.error.kind === "taken");
}

/** What a policy came to for a change that is refused, whichever policy it is refused for. */
export function resultIfRefused(each: Heard): AdmissionResult {
  const { result } = each.heard;
  if (result === "granted") return "withdrawn";
  return result === "denied" ? "denied" : results[failureOf(each)?.kind ?? "busy"];
}

const results: Readonly<Record<Refused["kind"], AdmissionResult>> = {
  insufficient: "denied",
  misconfigured: "misconfigured",
  taken: "exists",
  timeout: "undecided",
  busy: "undecided",
};

function refusalOf(each: Heard): Refused | undefined {
  return isIgnored(each) ? undefined : failureOf(each);
}

/** Why a claim was not decided; undefined when it was. */
export function failureOf({ heard, policy }: Heard): Refused | undefined {
  switch (heard.result) {
    case "granted":
    case "denied":
      return undefined;
    case "timeout":
      return Refused.timeout(`the claim of ${nameOf(policy)} was not decided in time`);
    case "lost":
      return Refused.busy(`the claim of ${nameOf(policy)} was taken away`);
    case "invalid":
      return Refused.misconfigured(`the claim of ${nameOf(policy)} cannot be decided: ${messageOf(heard.claim)}`);
    case "failed":
      return notMade(heard.error, policy);
    default:
      throw new Error(`unknown result ${heard satisfies never}`);
  }
}

/** Whatever stood in the way, people look for it at the policy. */
function notMade(error: unknown, policy: ClaimPolicy): Refused {
  if (error instanceof Refused && error.kind === "taken") return error;
  const because = error instanceof Refused ? error.because : error instanceof Error ? error.message : String(error);
  const message = `the claim of ${nameOf(policy)} cannot be made: ${because}`;
  switch (kindOf(error)) {
    case "misconfigured":
      return Refused.misconfigured(message);
    case "timeout":
      return Refused.timeout(message);
    default:
      return Refused.busy(message);
  }
}

/** A claim that is refused for what it is needs mending; anything else may pass. */
function kindOf(error: unknown): Refused["kind"] {
  if (error instanceof Refused) return error.kind;
  const needsMending = error instanceof StatusError && error.status.code < 500 && error.status.code !== 429;
  return needsMending ? "misconfigured" : "busy";
}

function nameOf({ policy }: ClaimPolicy): string {
  return `ClaimCreationPolicy ${JSON.stringify(policy.metadata.name ?? "")}`;
}

function messageOf({ status }: ResourceClaim): string {
  return findCondition(status.conditions, "Granted")?.message ?? "";
}
