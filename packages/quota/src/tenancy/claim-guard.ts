import type { AdmissionRequest, AdmittedKind } from "@milo-quota/kubernetes/protocol/admission-request.ts";
import type { Verdict } from "@milo-quota/kubernetes/protocol/admission-verdict.ts";
import { forbiddenTo } from "@milo-quota/kubernetes/protocol/api-status.ts";
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
 * Members may claim for their own organization or project, and give back what they claimed by hand. Claims that were
 * made for objects are not theirs to make or to delete: the objects would be there, and not be counted.
 */
export function claimGuard(directory: Pick<TenantDirectory, "organizationOf" | "roleOf">) {
  return {
    name: "claims-of-members",
    validate: async (request: GuardedRequest): Promise<Verdict> => {
      const { group, plural } = resourceClaimDefinition;
      if (request.kind.group !== group || request.kind.plural !== plural) return allowed;
      const consumer = consumerOfMember(directory, request);
      const fault = consumer === undefined ? undefined : faultOf(request, consumer);
      if (fault === undefined) return allowed;
      return { allowed: false, status: forbiddenTo({ group, resource: plural }, request.name, fault) };
    },
  };
}

/** For whom a member may claim here; undefined for requests of others, whom rights alone bind. */
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

function faultOf({ operation, object, oldObject }: GuardedRequest, consumer: ConsumerRef): string | undefined {
  if (oldObject?.metadata.labels?.[labels.autoCreated] === "true") {
    return "it was made for an object, and goes with that object";
  }
  if (operation !== "CREATE" || object === undefined) return undefined;
  if (hasQuotaMarks(object.metadata)) {
    return `labels, annotations and finalizers of ${quotaGroup} are not for members to set`;
  }
  const claim = parseResourceClaim(object);
  if (!claim.ok || isSame(claim.value.consumer, consumer)) return undefined; // what cannot be read is refused elsewhere
  return `members can claim here for ${consumerText(consumer)} alone`;
}

function hasQuotaMarks({ labels: given = {}, annotations = {}, finalizers = [] }: ObjectMeta): boolean {
  const names = [...Object.keys(given), ...Object.keys(annotations), ...finalizers];
  return names.some((name) => name.startsWith(`${quotaGroup}/`));
}

function isSame(left: ConsumerRef, right: ConsumerRef): boolean {
  return (
    left.apiGroup === right.apiGroup && left.kind === right.kind && left.name === right.name && left.namespace === ""
  );
}
