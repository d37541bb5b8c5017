import { untilAborted } from "@milo-quota/kubernetes/client/until-aborted.ts";
import { projectOfPlane } from "../views/tenant-planes.ts";
import { mayInOrganization, mayInProject, type WantedAccess } from "./membership-rights.ts";
import { organizationOfView } from "./organization-view.ts";
import type { Requester, TenantDirectory } from "./tenant-directory.ts";

/** What somebody wants to do, and where. */
export interface MembersRequest extends WantedAccess {
  readonly user: Requester;
  readonly plane: string;
  /** The name of the part of the plane that the path is for, if it is not for all of it. */
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
 * Allows members of organizations what their roles say, in the organization's own control plane and in those of its
 * projects. In the root itself a membership means nothing, and it takes no right away that somebody has otherwise.
 */
export function membershipAuthorizer(directory: Directory) {
  return {
    authorize: async (asked: MembersRequest, signal: AbortSignal): Promise<Decision> => {
      const isTenants = asked.view !== undefined || projectOfPlane(asked.plane) !== undefined;
      if (!asked.isResource || !isTenants) return noOpinion;
      await untilAborted(directory.ready, signal);
      return decide(directory, asked);
    },
  };
}

function decide(directory: Directory, asked: MembersRequest): Decision {
  const organization = organizationAt(directory, asked);
  const role = organization === undefined ? undefined : directory.roleOf(asked.user, organization);
  if (organization === undefined || role === undefined) return noOpinion;
  const isAllowed = asked.view === undefined ? mayInProject(role, asked) : mayInOrganization(role, organization, asked);
  const where = `of Organization "${organization}"`;
  if (isAllowed) return { outcome: "allow", reason: `membership: allowed to members ${where} with role "${role}"` };
  return { outcome: "none", reason: `role "${role}" ${where} does not allow it` };
}

function organizationAt(directory: Directory, { plane, view }: MembersRequest): string | undefined {
  if (view !== undefined) return organizationOfView(view);
  const project = projectOfPlane(plane);
  return project === undefined ? undefined : directory.organizationOf(project);
}
