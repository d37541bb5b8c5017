import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";

const text = { type: "string" } as const satisfies Schema;
const time = { type: "string", format: "date-time" } as const satisfies Schema;
const textMap = { type: "object", additionalProperties: text } as const satisfies Schema;

const ownerReference = {
  type: "object",
  "x-kubernetes-map-type": "atomic",
  properties: {
    apiVersion: { ...text, default: "" },
    blockOwnerDeletion: { type: "boolean" },
    controller: { type: "boolean" },
    kind: { ...text, default: "" },
    name: { ...text, default: "" },
    uid: { ...text, default: "" },
  },
} as const satisfies Schema;

const managedFieldsEntry = {
  type: "object",
  properties: {
    apiVersion: text,
    fieldsType: text,
    fieldsV1: { type: "object" },
    manager: text,
    operation: text,
    subresource: text,
    time,
  },
} as const satisfies Schema;

/** The merge schema of metadata; the schemas of kinds do not affect it. */
export const objectMetaSchema = {
  type: "object",
  properties: {
    annotations: textMap,
    creationTimestamp: time,
    deletionGracePeriodSeconds: { type: "integer", format: "int64" },
    deletionTimestamp: time,
    finalizers: {
      type: "array",
      items: text,
      "x-kubernetes-list-type": "set",
      "x-kubernetes-patch-strategy": "merge",
    },
    generateName: text,
    generation: { type: "integer", format: "int64" },
    labels: textMap,
    managedFields: { type: "array", items: managedFieldsEntry, "x-kubernetes-list-type": "atomic" },
    name: text,
    namespace: text,
    ownerReferences: {
      type: "array",
      items: ownerReference,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["uid"],
      "x-kubernetes-patch-strategy": "merge",
      "x-kubernetes-patch-merge-key": "uid",
    },
    resourceVersion: text,
    selfLink: text,
    uid: text,
  },
} as const satisfies Schema;

/** The schema of a whole object, or of an embedded one, with the common fields added. */
export function withMetadata(schema: Schema): Schema {
  return {
    ...schema,
    properties: { ...schema.properties, apiVersion: text, kind: text, metadata: objectMetaSchema },
  };
}
