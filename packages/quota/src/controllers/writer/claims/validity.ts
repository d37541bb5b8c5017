import { type FieldIssue, issueText } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { ResourceClaim } from "../../../core/resources/resource-claim.ts";
import { claimFaults } from "../../../core/resources/rules/claim-faults.ts";
import { claimIssues } from "../../../core/resources/rules/object-rules.ts";
import type { RegistrationView } from "../../../core/resources/rules/registration-rules.ts";

/** What a claim asks for, for whom, and by what. */
type Asking = Pick<ResourceClaim, "consumer" | "resource" | "requests">;

/** What keeps a claim from being decided, now. */
export function faultsOf(claim: Asking, view: RegistrationView): readonly FieldIssue[] {
  return [...claimFaults(claim), ...claimIssues(claim, view)];
}

export function isValid(claim: Asking, view: RegistrationView): boolean {
  return faultsOf(claim, view).length === 0;
}

/** More than this nobody reads; and far more than this no condition can hold. */
const textMax = 4_096;

export function faultText(faults: readonly FieldIssue[]): string {
  const text = faults.map(issueText).join("; ");
  return text.length <= textMax ? text : `${text.slice(0, textMax)} ... (${faults.length} faults in all)`;
}
