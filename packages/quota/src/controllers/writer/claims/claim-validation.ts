import { type FieldIssue, issueText, itemPath } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { ResourceClaim } from "../../../core/resources/resource-claim.ts";
import { claimFaults } from "../../../core/resources/rules/claim-faults.ts";
import { claimIssues } from "../../../core/resources/rules/object-rules.ts";
import type { RegistrationView } from "../../../core/resources/rules/registration-rules.ts";

/** The fields of a claim that validation reads. */
type ValidatedClaim = Pick<ResourceClaim, "consumer" | "resource" | "requests">;

/** Why a claim cannot be decided with the current registrations. */
export function validationIssues(claim: ValidatedClaim, view: RegistrationView): readonly FieldIssue[] {
  return [...claimFaults(claim), ...claimIssues(claim, view)];
}

export function isValid(claim: ValidatedClaim, view: RegistrationView): boolean {
  return validationIssues(claim, view).length === 0;
}

/** Well below the maximum length of a condition message. */
const messageMax = 4_096;

/** Why each request of an invalid claim is not granted: its own issues, else those of the claim, else those of the others. */
export function requestMessages({ requests }: ValidatedClaim, issues: readonly FieldIssue[]): readonly string[] {
  const isOf = (at: number, { field }: FieldIssue): boolean => field.startsWith(itemPath("spec.requests", at));
  const general = issues.filter((issue) => !requests.some((_, at) => isOf(at, issue)));
  return requests.map((_, at) => {
    const own = issues.filter((issue) => isOf(at, issue));
    if (own.length + general.length > 0) return validationMessage([...own, ...general]);
    return `Not granted because of other requests: ${validationMessage(issues)}`;
  });
}

export function validationMessage(issues: readonly FieldIssue[]): string {
  const text = issues.map(issueText).join("; ");
  return text.length <= messageMax ? text : `${text.slice(0, messageMax)} ... (${issues.length} issues in total)`;
}
