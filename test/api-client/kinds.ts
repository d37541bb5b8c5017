// The kinds of the client suites: a built-in kind and a custom one.
import type { Parsed } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { KubernetesObject, ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";

export interface ConfigMap extends KubernetesObject {
  readonly data?: Readonly<Record<string, string>>;
}

export interface Widget extends KubernetesObject {
  readonly spec: { readonly amount: number | bigint };
  readonly status?: { readonly phase?: string };
}

/** Checks only the metadata, which is enough for tests. */
function stored<Kind extends KubernetesObject>(kind: string): (value: JsonValue) => Parsed<Kind> {
  return (value) => {
    if (isJsonObject(value) && value["kind"] === kind) return { ok: true, value: value as unknown as Kind };
    return { ok: false, issues: [{ type: "FieldValueInvalid", field: "kind", message: `must be ${kind}` }] };
  };
}

export const parseConfigMap = stored<ConfigMap>("ConfigMap");
export const parseWidget = stored<Widget>("Widget");

export function parseAny(value: JsonValue): Parsed<JsonObject & { readonly metadata: ObjectMeta }> {
  return { ok: true, value: value as JsonObject & { readonly metadata: ObjectMeta } };
}

export const configMaps = { group: "", version: "v1", plural: "configmaps", scope: "Namespaced" } as const;
export const namespaces = { group: "", version: "v1", plural: "namespaces", scope: "Cluster" } as const;
export const widgets = { group: "client.example.com", version: "v1", plural: "widgets", scope: "Namespaced" } as const;
export const definitions = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  scope: "Cluster",
} as const;

export const widgetDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.client.example.com" },
  spec: {
    group: "client.example.com",
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: { type: "object", properties: { amount: { type: "integer", format: "int64" } } },
              status: { type: "object", properties: { phase: { type: "string" } } },
            },
          },
        },
      },
    ],
  },
};

export function configMap(namespace: string, name: string, data: Readonly<Record<string, string>> = {}): ConfigMap {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name }, data };
}
