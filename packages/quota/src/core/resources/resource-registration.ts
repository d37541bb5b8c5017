import { findCondition } from "@milo-quota/kubernetes/protocol/condition.ts";
import type { Parsed } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { type JsonValue, jsonEquals } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { Infer } from "@milo-quota/kubernetes/schema/infer.ts";
import type { KindDefinition } from "@milo-quota/kubernetes/schema/kind-definition.ts";
import type { Schema, ValidationRule } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { conditionsSchema, defaultCondition, observedGenerationSchema } from "./fields/conditions.ts";
import { type GroupKind, groupSchema, kindSchema } from "./fields/consumer-ref.ts";
import { dimensionsMax } from "./fields/dimensions.ts";
import { resourceTypeSchema } from "./fields/resource-type-schema.ts";
import type { Unit } from "./fields/units.ts";
import { field, has, items } from "./parsing/json-fields.ts";
import { acceptKind } from "./parsing/parse-kind.ts";
import { displayMetadata, quotaGroup, quotaVersion } from "./well-known.ts";

const registrationTypes = ["Entity", "Allocation", "Feature"] as const;
export type RegistrationType = (typeof registrationTypes)[number];

const consumerTypeSchema = {
  type: "object",
  required: ["apiGroup", "kind"],
  properties: {
    apiGroup: { ...groupSchema, description: "API group of the consumer's kind. Empty for the core group." },
    kind: { ...kindSchema, description: "Kind of the consumer, such as Organization." },
  },
} as const satisfies Schema;

const claimingResourceSchema = {
  type: "object",
  required: ["kind"],
  properties: {
    apiGroup: { ...groupSchema, description: "API group of the kind. Empty for the core group." },
    kind: { ...kindSchema, description: "Kind whose objects may claim, such as Project." },
  },
} as const satisfies Schema;

const consumerTypeParts = ["apiGroup", "kind"] as const;

const rules: readonly ValidationRule[] = [
  {
    rule: "has(self.consumerType) != has(self.consumerTypeRef)",
    message:
      "set exactly one of consumerType and consumerTypeRef, which are aliases (early manifests have ownerRef instead)",
    fieldPath: ".consumerType",
    holds: (self) => has(self, "consumerType") !== has(self, "consumerTypeRef"),
  },
  {
    rule: "self.type != 'Feature' || !has(self.claimingResources) || size(self.claimingResources) == 0",
    message: "a Feature cannot be claimed: remove claimingResources",
    reason: "FieldValueForbidden",
    fieldPath: ".claimingResources",
    holds: (self) => field(self, "type") !== "Feature" || items(field(self, "claimingResources")).length === 0,
  },
  ...["resourceType", "type", "baseUnit"].map(immutableField),
  {
    rule: consumerTypeParts
      .map((part) => `${consumerTypePart("self", part)} == ${consumerTypePart("oldSelf", part)}`)
      .join(" && "),
    message: "the consumer type is immutable, because grants and claims refer to it: register another resourceType",
    reason: "FieldValueForbidden",
    holds: (self, oldSelf) => sameConsumerType(self, oldSelf),
  },
  {
    rule: "!has(oldSelf.dimensions) || oldSelf.dimensions.all(d, has(self.dimensions) && d in self.dimensions)",
    message: "dimensions can be added but not removed, because grants and claims may use them",
    reason: "FieldValueForbidden",
    fieldPath: ".dimensions",
    holds: (self, oldSelf) => {
      const kept = items(field(self, "dimensions"));
      return items(field(oldSelf, "dimensions")).every((dimension) => kept.includes(dimension));
    },
  },
];

