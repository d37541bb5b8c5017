import type { ResourceType } from "./resource-type.ts";

export const namespacesType: ResourceType = { group: "", version: "v1", plural: "namespaces", scope: "Cluster" };
