import type { KindDefinition } from "@milo-quota/kubernetes/schema/kind-definition.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { conditionsSchema, observedGenerationSchema } from "../../core/resources/fields/conditions.ts";
import { nameRule } from "./name-rule.ts";
import { organizationNameLengthMax, resourceManagerGroup, tenancyVersion } from "./tenancy-names.ts";
import { type TenantObject, tenantParser } from "./tenant-object.ts";

export const tenantTypeSchema = {
  type: "string",
  minLength: 1,
  maxLength: 63,
  pattern: "^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$",
} as const satisfies Schema;

const schema = {
  type: "object",
  description: "A tenant that owns projects, has members and uses quota.",
  properties: {
    spec: {
      type: "object",
      default: {},
      properties: {
        type: {
          ...tenantTypeSchema,
          description: "Type of the organization, such as Standard or Personal, for use in policies.",
        },
      },
    },
    status: {
      type: "object",
      properties: {
        phase: {
          type: "string",
          enum: ["Pending", "Active", "Terminating"],
          description:
            "Active once its namespace exists; Terminating while its projects and its namespace are deleted.",
        },
        namespace: { type: "string", description: "Namespace of the organization: organization-<name>." },
        observedGeneration: observedGenerationSchema,
        conditions: conditionsSchema(
          { Ready: ["OrganizationReady", "NamespaceTerminating", "Deleting"] },
          "Ready tells whether the organization can be used.",
        ),
      },
    },
  },
  "x-kubernetes-validations": [
    nameRule(organizationNameLengthMax, "it is part of the name of the organization's namespace"),
  ],
} as const satisfies Schema;

export const organizationDefinition = {
  group: resourceManagerGroup,
  version: tenancyVersion,
  kind: "Organization",
  plural: "organizations",
  singular: "organization",
  shortNames: ["org"],
  categories: ["milo"],
  scope: "Cluster",
  schema,
  printerColumns: [
    { name: "Type", type: "string", jsonPath: ".spec.type" },
    { name: "Phase", type: "string", jsonPath: ".status.phase" },
    { name: "Namespace", type: "string", jsonPath: ".status.namespace", priority: 1 },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
  selectableFields: ["status.phase"],
} as const satisfies KindDefinition;

export type Organization = TenantObject<typeof schema>;

export const parseOrganization = tenantParser(organizationDefinition);
