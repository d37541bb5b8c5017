import type { ConditionState } from "@milo-quota/kubernetes/protocol/condition.ts";
import type { PolicyVerdict } from "../../core/policy/policy-index.ts";
import { type Enforcement, enforcementNotice } from "../../core/resources/enforcement.ts";
import { type GroupKind, groupKindText } from "../../core/resources/fields/consumer-ref.ts";
import { issuesText } from "../status/issues-text.ts";

/** Whether the trigger kind of a policy is served; `unknown` if discovery failed. */
export type TriggerKind = "served" | "missing" | "unknown";

/** The reasons of the Enforced condition by global enforcement mode. */
const enforcedReasons = { Enforce: "SystemEnforces", Shadow: "SystemShadow", Off: "SystemOff" } as const;

type State = Omit<ConditionState, "observedGeneration">;

/** The Ready condition of a policy. A trigger kind that is not served only adds a warning. */
export function readyCondition(verdict: PolicyVerdict<unknown>, kind: GroupKind, triggerKind: TriggerKind): State {
  switch (verdict.state) {
    case "ready": {
      const warning = `; warning: the API server does not serve its trigger kind ${groupKindText(kind)}`;
      const message = `The policy is ready${triggerKind === "missing" ? warning : ""}`;
      return { type: "Ready", status: "True", reason: "PolicyReady", message };
    }
    case "disabled": {
      const also = verdict.issues.length === 0 ? "" : `; if enabled it would be invalid: ${issuesText(verdict.issues)}`;
      return { type: "Ready", status: "False", reason: "PolicyDisabled", message: `The policy is disabled${also}` };
    }
    case "invalid":
      return { type: "Ready", status: "False", reason: "ValidationFailed", message: issuesText(verdict.issues) };
    default:
      return verdict satisfies never;
  }
}

/** The Enforced condition; omitted while the system has always run in Enforce mode. */
export function enforcedConditions(enforcement: Enforcement, before: readonly { readonly type: string }[]): State[] {
  if (enforcement === "Enforce" && !before.some(({ type }) => type === "Enforced")) return [];
  const laxity = enforcementNotice(enforcement);
  const status = laxity === undefined ? "True" : "False";
  const message =
    laxity === undefined
      ? "The system rejects requests over quota"
      : `The system runs with --enforcement ${enforcement}: ${laxity}`;
  return [{ type: "Enforced", status, reason: enforcedReasons[enforcement], message }];
}
