import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import type { Infer } from "@milo-quota/kubernetes/schema/infer.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";

export const groupSchema = {
  type: "string",
  maxLength: 253,
  pattern: "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?$",
} as const satisfies Schema;

export const kindSchema = {
  type: "string",
  minLength: 1,
  maxLength: 63,
  pattern: "^[A-Za-z][A-Za-z0-9]*$",
} as const satisfies Schema;

/** Any valid path segment name of Kubernetes: no `/` or `%`, and neither `.` nor `..`. */
export const nameSchema = {
  type: "string",
  minLength: 1,
  maxLength: 253,
  pattern: "^([^/%.][^/%]*|[.][^/%.][^/%]*|[.][.][^/%]+)$",
} as const satisfies Schema;

export const namespaceSchema = {
  type: "string",
  maxLength: 63,
  pattern: "^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$",
} as const satisfies Schema;

export const consumerRefSchema = {
  type: "object",
  description: "Who uses the quota: an organization, a project, a namespace, or an object of any other kind.",
  required: ["kind", "name"],
  properties: {
    apiGroup: {
      ...groupSchema,
      description: "API group of the consumer, such as resourcemanager.miloapis.com. Empty for the core group.",
    },
    kind: { ...kindSchema, description: "Kind of the consumer, such as Organization." },
    name: { ...nameSchema, description: "Name of the consumer, such as acme-corp." },
    namespace: {
      ...namespaceSchema,
      description: "Namespace of the consumer. Leave empty for a consumer that is not in one, such as an Organization.",
    },
  },
} as const satisfies Schema;

/** A user of quota. Optional fields of the API are empty strings. */
export interface ConsumerRef {
  readonly apiGroup: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export interface GroupKind {
  readonly apiGroup: string;
  readonly kind: string;
}

export function readConsumerRef(value: Infer<typeof consumerRefSchema>): ConsumerRef {
  const { apiGroup = "", kind, namespace = "", name } = value;
  return { apiGroup, kind, namespace, name };
}

/** Unique for each consumer, because no part can contain a slash. */
export function consumerKey({ apiGroup, kind, namespace, name }: ConsumerRef): string {
  return `${apiGroup}/${kind}/${namespace}/${name}`;
}

/** `Organization "acme-corp"`, as messages name a consumer. */
export function consumerText({ kind, namespace, name }: ConsumerRef): string {
  return namespace === "" ? `${kind} ${quote(name)}` : `${kind} ${quote(name)} in namespace ${quote(namespace)}`;
}

export function sameGroupKind(left: GroupKind, right: GroupKind): boolean {
  return left.apiGroup === right.apiGroup && left.kind === right.kind;
}

/** `Project.resourcemanager.miloapis.com`, or `Pod` in the core group. */
export function groupKindText({ apiGroup, kind }: GroupKind): string {
  return apiGroup === "" ? kind : `${kind}.${apiGroup}`;
}
