import type { AdmissionRequest, AdmittedKind } from "@milo-quota/kubernetes/protocol/admission-request.ts";
import type { Verdict } from "@milo-quota/kubernetes/protocol/admission-verdict.ts";
import { resourceForbidden } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { KubernetesObject, ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { organizationOfNamespace } from "../core/resources/object-tenant.ts";
import { resourceClaimDefinition } from "../core/resources/resource-claim.ts";
import { labels, quotaGroup } from "../core/resources/well-known.ts";
import { projectOfPlane } from "../views/tenant-planes.ts";
import type { TenantDirectory } from "./tenant-directory.ts";

type GuardedRequest = AdmissionRequest<Pick<AdmittedKind, "group" | "plural">, KubernetesObject>;

const mastersGroup = "system:masters";
const allowed: Verdict = { allowed: true };

/**
 * Members may create and delete claims of their own. They may neither create nor delete claims of objects, because the objects
 * would then exist without being counted. For which consumers they may claim is decided by quota admission, as for all users.
 */
export function claimGuard(directory: Pick<TenantDirectory, "organizationOf" | "roleOf">) {
  return {
    name: "claims-of-members",
    validate: async (request: GuardedRequest): Promise<Verdict> => {
      const { group, plural } = resourceClaimDefinition;
      if (request.kind.group !== group || request.kind.plural !== plural) return allowed;
      const reason = isMember(directory, request) ? rejectionReason(request) : undefined;
      if (reason === undefined) return allowed;
      return { allowed: false, status: resourceForbidden({ group, resource: plural }, request.name, reason) };
    },
  };
}

/** Of the organization that the claim's namespace or control plane belongs to. For other users only RBAC counts. */
function isMember(
  directory: Pick<TenantDirectory, "organizationOf" | "roleOf">,
  { userInfo: user, plane, namespace }: GuardedRequest,
): boolean {
  if (user.groups.includes(mastersGroup)) return false;
  const project = projectOfPlane(plane);
  const organization = project === undefined ? organizationOfNamespace(namespace) : directory.organizationOf(project);
  return organization !== undefined && directory.roleOf(user, organization) !== undefined;
}

function rejectionReason({ operation, object, oldObject }: GuardedRequest): string | undefined {
  if (oldObject?.metadata.labels?.[labels.autoCreated] === "true") {
    return "it belongs to an object, and is deleted together with it";
  }
  if (operation !== "CREATE" || object === undefined || !hasReservedMetadata(object.metadata)) return undefined;
  return `labels, annotations and finalizers of ${quotaGroup} are reserved for the quota system`;
}

function hasReservedMetadata({ labels: given = {}, annotations = {}, finalizers = [] }: ObjectMeta): boolean {
  const names = [...Object.keys(given), ...Object.keys(annotations), ...finalizers];
  return names.some((name) => name.startsWith(`${quotaGroup}/`));
}
