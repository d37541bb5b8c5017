const schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        size: { type: "integer", minimum: 0, default: 1 },
        parts: { type: "array", items: { type: "string" } },
      },
    },
    status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  },
} as const;

/** A namespaced kind with a status. */
export const widgetDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
    versions: [
      { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, subresources: { status: {} } },
    ],
  },
} as const;

export function widgets(namespace: string): string {
  return `/apis/example.com/v1/namespaces/${namespace}/widgets`;
}

export function widget(name: string, more: object = {}): object {
  return { apiVersion: "example.com/v1", kind: "Widget", metadata: { name }, ...more };
}
