import { type FieldIssue, invalid } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { parseDateTime } from "@milo-quota/kubernetes/protocol/time.ts";
import type { ResourceGrant } from "../resource-grant.ts";
import { grantIssues } from "./object-rules.ts";
import type { RegistrationView } from "./registration-rules.ts";

/** Whether a grant counts. All of it does, or none. */
export type GrantActivity =
  /** It counts, and does until that moment if nothing changes; for good when there is none. */
  | { readonly state: "active"; readonly untilMs?: number }
  | { readonly state: "expired" }
  | { readonly state: "invalid"; readonly issues: readonly FieldIssue[] }
  /** Somebody deleted it, and somebody else keeps it from going. */
  | { readonly state: "deleting" };

/**
 * The one rule for whether a grant counts now. What the grant's condition says is a copy of this for people, and may be
 * late: whoever counts asks here.
 */
export function grantActivity(grant: ResourceGrant, view: RegistrationView, nowMs: number): GrantActivity {
  if (grant.metadata.deletionTimestamp !== undefined) return { state: "deleting" };
  const { expiresAt } = grant;
  const untilMs = expiresAt === undefined ? undefined : parseDateTime(expiresAt);
  if (untilMs !== undefined && untilMs <= nowMs) return { state: "expired" };
  const issues = [...timeIssues(expiresAt, untilMs), ...grantIssues(grant, view)];
  if (issues.length > 0) return { state: "invalid", issues };
  return untilMs === undefined ? { state: "active" } : { state: "active", untilMs };
}

function timeIssues(expiresAt: string | undefined, untilMs: number | undefined): readonly FieldIssue[] {
  if (expiresAt === undefined || untilMs !== undefined) return [];
  return [invalid("spec.expiresAt", expiresAt, "not a time such as 2030-01-31T12:00:00Z")];
}
