import type { Infer } from "@milo-quota/kubernetes/schema/infer.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { groupSchema, kindSchema } from "./consumer-ref.ts";

/** A text that may contain `{{ … }}` actions. */
export const templateSchema = { type: "string", maxLength: 1024 } as const satisfies Schema;

export const templateMetadataSchema = {
  type: "object",
  description: "Template of the metadata of the created object.",
  properties: {
    name: {
      ...templateSchema,
      description: "Template of the name. Defaults to a name that is the same for every retry.",
    },
    generateName: { ...templateSchema, description: "Template of the prefix of a generated name." },
    namespace: {
      ...templateSchema,
      description: "Template of the namespace. Defaults to the namespace of the trigger object.",
    },
    labels: {
      type: "object",
      maxProperties: 64,
      additionalProperties: { type: "string", maxLength: 63, pattern: "^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$" },
      description: "Labels of the created object. Values are literal, not templates.",
    },
    annotations: {
      type: "object",
      maxProperties: 64,
      additionalProperties: templateSchema,
      description: "Annotations of the created object. Values are templates.",
    },
  },
} as const satisfies Schema;

/** The kind of the consumer is literal, its name is a template. */
export const consumerTemplateSchema = {
  type: "object",
  required: ["kind", "name"],
  properties: {
    apiGroup: { ...groupSchema, description: "API group of the consumer. Empty for the core group." },
    kind: { ...kindSchema, description: "Kind of the consumer, such as Organization." },
    name: { ...templateSchema, minLength: 1, description: "Name of the consumer, as a template." },
    namespace: { ...templateSchema, description: "Namespace of the consumer, as a template." },
  },
} as const satisfies Schema;

/** Undefined fields get a default. */
export interface MetadataTemplate {
  readonly name: string | undefined;
  readonly generateName: string | undefined;
  readonly namespace: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Empty strings count as unset. */
export function readMetadataTemplate(metadata: Infer<typeof templateMetadataSchema> = {}): MetadataTemplate {
  const { name, generateName, namespace, labels = {}, annotations = {} } = metadata;
  return {
    name: name || undefined,
    generateName: generateName || undefined,
    namespace: namespace || undefined,
    labels,
    annotations,
  };
}

export interface ConsumerTemplate {
  readonly apiGroup: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

export function readConsumerTemplate(consumer: Infer<typeof consumerTemplateSchema>): ConsumerTemplate {
  const { apiGroup = "", kind, name, namespace = "" } = consumer;
  return { apiGroup, kind, name, namespace };
}
