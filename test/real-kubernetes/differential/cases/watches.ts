import { cases, type Step } from "../case.ts";

const list = "/api/v1/namespaces/{ns}/configmaps";
const created = (name: string, labels: object = {}, keep: Record<string, string> = {}): Step => ({
  method: "POST",
  path: list,
  body: { metadata: { name, labels } },
  unseen: true,
  keep,
});
const short = "watch=true&timeoutSeconds=1";

export const watchCases = cases("watch", {
  "from now on": [created("a"), { method: "GET", path: `${list}?${short}` }],
  "from a revision": [
    created("a", {}, { seen: "metadata.resourceVersion" }),
    created("b"),
    { method: "PUT", path: `${list}/a`, body: { metadata: { name: "a" }, data: { x: "1" } }, unseen: true },
    { method: "DELETE", path: `${list}/b`, unseen: true },
    { method: "GET", path: `${list}?${short}&resourceVersion={seen}` },
  ],
  "one object": [
    created("a"),
    created("b"),
    { method: "GET", path: `${list}?${short}&fieldSelector=metadata.name%3Db` },
  ],
  "on the legacy path": [
    created("a"),
    { method: "GET", path: "/api/v1/watch/namespaces/{ns}/configmaps?timeoutSeconds=1" },
  ],
  "objects that start and stop matching": [
    created("a", { x: "1" }, { seen: "metadata.resourceVersion" }),
    { method: "PUT", path: `${list}/a`, body: { metadata: { name: "a" } }, unseen: true },
    { method: "PUT", path: `${list}/a`, body: { metadata: { name: "a", labels: { x: "1" } } }, unseen: true },
    { method: "PUT", path: `${list}/a`, body: { metadata: { name: "a", labels: { x: "1", y: "2" } } }, unseen: true },
    { method: "DELETE", path: `${list}/a`, unseen: true },
    { method: "GET", path: `${list}?${short}&resourceVersion={seen}&labelSelector=x%3D1` },
  ],
  "with initial events": [
    created("a"),
    {
      method: "GET",
      path: `${list}?${short}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    },
  ],
  "with initial events and no resourceVersionMatch": [
    { method: "GET", path: `${list}?${short}&sendInitialEvents=true&allowWatchBookmarks=true` },
  ],
  "with resourceVersionMatch and no initial events": [
    { method: "GET", path: `${list}?${short}&resourceVersionMatch=NotOlderThan&resourceVersion=1` },
  ],
  "from an invalid revision": [{ method: "GET", path: `${list}?${short}&resourceVersion=abc` }],
  "as a table": [
    created("a"),
    created("b"),
    { method: "GET", path: `${list}?${short}`, accept: "application/json;as=Table;g=meta.k8s.io;v=v1" },
  ],
  "metadata only": [
    created("a"),
    { method: "GET", path: `${list}?${short}`, accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1" },
  ],
  "with an invalid timeout": [{ method: "GET", path: `${list}?watch=true&timeoutSeconds=abc` }],
});
