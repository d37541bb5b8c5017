// The quota of one namespace for contended kinds: widgets with two versions, ConfigMaps with two policies, Secrets with
// claims in another namespace, and more ServiceAccounts than the limit.

const apiVersion = "quota.miloapis.com/v1alpha1";
const consumerType = { apiGroup: "", kind: "Namespace" };
const inNamespace = { kind: "Namespace", name: "{{ trigger.metadata.namespace }}" };

export const types = {
  widgets: "example.com/widgets",
  maps: "core/configmaps",
  entries: "core/configmap-entries",
  secrets: "core/secrets",
  accounts: "core/serviceaccounts",
} as const;

/** Limits of the namespace. */
export const granted = { widgets: 1, maps: 3, entries: 4, secrets: 2, accounts: 1_000 } as const;

const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

export const widgetDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
    versions: ["v1", "v2"].map((name) => ({
      name,
      served: true,
      storage: name === "v1",
      schema: { openAPIV3Schema: anything },
    })),
  },
};

const registration = (name: string, resourceType: string, claiming: object, baseUnit: string): object => ({
  apiVersion,
  kind: "ResourceRegistration",
  metadata: { name },
  spec: { resourceType, type: "Entity", baseUnit, consumerType, claimingResources: [claiming] },
});

export const registrations: Readonly<Record<string, object>> = {
  widgets: registration("widgets", types.widgets, { apiGroup: "example.com", kind: "Widget" }, "widget"),
  maps: registration("maps", types.maps, { kind: "ConfigMap" }, "config map"),
  entries: registration("entries", types.entries, { kind: "ConfigMap" }, "entry"),
  secrets: registration("secrets", types.secrets, { kind: "Secret" }, "secret"),
  accounts: registration("accounts", types.accounts, { kind: "ServiceAccount" }, "account"),
};

const policy = (
  name: string,
  trigger: object,
  requests: readonly object[],
  metadata: object = {},
): readonly [string, object] => [
  name,
  {
    apiVersion,
    kind: "ClaimCreationPolicy",
    metadata: { name },
    spec: {
      trigger: { resource: trigger },
      target: { resourceClaimTemplate: { metadata, spec: { consumerRef: inNamespace, requests } } },
    },
  },
];

export const policies: Readonly<Record<string, object>> = Object.fromEntries([
  policy("widgets", { apiVersion: "example.com/v1", kind: "Widget" }, [{ resourceType: types.widgets, amount: 1 }]),
  policy("maps", { apiVersion: "v1", kind: "ConfigMap" }, [{ resourceType: types.maps, amount: 1 }]),
  policy("entries", { apiVersion: "v1", kind: "ConfigMap" }, [
    { resourceType: types.entries, amountExpression: "has(trigger.data) ? size(trigger.data) : 0" },
  ]),
  policy("secrets", { apiVersion: "v1", kind: "Secret" }, [{ resourceType: types.secrets, amount: 1 }], {
    namespace: "books",
  }),
  policy("accounts", { apiVersion: "v1", kind: "ServiceAccount" }, [{ resourceType: types.accounts, amount: 1 }]),
]);

export const grant = (namespace: string): object => ({
  apiVersion,
  kind: "ResourceGrant",
  metadata: { name: "all", namespace },
  spec: {
    consumerRef: { kind: "Namespace", name: namespace },
    allowances: Object.entries(types).map(([name, resourceType]) => ({
      resourceType,
      buckets: [{ amount: granted[name as keyof typeof granted] }],
    })),
  },
});

export const map = (name: string, ...keys: readonly string[]): object => ({
  metadata: { name },
  data: Object.fromEntries(keys.map((key) => [key, "x"])),
});

export const widget = (name: string, version: "v1" | "v2"): object => ({
  apiVersion: `example.com/${version}`,
  kind: "Widget",
  metadata: { name },
});
