import type { AdmissionObserver } from "../admission-observer.ts";
import type { ObjectChange } from "../object-change.ts";
import type { ReducedNeed } from "./growth.ts";
import type { PolicyClaim, PolicyRendering } from "./policy-claim.ts";
import { type ChangeInput, type ClaimPolicy, evaluateForChange } from "./policy-evaluation.ts";

/** How a warning begins when an object is admitted although a policy could not be checked. */
export const notCheckedPrefix = "quota is not checked";

/** The claims that all policies render for a change. */
export interface RenderedClaims {
  /** Granted all together or not at all. */
  readonly enforced: readonly PolicyClaim[];
  /** Needs that the change reduces. */
  readonly reduced: readonly ReducedNeed[];
  /** By each policy that could be evaluated: the claim for the object; on an update, for its growth. */
  readonly rendered: readonly PolicyRendering[];
  /** Of policies in Shadow mode. */
  readonly shadowed: readonly PolicyClaim[];
  /** Of policies with failurePolicy: Fail. They reject the change. */
  readonly failures: readonly PolicyFailure[];
}

/** Why a policy cannot be evaluated for a change. */
export interface PolicyFailure {
  readonly policy: ClaimPolicy;
  readonly message: string;
}

export interface RenderContext {
  readonly change: ObjectChange;
  readonly input: ChangeInput;
  readonly isShadow: (policy: ClaimPolicy) => boolean;
  readonly observer: AdmissionObserver;
}

export function renderClaims(policies: readonly ClaimPolicy[], context: RenderContext): RenderedClaims {
  const { change, input, isShadow, observer } = context;
  const enforced: PolicyClaim[] = [];
  const shadowed: PolicyClaim[] = [];
  const reduced: ReducedNeed[] = [];
  const rendered: PolicyRendering[] = [];
  const failures: PolicyFailure[] = [];
  for (const policy of policies) {
    const evaluation = evaluateForChange(policy, change, input);
    if (evaluation.outcome === "failed") {
      handleFailure(policy, evaluation.message, context, failures);
      continue;
    }
    const { claim, isGrowth } = evaluation.outcome === "claim" ? evaluation : { claim: undefined, isGrowth: false };
    rendered.push({ policy, claim });
    if (evaluation.reduced !== undefined && !isShadow(policy)) reduced.push(evaluation.reduced);
    if (claim !== undefined) (isShadow(policy) ? shadowed : enforced).push({ policy, claim, isGrowth });
    if (evaluation.outcome === "nothing" && evaluation.missingKeys > 0) observer.onMissingKey?.(policy.policy);
  }
  return { enforced, reduced, rendered, shadowed, failures };
}

/** Only an enforced policy with failurePolicy: Fail rejects the change; any other failure is a warning. */
function handleFailure(
  policy: ClaimPolicy,
  message: string,
  { change, isShadow, observer }: RenderContext,
  failures: PolicyFailure[],
): void {
  const isRejecting = !isShadow(policy) && policy.policy.failurePolicy === "Fail";
  observer.onDecided?.(policy.policy, change, isRejecting ? "misconfigured" : "ignored");
  if (isRejecting) failures.push({ policy, message });
  else change.warn(`${notCheckedPrefix}: ${message}`);
}
