import { abortable } from "@milo-quota/kubernetes/client/abortable.ts";
import { projectOfPlane } from "../views/tenant-planes.ts";
import { type AccessRequest, isAllowedInOrganization, isAllowedInProject } from "./membership-rights.ts";
import { organizationOfView } from "./organization-view.ts";
import type { Requester, TenantDirectory } from "./tenant-directory.ts";

export interface MembersRequest extends AccessRequest {
  readonly user: Requester;
  readonly plane: string;
  /** The view that the path selects, if it is not the whole plane. */
  readonly view?: string | undefined;
  readonly isResource: boolean;
}

type Directory = Pick<TenantDirectory, "ready" | "organizationOf" | "roleOf">;

interface Decision {
  readonly outcome: "allow" | "none";
  readonly reason: string;
}

const noOpinion: Decision = { outcome: "none", reason: "" };

/**
 * Allows what the roles of members permit, in the organization's own control plane and in those of its projects. Memberships
 * do not apply in the root plane, and never take away rights that a user has by RBAC.
 */
export function membershipAuthorizer(directory: Directory) {
  return {
    authorize: async (request: MembersRequest, signal: AbortSignal): Promise<Decision> => {
      const isTenantPath = request.view !== undefined || projectOfPlane(request.plane) !== undefined;
      if (!request.isResource || !isTenantPath) return noOpinion;
      await abortable(directory.ready, signal);
      return decide(directory, request);
    },
  };
}

function decide(directory: Directory, request: MembersRequest): Decision {
  const organization = organizationAt(directory, request);
  const role = organization === undefined ? undefined : directory.roleOf(request.user, organization);
  if (organization === undefined || role === undefined) return noOpinion;
  const isAllowed =
    request.view === undefined
      ? isAllowedInProject(role, request)
      : isAllowedInOrganization(role, organization, request);
  const where = `of Organization "${organization}"`;
  if (isAllowed) return { outcome: "allow", reason: `membership: allowed to members ${where} with role "${role}"` };
  return { outcome: "none", reason: `role "${role}" ${where} does not allow it` };
}

function organizationAt(directory: Directory, { plane, view }: MembersRequest): string | undefined {
  if (view !== undefined) return organizationOfView(view);
  const project = projectOfPlane(plane);
  return project === undefined ? undefined : directory.organizationOf(project);
}
