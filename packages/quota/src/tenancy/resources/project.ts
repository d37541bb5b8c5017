import type { KindDefinition } from "@milo-quota/kubernetes/schema/kind-definition.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { conditionsSchema, observedGenerationSchema } from "../../core/resources/fields/conditions.ts";
import { nameSchema } from "../../core/resources/fields/consumer-ref.ts";
import { immutableField, nameRule } from "./name-rule.ts";
import { tenantTypeSchema } from "./organization.ts";
import { resourceManagerGroup, tenancyVersion } from "./tenancy-names.ts";
import { type TenantObject, tenantParser } from "./tenant-object.ts";

const projectNameLengthMax = 63;

const schema = {
  type: "object",
  description: "A control plane of an organization, with all objects in it.",
  required: ["spec"],
  properties: {
    spec: {
      type: "object",
      required: ["ownerRef"],
      properties: {
        ownerRef: {
          type: "object",
          description:
            "The organization that the project belongs to. Optional in the organization's own control plane, which " +
            "fills it in. Immutable.",
          required: ["kind", "name"],
          properties: {
            kind: { type: "string", enum: ["Organization"], description: "Must be Organization." },
            name: { ...nameSchema, description: "Name of the organization." },
          },
        },
        type: { ...tenantTypeSchema, description: "Type of the project, for use in policies." },
      },
      "x-kubernetes-validations": [
        immutableField(
          "ownerRef",
          "the usage of the project counts for its organization; create another project there",
        ),
      ],
    },
    status: {
      type: "object",
      properties: {
        observedGeneration: observedGenerationSchema,
        conditions: conditionsSchema(
          { Ready: ["ProjectReady", "OrganizationNotFound", "OrganizationTerminating", "Deleting"] },
          "Ready tells whether the project's control plane can be used.",
        ),
      },
    },
  },
  "x-kubernetes-validations": [nameRule(projectNameLengthMax, "it is part of the path of the project's control plane")],
} as const satisfies Schema;

export const projectDefinition = {
  group: resourceManagerGroup,
  version: tenancyVersion,
  kind: "Project",
  plural: "projects",
  singular: "project",
  shortNames: [],
  categories: ["milo"],
  scope: "Cluster",
  schema,
  printerColumns: [
    { name: "Organization", type: "string", jsonPath: ".spec.ownerRef.name" },
    { name: "Type", type: "string", jsonPath: ".spec.type" },
    { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: "Reason", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].reason', priority: 1 },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
  selectableFields: ["spec.ownerRef.name"],
} as const satisfies KindDefinition;

export type Project = TenantObject<typeof schema>;

export const parseProject = tenantParser(projectDefinition);
