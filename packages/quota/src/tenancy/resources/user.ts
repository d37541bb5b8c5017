import type { KindDefinition } from "@milo-quota/kubernetes/schema/kind-definition.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { iamGroup, tenancyVersion } from "./tenancy-names.ts";
import { type TenantObject, tenantParser } from "./tenant-object.ts";

const personNameSchema = { type: "string", maxLength: 200 } as const satisfies Schema;

const schema = {
  type: "object",
  description: "A user who can be a member of organizations. The name is the one that the user authenticates with.",
  properties: {
    spec: {
      type: "object",
      default: {},
      properties: {
        email: { type: "string", maxLength: 320, description: "Email address of the user." },
        givenName: { ...personNameSchema, description: "Given name of the user." },
        familyName: { ...personNameSchema, description: "Family name of the user." },
      },
    },
    status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  },
} as const satisfies Schema;

export const userDefinition = {
  group: iamGroup,
  version: tenancyVersion,
  kind: "User",
  plural: "users",
  singular: "user",
  shortNames: [],
  categories: ["milo"],
  scope: "Cluster",
  schema,
  printerColumns: [
    { name: "Email", type: "string", jsonPath: ".spec.email" },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
  selectableFields: ["spec.email"],
} as const satisfies KindDefinition;

export type User = TenantObject<typeof schema>;

export const parseUser = tenantParser(userDefinition);
