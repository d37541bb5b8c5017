import type { ConditionState } from "@milo-quota/kubernetes/protocol/condition.ts";
import type { CompiledClaimPolicy } from "../../core/policy/claim-policy.ts";
import type { IndexedPolicy } from "../../core/policy/policy-index.ts";
import type { ClaimCreationPolicy } from "../../core/resources/claim-creation-policy.ts";
import { type Enforcement, enforcementNotice } from "../../core/resources/enforcement.ts";

type State = Omit<ConditionState, "observedGeneration">;

/** The condition Enforced: whether a generation of the policy decides about objects, and which one. */
export function enforcedCondition(
  policy: IndexedPolicy<ClaimCreationPolicy, CompiledClaimPolicy>,
  enforcement: Enforcement,
): State {
  const notice = enforcementNotice(enforcement);
  if (notice === undefined || enforcement === "Enforce") return conditionOf(policy);
  const message = `The system runs with --enforcement ${enforcement}: ${notice}`;
  return { type: "Enforced", status: "False", reason: `System${enforcement}`, message };
}

function conditionOf({ verdict, policy }: IndexedPolicy<ClaimCreationPolicy, CompiledClaimPolicy>): State {
  const { generation = 0 } = policy.metadata;
  const { enforced } = policy.status;
  switch (verdict.state) {
    case "ready": {
      const shadow = "; in mode Shadow it warns, and rejects nothing";
      return isTrue("PolicyEnforced", `Generation ${generation} decides${policy.mode === "Shadow" ? shadow : ""}`);
    }
    case "disabled":
      return isFalse("PolicyDisabled", "The policy is disabled, so it rejects nothing");
    case "invalid":
      if (enforced === undefined) {
        return isFalse(
          "NotReady",
          "The policy has not been ready yet, so it rejects nothing: fix the problems of Ready",
        );
      }
      return enforced.generation === generation
        ? isTrue("PolicyBroken", brokenText(policy))
        : isTrue(
            "EarlierGenerationEnforced",
            `Generation ${enforced.generation} decides until generation ${generation} is ready: fix the problems of Ready`,
          );
    default:
      return verdict satisfies never;
  }
}

function brokenText({ failurePolicy, mode }: ClaimCreationPolicy): string {
  const isRejecting = failurePolicy === "Fail" && mode === "Enforce";
  const text = `Objects that the policy matches are ${isRejecting ? "rejected as misconfigured" : "admitted with a warning"}`;
  return `${text} until the problems of Ready are fixed${isRejecting || mode === "Shadow" ? "" : ", and counted afterwards"}`;
}

function isTrue(reason: string, message: string): State {
  return { type: "Enforced", status: "True", reason, message };
}

function isFalse(reason: string, message: string): State {
  return { type: "Enforced", status: "False", reason, message };
}
