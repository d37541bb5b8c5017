import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";

const stringMap = { type: "object", additionalProperties: { type: "string" } } as const satisfies Schema;

/** The types of metadata fields. The API server validates their values. */
export const metadataSchema = {
  type: "object",
  properties: {
    metadata: {
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
      properties: {
        name: { type: "string" },
        generateName: { type: "string" },
        namespace: { type: "string" },
        uid: { type: "string" },
        resourceVersion: { type: "string" },
        generation: { type: "integer" },
        creationTimestamp: { type: "string", nullable: true },
        deletionTimestamp: { type: "string" },
        labels: stringMap,
        annotations: stringMap,
        finalizers: { type: "array", items: { type: "string" } },
        ownerReferences: {
          type: "array",
          items: {
            type: "object",
            required: ["apiVersion", "kind", "name", "uid"],
            properties: {
              apiVersion: { type: "string" },
              kind: { type: "string" },
              name: { type: "string" },
              uid: { type: "string" },
              controller: { type: "boolean" },
              blockOwnerDeletion: { type: "boolean" },
            },
          },
        },
      },
    },
  },
} as const satisfies Schema;
