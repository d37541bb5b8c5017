import type { ResourceClaim } from "../core/resources/resource-claim.ts";
import { StatusError } from "../protocol/api-status.ts";
import { findCondition } from "../protocol/condition.ts";
import { Refused, shortagesOf } from "./refusals.ts";
import type { WaitResult } from "./waiter.ts";
import type { ClaimPolicy } from "./wanted-claims.ts";

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

function refusalOf(each: Heard): Refused | undefined {
  if (isIgnored(each)) return undefined;
  const { heard, policy } = each;
  const name = `ClaimCreationPolicy ${JSON.stringify(policy.policy.metadata.name ?? "")}`;
  switch (heard.result) {
    case "granted":
    case "denied":
      return undefined;
    case "timeout":
      return Refused.timeout(`the claim of ${name} was not decided in time`);
    case "lost":
      return Refused.busy(`the claim of ${name} was taken away`);
    case "invalid":
      return Refused.misconfigured(`the claim of ${name} cannot be decided: ${messageOf(heard.claim)}`);
    case "failed":
      return failedRefusal(heard.error, name);
    default:
      throw new Error(`unknown result ${heard satisfies never}`);
  }
}

/** A claim that is refused for what it is needs mending; anything else may pass. */
function failedRefusal(error: unknown, policy: string): Refused {
  if (error instanceof Refused) return error;
  const message = `the claim of ${policy} cannot be made: ${error instanceof Error ? error.message : String(error)}`;
  const needsMending = error instanceof StatusError && error.status.code < 500 && error.status.code !== 429;
  return needsMending ? Refused.misconfigured(message) : Refused.busy(message);
}

function messageOf({ status }: ResourceClaim): string {
  return findCondition(status.conditions, "Granted")?.message ?? "";
}
