import type { KindDefinition } from "@milo-quota/kubernetes/schema/kind-definition.ts";
import { organizationDefinition } from "./organization.ts";
import { organizationMembershipDefinition } from "./organization-membership.ts";
import { projectDefinition } from "./project.ts";
import { userDefinition } from "./user.ts";

/** Every kind that tenants are made of, in the order in which a reader meets them. */
export const tenancyKinds: readonly KindDefinition[] = [
  organizationDefinition,
  projectDefinition,
  organizationMembershipDefinition,
  userDefinition,
];
