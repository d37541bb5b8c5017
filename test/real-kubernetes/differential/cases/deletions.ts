import { cases } from "../case.ts";
import { at, created, list, one } from "./one-config-map.ts";

export const deleteCases = cases("delete", {
  "an object": [created, { method: "DELETE", path: at }, { method: "GET", path: at }],
  "a missing object": [{ method: "DELETE", path: at }],
  "with its uid": [
    { method: "POST", path: list, body: one, keep: { id: "metadata.uid" }, unseen: true },
    { method: "DELETE", path: at, body: { preconditions: { uid: "{id}" } } },
  ],
  "with another uid": [
    created,
    { method: "DELETE", path: at, body: { preconditions: { uid: "6a9a1e6b-0000-4000-8000-000000000000" } } },
  ],
  "with another resource version": [
    created,
    { method: "DELETE", path: at, body: { preconditions: { resourceVersion: "1" } } },
  ],
  "a dry run": [created, { method: "DELETE", path: `${at}?dryRun=All` }, { method: "GET", path: at }],
  "with an invalid policy": [created, { method: "DELETE", path: `${at}?propagationPolicy=Sideways` }],
  "with two policies": [
    created,
    { method: "DELETE", path: at, body: { orphanDependents: true, propagationPolicy: "Orphan" } },
  ],
  "with a policy of the wrong type": [
    created,
    { method: "DELETE", path: at, body: { kind: "ConfigMap", apiVersion: "v1" } },
  ],
  "an object with a finalizer": [
    { method: "POST", path: list, body: { metadata: { name: "one", finalizers: ["example.com/wait"] } }, unseen: true },
    { method: "DELETE", path: at },
    { method: "DELETE", path: at },
    { method: "POST", path: list, body: one },
    {
      method: "PUT",
      path: at,
      body: { metadata: { name: "one", finalizers: ["example.com/wait", "example.com/more"] } },
    },
    { method: "PUT", path: at, body: { metadata: { name: "one", finalizers: [] } } },
    { method: "GET", path: at },
  ],
  "dependents in the background": [
    { method: "POST", path: list, body: one, keep: { id: "metadata.uid" }, unseen: true },
    {
      method: "POST",
      path: list,
      body: {
        metadata: { name: "two", ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "one", uid: "{id}" }] },
      },
      unseen: true,
    },
    { method: "DELETE", path: at },
    { method: "GET", path: `${list}/two`, until: 404 },
  ],
  "dependents first": [
    { method: "POST", path: list, body: one, keep: { id: "metadata.uid" }, unseen: true },
    {
      method: "POST",
      path: list,
      body: {
        metadata: {
          name: "two",
          ownerReferences: [
            { apiVersion: "v1", kind: "ConfigMap", name: "one", uid: "{id}", blockOwnerDeletion: true },
          ],
        },
      },
      unseen: true,
    },
    { method: "DELETE", path: `${at}?propagationPolicy=Foreground` },
    { method: "GET", path: at, until: 404 },
    { method: "GET", path: `${list}/two`, until: 404 },
  ],
  "orphaning dependents": [
    { method: "POST", path: list, body: one, keep: { id: "metadata.uid" }, unseen: true },
    {
      method: "POST",
      path: list,
      body: {
        metadata: { name: "two", ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "one", uid: "{id}" }] },
      },
      unseen: true,
    },
    { method: "DELETE", path: `${at}?propagationPolicy=Orphan` },
    { method: "GET", path: at, until: 404 },
    { method: "GET", path: `${list}/two` },
  ],
  "a dependent of a missing owner": [
    {
      method: "POST",
      path: list,
      body: {
        metadata: {
          name: "two",
          ownerReferences: [
            { apiVersion: "v1", kind: "ConfigMap", name: "never", uid: "6a9a1e6b-0000-4000-8000-000000000000" },
          ],
        },
      },
      unseen: true,
    },
    { method: "GET", path: `${list}/two`, until: 404 },
  ],
  "a dependent of two owners": [
    { method: "POST", path: list, body: one, keep: { id: "metadata.uid" }, unseen: true },
    {
      method: "POST",
      path: list,
      body: { metadata: { name: "other" } },
      keep: { other: "metadata.uid" },
      unseen: true,
    },
    {
      method: "POST",
      path: list,
      body: {
        metadata: {
          name: "two",
          ownerReferences: [
            { apiVersion: "v1", kind: "ConfigMap", name: "one", uid: "{id}" },
            { apiVersion: "v1", kind: "ConfigMap", name: "other", uid: "{other}" },
          ],
        },
      },
      unseen: true,
    },
    { method: "DELETE", path: at },
    { method: "GET", path: `${list}/two`, untilWithout: '"name":"one"' },
  ],
  "a collection": [
    { method: "POST", path: list, body: { metadata: { name: "a", labels: { x: "1" } } }, unseen: true },
    { method: "POST", path: list, body: { metadata: { name: "b" } }, unseen: true },
    { method: "DELETE", path: `${list}?labelSelector=x` },
    { method: "GET", path: list },
  ],
  "a namespace with its objects": [
    { method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: "{ns}-inner" } } },
    { method: "POST", path: "/api/v1/namespaces/{ns}-inner/configmaps", body: one, unseen: true },
    { method: "DELETE", path: "/api/v1/namespaces/{ns}-inner" },
    { method: "GET", path: "/api/v1/namespaces/{ns}-inner", until: 404 },
    { method: "GET", path: "/api/v1/namespaces/{ns}-inner/configmaps/one" },
  ],
  "a protected namespace": [{ method: "DELETE", path: "/api/v1/namespaces/default" }],
});
