import { type FieldIssue, forbidden } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import type { ClaimCreationPolicy } from "../../core/resources/claim-creation-policy.ts";
import { type GroupKind, groupKindText, sameGroupKind } from "../../core/resources/fields/consumer-ref.ts";
import type { ResourceRegistration } from "../../core/resources/resource-registration.ts";

/** A claim policy that is enforced, and the kind that it applies to. */
export interface EnforcedPolicy {
  readonly plane: string;
  readonly policy: Pick<ClaimCreationPolicy, "metadata" | "template">;
  readonly kind: GroupKind;
}

/** Names listed in a message. */
const namesMax = 10;

/** Issues of an update that no longer lets a kind claim although an enforced policy claims for it. */
export function removedKindIssues(
  before: ResourceRegistration,
  now: ResourceRegistration,
  policies: Iterable<EnforcedPolicy>,
): readonly FieldIssue[] {
  const removed = before.claimingResources.filter(
    (kind) => !now.claimingResources.some((other) => sameGroupKind(kind, other)),
  );
  if (removed.length === 0) return [];
  const using = policiesOf(before.resourceType, policies);
  return removed.flatMap((kind) => {
    const holders = using.filter((policy) => sameGroupKind(policy.kind, kind));
    if (holders.length === 0) return [];
    const detail = `${groupKindText(kind)} cannot be removed while ${namesText(holders)} claims for it: disable or delete the policy first`;
    return [forbidden("spec.claimingResources", detail)];
  });
}

/** The warning for deleting a registration that enforced policies use; undefined if none does. */
export function deletionWarning(
  { resourceType }: Pick<ResourceRegistration, "resourceType">,
  policies: Iterable<EnforcedPolicy>,
): string | undefined {
  const holders = policiesOf(resourceType, policies);
  if (holders.length === 0) return undefined;
  return `${namesText(holders)} claims ${resourceType}: what it matches is rejected until the type is registered again`;
}

function policiesOf(resourceType: string, policies: Iterable<EnforcedPolicy>): readonly EnforcedPolicy[] {
  return [...policies].filter(({ policy }) =>
    policy.template.requests.some((request) => request.resourceType === resourceType),
  );
}

function namesText(policies: readonly EnforcedPolicy[]): string {
  const names = policies.slice(0, namesMax).map(({ policy }) => quote(policy.metadata.name ?? ""));
  const rest = policies.length - names.length;
  return `ClaimCreationPolicy ${names.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}