const specSchema = {
  type: "object",
  description: "The resource type, its units, its consumers and the kinds that may claim it.",
  required: ["resourceType", "type", "baseUnit"],
  properties: {
    resourceType: {
      ...resourceTypeSchema,
      description:
        "What is counted, by a name of your choosing, such as resourcemanager.miloapis.com/projects. Grants and claims " +
        "refer to it. Cannot be changed.",
    },
    type: {
      type: "string",
      enum: registrationTypes,
      description:
        "Entity counts objects. Allocation measures capacity such as CPU or storage. Feature is an entitlement: granted " +
        "above 0 means on, and nothing can claim it. Cannot be changed.",
    },
    consumerType: {
      ...consumerTypeSchema,
      description: "The kind that is granted this quota and uses it, such as Organization. Cannot be changed.",
    },
    consumerTypeRef: { ...consumerTypeSchema, description: "Alias of consumerType. Set only one of the two." },
    baseUnit: {
      type: "string",
      minLength: 1,
      maxLength: 50,
      description: "The unit all amounts are in, in the singular: project, millicore, byte. Cannot be changed.",
    },
    displayUnit: {
      type: "string",
      minLength: 1,
      maxLength: 50,
      description: "The unit shown to people, in the singular: project, core, GiB. Defaults to baseUnit.",
    },
    unitConversionFactor: {
      type: "integer",
      format: "int64",
      minimum: 1,
      description:
        "How many base units make one display unit: 1000 for millicores shown as cores, 1073741824 for bytes shown as " +
        "GiB. 1 when left out.",
    },
    description: {
      type: "string",
      maxLength: 500,
      description: "Description of the quota, for people. Defaults to the annotation kubernetes.io/description.",
    },
    claimingResources: {
      type: "array",
      maxItems: 20,
      "x-kubernetes-list-type": "atomic",
      items: claimingResourceSchema,
      description:
        "Kinds whose objects may take from this quota, in any version. When empty, only claims made by hand can take from it.",
    },
    dimensions: {
      type: "array",
      maxItems: dimensionsMax,
      "x-kubernetes-list-type": "set",
      items: {
        type: "string",
        minLength: 1,
        maxLength: 317,
        pattern:
          "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$",
      },
      description:
        "What the quota can be split by, such as networking.datumapis.com/location. Grants select by these names, claims " +
        "give values for them; any other name is rejected. More can be added later.",
    },
  },
  "x-kubernetes-validations": rules,
} as const satisfies Schema;

const pendingReason = "RegistrationPending";

const pendingRegistration = defaultCondition({
  type: "Active",
  status: "False",
  reason: pendingReason,
  message: "Awaiting validation",
});

const statusSchema = {
  type: "object",
  description: "Whether the registration can be used. Active is False until the quota system has validated it.",
  default: { conditions: [pendingRegistration] },
  properties: {
    observedGeneration: observedGenerationSchema,
    consumerType: {
      type: "object",
      description: "The consumer type, from consumerType or consumerTypeRef of the spec.",
      properties: {
        apiGroup: { type: "string", description: "API group of the consumer's kind." },
        kind: { type: "string", description: "Kind of the consumer, such as Organization." },
      },
    },
    conditions: conditionsSchema(
      { Active: ["RegistrationActive", "ValidationFailed", pendingReason] },
      "Active tells whether grants and claims can use this registration.",
    ),
  },
} as const satisfies Schema;

const schema = {
  type: "object",
  description:
    "Makes something countable: what it is called, in which unit, who is granted it and which kinds take from it. " +
    "People are shown the name in the annotation kubernetes.io/display-name, and the service in the label " +
    "services.miloapis.com/owner.",
  required: ["spec"],
  properties: { spec: specSchema, status: statusSchema },
} as const satisfies Schema;

