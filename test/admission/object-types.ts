import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";

const core = (plural: string, scope: ResourceType["scope"] = "Namespaced"): ResourceType => ({
  group: "",
  version: "v1",
  plural,
  scope,
});

export const configMapsType = core("configmaps");
export const eventsType = core("events");
export const namespacesType = core("namespaces", "Cluster");
export const definitionsType: ResourceType = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  scope: "Cluster",
};
/** A kind with two served versions, a size and a scale subresource. */
export const shipsType: ResourceType = { group: "fleet.example", version: "v1", plural: "ships", scope: "Namespaced" };

const shipVersion = (name: string, storage: boolean) => ({
  name,
  served: true,
  storage,
  schema: {
    openAPIV3Schema: {
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: { size: { type: "integer" }, replicas: { type: "integer" }, note: { type: "string" } },
        },
        status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      },
    },
  },
  subresources: {
    status: {},
    scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
  },
});

export const shipsDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "ships.fleet.example" },
  spec: {
    group: "fleet.example",
    scope: "Namespaced",
    names: { plural: "ships", singular: "ship", kind: "Ship", listKind: "ShipList" },
    versions: [shipVersion("v1", true), shipVersion("v1beta1", false)],
  },
};
