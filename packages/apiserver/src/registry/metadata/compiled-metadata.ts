import { compileSchema } from "@milo-quota/kubernetes/schema/compiled-schema.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { objectMetaSchema } from "../patch/fields/object-meta-schema.ts";

const text = { type: "string" } as const satisfies Schema;
const flag = { type: "boolean" } as const satisfies Schema;
/** Clients send null for absent times. */
const time = { type: "string", format: "date-time", nullable: true } as const satisfies Schema;

const { managedFields, ownerReferences } = objectMetaSchema.properties;

/** Schema of the metadata that clients send: no defaults, and unknown fields are pruned. */
const metadataSchema: Schema = {
  type: "object",
  properties: {
    ...objectMetaSchema.properties,
    creationTimestamp: time,
    deletionTimestamp: time,
    ownerReferences: {
      ...ownerReferences,
      items: {
        type: "object",
        "x-kubernetes-map-type": "atomic",
        properties: { apiVersion: text, kind: text, name: text, uid: text, controller: flag, blockOwnerDeletion: flag },
      },
    },
    managedFields: {
      ...managedFields,
      items: {
        ...managedFields.items,
        properties: {
          ...managedFields.items.properties,
          time,
          fieldsV1: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        },
      },
    },
  },
};

export const compiledMetadata = compileSchema(metadataSchema);
