import { compileSchema } from "../../schema/compiled-schema.ts";
import type { Schema } from "../../schema/structural-schema.ts";

const text = { type: "string" } as const satisfies Schema;
const texts = { type: "object", additionalProperties: text } as const satisfies Schema;
const time = { type: "string", format: "date-time", nullable: true } as const satisfies Schema;

/** The metadata of every object; fields that are not here do not exist. */
const metadataSchema = {
  type: "object",
  properties: {
    name: text,
    generateName: text,
    namespace: text,
    selfLink: text,
    uid: text,
    resourceVersion: text,
    generation: { type: "integer", format: "int64" },
    creationTimestamp: time,
    deletionTimestamp: time,
    deletionGracePeriodSeconds: { type: "integer", format: "int64" },
    labels: texts,
    annotations: texts,
    ownerReferences: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["uid"],
      "x-kubernetes-patch-merge-key": "uid",
      "x-kubernetes-patch-strategy": "merge",
      items: {
        type: "object",
        "x-kubernetes-map-type": "atomic",
        properties: {
          apiVersion: text,
          kind: text,
          name: text,
          uid: text,
          controller: { type: "boolean" },
          blockOwnerDeletion: { type: "boolean" },
        },
      },
    },
    finalizers: {
      type: "array",
      "x-kubernetes-list-type": "set",
      "x-kubernetes-patch-strategy": "merge",
      items: text,
    },
    managedFields: {
      type: "array",
      "x-kubernetes-list-type": "atomic",
      items: {
        type: "object",
        properties: {
          manager: text,
          operation: text,
          apiVersion: text,
          time,
          fieldsType: text,
          fieldsV1: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
          subresource: text,
        },
      },
    },
  },
} as const satisfies Schema;

export const compiledMetadata = compileSchema(metadataSchema);
