import type { KindDefinition } from "@milo-quota/kubernetes/schema/kind-definition.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { conditionsSchema, observedGenerationSchema } from "../../core/resources/fields/conditions.ts";
import { nameSchema } from "../../core/resources/fields/consumer-ref.ts";
import { unchanging } from "./name-rule.ts";
import { resourceManagerGroup, tenancyVersion } from "./tenancy-names.ts";
import { type TenantObject, tenantParser } from "./tenant-object.ts";

const schema = {
  type: "object",
  description: "Gives a user, or everybody in a group, rights in an organization and in the projects of it.",
  required: ["spec"],
  properties: {
    spec: {
      type: "object",
      required: ["organizationRef"],
      properties: {
        organizationRef: {
          type: "object",
          description:
            "The organization. It must be the one in whose namespace the membership is. May be left out by way of the " +
            "organization's own control plane, which fills it in. Cannot be changed.",
          required: ["name"],
          properties: { name: { ...nameSchema, description: "The name of the organization." } },
        },
        userRef: {
          type: "object",
          description: "The member. Cannot be changed.",
          required: ["name"],
          properties: { name: { ...nameSchema, description: "The name of a User, as which they authenticate." } },
        },
        groupRef: {
          type: "object",
          description: "A group whose members all are members, in place of userRef. Cannot be changed.",
          required: ["name"],
          properties: { name: { ...nameSchema, description: "The name of a group that users authenticate with." } },
        },
        roles: {
          type: "array",
          description:
            "view: see projects and what is in them, limits, usage and claims. admin: also make, change and delete " +
            "projects and what is in them, and manage memberships.",
          minItems: 1,
          maxItems: 2,
          "x-kubernetes-list-type": "set",
          items: { type: "string", enum: ["view", "admin"] },
          default: ["view"],
        },
      },
      "x-kubernetes-validations": [
        { rule: "has(self.userRef) != has(self.groupRef)", message: "give exactly one of userRef and groupRef" },
        {
          rule: "!has(self.groupRef) || !self.groupRef.name.startsWith('system:')",
          message: "groups that begin with system: are not for members",
          fieldPath: ".groupRef",
        },
        unchanging("organizationRef", "make another membership"),
        {
          rule: "has(self.userRef) == has(oldSelf.userRef) && (!has(self.userRef) || self.userRef == oldSelf.userRef)",
          message: "userRef cannot change: make another membership",
          reason: "FieldValueForbidden",
          fieldPath: ".userRef",
        },
        {
          rule: "!has(self.groupRef) || !has(oldSelf.groupRef) || self.groupRef == oldSelf.groupRef",
          message: "groupRef cannot change: make another membership",
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
          "Ready: whether the membership gives the rights that it says.",
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
