import { type FieldIssue, invalid } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { parseDateTime } from "@milo-quota/kubernetes/protocol/time.ts";
import type { ResourceGrant } from "../resource-grant.ts";
import { grantIssues } from "./object-rules.ts";
import type { RegistrationView } from "./registration-rules.ts";

/** Whether a grant counts. It counts as a whole or not at all. */
export type GrantActivity =
  /** `untilMs`: the expiry of the grant, if it has one. */
  | { readonly state: "active"; readonly untilMs?: number }
  | { readonly state: "expired" }
  | { readonly state: "invalid"; readonly issues: readonly FieldIssue[] }
  /** Deleted, but kept by a finalizer. */
  | { readonly state: "deleting" };

/**
 * Decides whether a grant counts now. The bucket writer uses this rule, not the condition of the grant, which may lag behind.
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
  return [invalid("spec.expiresAt", expiresAt, "must be a time such as 2030-01-31T12:00:00Z")];
}
