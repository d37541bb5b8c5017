import type { AdmissionRequest, AdmittedKind } from "@milo-quota/kubernetes/protocol/admission-request.ts";
import type { Verdict } from "@milo-quota/kubernetes/protocol/admission-verdict.ts";
import { resourceForbidden } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { KubernetesObject, ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { type ConsumerRef, consumerText } from "../core/resources/fields/consumer-ref.ts";
import { organizationOfNamespace, organizationRef, projectRef } from "../core/resources/object-tenant.ts";
import { parseResourceClaim, resourceClaimDefinition } from "../core/resources/resource-claim.ts";
import { labels, quotaGroup } from "../core/resources/well-known.ts";
import { projectOfPlane } from "../views/tenant-planes.ts";
import type { TenantDirectory } from "./tenant-directory.ts";

type GuardedRequest = AdmissionRequest<Pick<AdmittedKind, "group" | "plural">, KubernetesObject>;

const mastersGroup = "system:masters";
const allowed: Verdict = { allowed: true };

/**
 * Members may create claims for their own organization or project, and delete those. They may neither create nor delete
 * claims of objects, because the objects would then exist without being counted.
 */
export function claimGuard(directory: Pick<TenantDirectory, "organizationOf" | "roleOf">) {
  return {
    name: "claims-of-members",
    validate: async (request: GuardedRequest): Promise<Verdict> => {
      const { group, plural } = resourceClaimDefinition;
      if (request.kind.group !== group || request.kind.plural !== plural) return allowed;
      const consumer = consumerOfMember(directory, request);
      const reason = consumer === undefined ? undefined : rejectionReason(request, consumer);
      if (reason === undefined) return allowed;
      return { allowed: false, status: resourceForbidden({ group, resource: plural }, request.name, reason) };
    },
  };
}

/** The consumer that a member may claim for; undefined for users who are no members, for whom only RBAC counts. */
function consumerOfMember(
  directory: Pick<TenantDirectory, "organizationOf" | "roleOf">,
  { userInfo: user, plane, namespace }: GuardedRequest,
): ConsumerRef | undefined {
  if (user.groups.includes(mastersGroup)) return undefined;
  const project = projectOfPlane(plane);
  const organization = project === undefined ? organizationOfNamespace(namespace) : directory.organizationOf(project);
  if (organization === undefined || directory.roleOf(user, organization) === undefined) return undefined;
  return project === undefined ? organizationRef(organization) : projectRef(project);
}

function rejectionReason({ operation, object, oldObject }: GuardedRequest, consumer: ConsumerRef): string | undefined {
  if (oldObject?.metadata.labels?.[labels.autoCreated] === "true") {
    return "it belongs to an object, and is deleted together with it";
  }
  if (operation !== "CREATE" || object === undefined) return undefined;
  if (hasReservedMetadata(object.metadata)) {
    return `labels, annotations and finalizers of ${quotaGroup} are reserved for the quota system`;
  }
  const claim = parseResourceClaim(object);
  if (!claim.ok || isSame(claim.value.consumer, consumer)) return undefined; // an invalid claim is rejected by its schema
  return `members can claim here only for ${consumerText(consumer)}`;
}

function hasReservedMetadata({ labels: given = {}, annotations = {}, finalizers = [] }: ObjectMeta): boolean {
  const names = [...Object.keys(given), ...Object.keys(annotations), ...finalizers];
  return names.some((name) => name.startsWith(`${quotaGroup}/`));
}

function isSame(left: ConsumerRef, right: ConsumerRef): boolean {
  return (
    left.apiGroup === right.apiGroup && left.kind === right.kind && left.name === right.name && left.namespace === ""
  );
}
