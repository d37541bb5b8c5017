import type { KindDefinition } from "@milo-quota/kubernetes/schema/kind-definition.ts";
import { organizationDefinition } from "./organization.ts";
import { organizationMembershipDefinition } from "./organization-membership.ts";
import { projectDefinition } from "./project.ts";
import { userDefinition } from "./user.ts";

/** All kinds of the tenants API, in the order of the reference pages. */
export const tenancyKinds: readonly KindDefinition[] = [
  organizationDefinition,
  projectDefinition,
  organizationMembershipDefinition,
  userDefinition,
];
