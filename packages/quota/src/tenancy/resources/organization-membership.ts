import type { KindDefinition } from "@milo-quota/kubernetes/schema/kind-definition.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { conditionsSchema, observedGenerationSchema } from "../../core/resources/fields/conditions.ts";
import { nameSchema } from "../../core/resources/fields/consumer-ref.ts";
import { immutableField } from "./name-rule.ts";
import { resourceManagerGroup, tenancyVersion } from "./tenancy-names.ts";
import { type TenantObject, tenantParser } from "./tenant-object.ts";

const schema = {
  type: "object",
  description: "Gives a user or the members of a group rights in an organization and its projects.",
  required: ["spec"],
  properties: {
    spec: {
      type: "object",
      required: ["organizationRef"],
      properties: {
        organizationRef: {
          type: "object",
          description:
            "The organization whose namespace the membership is in. Optional in the organization's own control plane, " +
            "which fills it in. Immutable.",
          required: ["name"],
          properties: { name: { ...nameSchema, description: "Name of the organization." } },
        },
        userRef: {
          type: "object",
          description: "The member. Immutable.",
          required: ["name"],
          properties: {
            name: { ...nameSchema, description: "Name of the User, with which the member authenticates." },
          },
        },
        groupRef: {
          type: "object",
          description:
            "A group whose members become members of the organization. Use it instead of userRef. Immutable.",
          required: ["name"],
          properties: { name: { ...nameSchema, description: "Name of the group." } },
        },
        roles: {
          type: "array",
          description:
            "view: read projects and their contents, limits, usage and claims. admin: also create, update and delete " +
            "projects and their contents, and manage memberships.",
          minItems: 1,
          maxItems: 2,
          "x-kubernetes-list-type": "set",
          items: { type: "string", enum: ["view", "admin"] },
          default: ["view"],
        },
      },
      "x-kubernetes-validations": [
        { rule: "has(self.userRef) != has(self.groupRef)", message: "set exactly one of userRef and groupRef" },
        {
          rule: "!has(self.groupRef) || !self.groupRef.name.startsWith('system:')",
          message: "groups that start with system: are reserved",
          fieldPath: ".groupRef",
        },
        immutableField("organizationRef", "create another membership"),
        {
          rule: "has(self.userRef) == has(oldSelf.userRef) && (!has(self.userRef) || self.userRef == oldSelf.userRef)",
          message: "userRef is immutable: create another membership",
          reason: "FieldValueForbidden",
          fieldPath: ".userRef",
        },
        {
          rule: "!has(self.groupRef) || !has(oldSelf.groupRef) || self.groupRef == oldSelf.groupRef",
          message: "groupRef is immutable: create another membership",
          reason: "FieldValueForbidden",
          fieldPath: ".groupRef",
        },
      ],
    },
    status: {
      type: "object",
      properties: {
        observedGeneration: observedGenerationSchema,
        conditions: conditionsSchema(
          { Ready: ["MembershipActive", "WrongNamespace", "OrganizationNotFound", "UserNotFound"] },
          "Ready tells whether the membership is in effect.",
        ),
      },
    },
  },
} as const satisfies Schema;

export const organizationMembershipDefinition = {
  group: resourceManagerGroup,
  version: tenancyVersion,
  kind: "OrganizationMembership",
  plural: "organizationmemberships",
  singular: "organizationmembership",
  shortNames: ["orgmember"],
  categories: ["milo"],
  scope: "Namespaced",
  schema,
  printerColumns: [
    { name: "Organization", type: "string", jsonPath: ".spec.organizationRef.name" },
    { name: "User", type: "string", jsonPath: ".spec.userRef.name" },
    { name: "Group", type: "string", jsonPath: ".spec.groupRef.name" },
    { name: "Roles", type: "string", jsonPath: ".spec.roles" },
    { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
  selectableFields: ["spec.organizationRef.name", "spec.userRef.name"],
} as const satisfies KindDefinition;

export type OrganizationMembership = TenantObject<typeof schema>;

export const parseOrganizationMembership = tenantParser(organizationMembershipDefinition);