export const resourceRegistrationDefinition = {
  group: quotaGroup,
  version: quotaVersion,
  kind: "ResourceRegistration",
  plural: "resourceregistrations",
  singular: "resourceregistration",
  shortNames: ["rreg"],
  categories: ["milo-quota"],
  scope: "Cluster",
  schema,
  printerColumns: [
    { name: "Resource Type", type: "string", jsonPath: ".spec.resourceType" },
    { name: "Type", type: "string", jsonPath: ".spec.type" },
    { name: "Consumer", type: "string", jsonPath: ".status.consumerType.kind" },
    { name: "Unit", type: "string", jsonPath: ".spec.baseUnit", priority: 1 },
    { name: "Active", type: "string", jsonPath: '.status.conditions[?(@.type=="Active")].status' },
    { name: "Reason", type: "string", jsonPath: '.status.conditions[?(@.type=="Active")].reason', priority: 1 },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
  selectableFields: [
    "spec.resourceType",
    "spec.consumerTypeRef.kind",
    "spec.consumerTypeRef.apiGroup",
    "status.consumerType.kind",
    "status.consumerType.apiGroup",
  ],
} as const satisfies KindDefinition;

export interface ResourceRegistration {
  readonly metadata: ObjectMeta;
  readonly resourceType: string;
  readonly type: RegistrationType;
  readonly consumerType: GroupKind;
  readonly unit: Unit;
  /** Empty without the annotation. */
  readonly displayName: string;
  readonly description: string;
  /** The service that it belongs to; empty without the label. */
  readonly owner: string;
  readonly claimingResources: readonly GroupKind[];
  readonly dimensions: readonly string[];
  readonly status: Infer<typeof statusSchema>;
}

const accept = acceptKind(resourceRegistrationDefinition);

export function parseResourceRegistration(value: unknown, old?: unknown): Parsed<ResourceRegistration> {
  const accepted = accept(value, old);
  if (!accepted.ok) return accepted;
  const { metadata, content } = accepted.value;
  const { spec, status } = content;
  const { annotations, labels } = metadata;
  const registration: ResourceRegistration = {
    metadata,
    resourceType: spec.resourceType,
    type: spec.type,
    consumerType: (spec.consumerType ?? spec.consumerTypeRef) as GroupKind,
    unit: unitOf(spec),
    displayName: annotations?.[displayMetadata.displayNameAnnotation] ?? "",
    description: spec.description ?? annotations?.[displayMetadata.descriptionAnnotation] ?? "",
    owner: labels?.[displayMetadata.ownerLabel] ?? "",
    claimingResources: (spec.claimingResources ?? []).map(({ apiGroup = "", kind }) => ({ apiGroup, kind })),
    dimensions: spec.dimensions ?? [],
    status,
  };
  return { ok: true, value: registration };
}

/** Whether the controller has not validated the registration yet. */
export function isPending({ status }: Pick<ResourceRegistration, "status">): boolean {
  const condition = findCondition(status.conditions, "Active");
  return condition === undefined || condition.status === "Unknown" || condition.reason === pendingReason;
}

function unitOf(spec: Infer<typeof specSchema>): Unit {
  return {
    baseUnit: spec.baseUnit,
    displayUnit: spec.displayUnit ?? spec.baseUnit,
    factor: BigInt(spec.unitConversionFactor ?? 1),
  };
}

function immutableField(name: string): ValidationRule {
  return {
    rule: `self.${name} == oldSelf.${name}`,
    message: `${name} is immutable, because grants and claims refer to it: register another resourceType`,
    reason: "FieldValueForbidden",
    fieldPath: `.${name}`,
    holds: (self, oldSelf) => jsonEquals(field(self, name) ?? null, field(oldSelf, name) ?? null),
  };
}

function consumerTypePart(variable: string, part: string): string {
  const written = (field: string): string => `has(${variable}.${field}) ? ${variable}.${field}.${part}`;
  return `(${written("consumerType")} : ${written("consumerTypeRef")} : "")`;
}

function sameConsumerType(self: JsonValue, oldSelf: JsonValue | undefined): boolean {
  const typeOf = (spec: JsonValue | undefined): JsonValue =>
    field(spec, "consumerType") ?? field(spec, "consumerTypeRef") ?? null;
  return consumerTypeParts.every((part) =>
    jsonEquals(field(typeOf(self), part) ?? null, field(typeOf(oldSelf), part) ?? null),
  );
}
