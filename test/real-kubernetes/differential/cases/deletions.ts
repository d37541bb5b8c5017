import { cases } from "../case.ts";
import { at, list, made, one } from "./one-config-map.ts";

export const deleteCases = cases("delete", {
  "an object": [made, { method: "DELETE", path: at }, { method: "GET", path: at }],
  "one that is not there": [{ method: "DELETE", path: at }],
  "by its uid": [
    { method: "POST", path: list, body: one, keep: { id: "metadata.uid" }, unseen: true },
    { method: "DELETE", path: at, body: { preconditions: { uid: "{id}" } } },
  ],
  "by another uid": [
    made,
    { method: "DELETE", path: at, body: { preconditions: { uid: "6a9a1e6b-0000-4000-8000-000000000000" } } },
  ],
  "by another version": [made, { method: "DELETE", path: at, body: { preconditions: { resourceVersion: "1" } } }],
  "a dry run": [made, { method: "DELETE", path: `${at}?dryRun=All` }, { method: "GET", path: at }],
  "by a bad policy": [made, { method: "DELETE", path: `${at}?propagationPolicy=Sideways` }],
  "by two policies": [
    made,
    { method: "DELETE", path: at, body: { orphanDependents: true, propagationPolicy: "Orphan" } },
  ],
  "by something that is no policy": [
    made,
    { method: "DELETE", path: at, body: { kind: "ConfigMap", apiVersion: "v1" } },
  ],
  "one with a finalizer": [
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
  "and leave dependents": [
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
  "what an absent owner owns": [
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
  "what one of two owners owns": [
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
  "a namespace and all in it": [
    { method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: "{ns}-inner" } } },
    { method: "POST", path: "/api/v1/namespaces/{ns}-inner/configmaps", body: one, unseen: true },
    { method: "DELETE", path: "/api/v1/namespaces/{ns}-inner" },
    { method: "GET", path: "/api/v1/namespaces/{ns}-inner", until: 404 },
    { method: "GET", path: "/api/v1/namespaces/{ns}-inner/configmaps/one" },
  ],
  "a namespace that has to stay": [{ method: "DELETE", path: "/api/v1/namespaces/default" }],
});
