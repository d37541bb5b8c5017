import type { ConditionState } from "@milo-quota/kubernetes/protocol/condition.ts";
import type { PolicyVerdict } from "../../core/policy/policy-index.ts";
import { type Enforcement, laxityOf } from "../../core/resources/enforcement.ts";
import { type GroupKind, groupKindText } from "../../core/resources/fields/consumer-ref.ts";
import { issuesText } from "../status/issues-text.ts";

/** Whether the kind that a policy is about is there; unknown when nobody could tell. */
export type TriggerKind = "served" | "missing" | "unknown";

/** How the switch for everything is told of in the status of a policy. */
const enforcedReasons = { Enforce: "SystemEnforces", Shadow: "SystemShadow", Off: "SystemOff" } as const;

type State = Omit<ConditionState, "observedGeneration">;

/** Whether a policy is at work, and if not, everything that keeps it. A kind that is not there yet is only worth a word. */
export function readyCondition(verdict: PolicyVerdict<unknown>, kind: GroupKind, triggerKind: TriggerKind): State {
  switch (verdict.state) {
    case "ready": {
      const warning = `; warning: no API server here serves the kind it is about, ${groupKindText(kind)}`;
      const message = `The policy is at work${triggerKind === "missing" ? warning : ""}`;
      return { type: "Ready", status: "True", reason: "PolicyReady", message };
    }
    case "disabled": {
      const also = verdict.issues.length === 0 ? "" : `; switched on it would not work: ${issuesText(verdict.issues)}`;
      return { type: "Ready", status: "False", reason: "PolicyDisabled", message: `The policy is switched off${also}` };
    }
    case "invalid":
      return { type: "Ready", status: "False", reason: "ValidationFailed", message: issuesText(verdict.issues) };
    default:
      return verdict satisfies never;
  }
}

/** Whether the system refuses anything at all; nothing to tell of a system that always did. */
export function enforcedConditions(enforcement: Enforcement, before: readonly { readonly type: string }[]): State[] {
  if (enforcement === "Enforce" && !before.some(({ type }) => type === "Enforced")) return [];
  const laxity = laxityOf(enforcement);
  const status = laxity === undefined ? "True" : "False";
  const message =
    laxity === undefined
      ? "The system refuses what does not fit"
      : `The system runs with --enforcement ${enforcement}: ${laxity}`;
  return [{ type: "Enforced", status, reason: enforcedReasons[enforcement], message }];
}
