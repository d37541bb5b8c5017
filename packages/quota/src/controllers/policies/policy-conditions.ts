import type { ConditionState } from "@milo-quota/kubernetes/protocol/condition.ts";
import type { PolicyVerdict } from "../../core/policy/policy-index.ts";
import { type TypeIssues, typeIssuesText } from "../../core/policy/trigger-type-check.ts";
import { type GroupKind, groupKindText } from "../../core/resources/fields/consumer-ref.ts";
import { issuesText } from "../status/issues-text.ts";

/** Whether the trigger kind of a policy is served; `unknown` if discovery failed. */
export type TriggerKind = "served" | "missing" | "unknown";

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

/** Whether the fields that a policy uses exist in the schema of its trigger kind, and have the types that it expects. */
export function typeCheckedCondition(issues: TypeIssues | "unknown"): State {
  const type = "TypeChecked";
  if (issues === "unknown") {
    return { type, status: "Unknown", reason: "SchemaUnknown", message: "The schema of the trigger kind is not known" };
  }
  const text = typeIssuesText(issues);
  if (text !== "") return { type, status: "False", reason: "TypeIssues", message: text };
  return { type, status: "True", reason: "TypesMatch", message: "The policy fits the schema of its trigger kind" };
}
