import type { ConditionState } from "@milo-quota/kubernetes/protocol/condition.ts";
import { pendingGrant, type ResourceGrant } from "../core/resources/resource-grant.ts";
import { isPending } from "../core/resources/resource-registration.ts";
import type { GrantActivity } from "../core/resources/rules/grant-activity.ts";
import { activeRegistration, type RegistrationView } from "../core/resources/rules/registration-rules.ts";
import { issuesText } from "./status/issues-text.ts";

/** The Active condition of a grant. */
export function grantCondition(
  activity: GrantActivity | { readonly state: "pending" },
  expiresAt: string | undefined,
): ConditionState {
  const type = "Active";
  switch (activity.state) {
    case "active":
      return { type, status: "True", reason: "GrantActive", message: "ResourceGrant is active" };
    case "expired":
      return { type, status: "False", reason: "GrantExpired", message: `ResourceGrant expired at ${expiresAt}` };
    case "deleting":
      return {
        type,
        status: "False",
        reason: "GrantExpired",
        message: "ResourceGrant is being deleted and no longer counts",
      };
    case "invalid":
      return {
        type,
        status: "False",
        reason: "ValidationFailed",
        message: issuesText(activity.issues),
      };
    case "pending":
      return pendingGrant;
    default:
      throw new Error(`unknown state ${activity satisfies never}`);
  }
}

/** Whether a grant names a resource type whose registration exists but has not been reconciled yet. */
export function hasPendingRegistration({ allowances }: ResourceGrant, view: RegistrationView): boolean {
  return allowances.some(({ resourceType }) => {
    if (activeRegistration(view, resourceType) !== undefined) return false;
    return view.byResourceType(resourceType).some(isPending);
  });
}
