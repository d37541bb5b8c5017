import { cases } from "../case.ts";
import { at, list, made, one } from "./one-config-map.ts";

export const createCases = cases("create", {
  "an object": [{ method: "POST", path: list, body: one }],
  "without apiVersion and kind": [{ method: "POST", path: list, body: { metadata: { name: "one" } } }],
  "a name that is taken": [made, { method: "POST", path: list, body: one }],
  "a generated name": [{ method: "POST", path: list, body: { metadata: { generateName: "generated-" } } }],
  "neither name nor prefix": [{ method: "POST", path: list, body: { metadata: {} } }],
  "no metadata at all": [{ method: "POST", path: list, body: { data: { a: "1" } } }],
  "metadata null": [{ method: "POST", path: list, body: { metadata: null } }],
  "a bad name": [{ method: "POST", path: list, body: { metadata: { name: "Not_A_Name" } } }],
  "a bad prefix": [{ method: "POST", path: list, body: { metadata: { generateName: "Bad_" } } }],
  "a name that is too long": [{ method: "POST", path: list, body: { metadata: { name: "a".repeat(254) } } }],
  "a name with a slash": [{ method: "POST", path: list, body: { metadata: { name: "a/b" } } }],
  "a resourceVersion": [{ method: "POST", path: list, body: { metadata: { name: "one", resourceVersion: "5" } } }],
  "in another namespace than the path": [
    { method: "POST", path: list, body: { metadata: { name: "one", namespace: "default" } } },
  ],
  "in a namespace that does not exist": [
    { method: "POST", path: "/api/v1/namespaces/nowhere-at-all/configmaps", body: one },
  ],
  "with a uid and times of its own": [
    {
      method: "POST",
      path: list,
      body: { metadata: { name: "one", uid: "abc", creationTimestamp: "2001-01-01T00:00:00Z", generation: 7 } },
    },
  ],
  "a bad key of a label": [{ method: "POST", path: list, body: { metadata: { name: "one", labels: { "a b": "c" } } } }],
  "a bad value of a label": [
    { method: "POST", path: list, body: { metadata: { name: "one", labels: { ok: "not ok!" } } } },
  ],
  "a label that is no text": [{ method: "POST", path: list, body: { metadata: { name: "one", labels: { a: 1 } } } }],
  "bad annotation key": [
    { method: "POST", path: list, body: { metadata: { name: "one", annotations: { "/": "x" } } } },
  ],
  "annotations too large": [
    { method: "POST", path: list, body: { metadata: { name: "one", annotations: { a: "x".repeat(300_000) } } } },
  ],
  "a bad finalizer": [{ method: "POST", path: list, body: { metadata: { name: "one", finalizers: ["not a name"] } } }],
  "two finalizers that exclude each other": [
    { method: "POST", path: list, body: { metadata: { name: "one", finalizers: ["orphan", "foregroundDeletion"] } } },
  ],
  "an owner without a uid": [
    {
      method: "POST",
      path: list,
      body: { metadata: { name: "one", ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "x" }] } },
    },
  ],
  "data that is no text": [{ method: "POST", path: list, body: { metadata: { name: "one" }, data: { a: 1 } } }],
  "data that is no map": [{ method: "POST", path: list, body: { metadata: { name: "one" }, data: "x" } }],
  "a bad key": [{ method: "POST", path: list, body: { metadata: { name: "one" }, data: { "a b": "x" } } }],
  "a key in data and binaryData": [
    { method: "POST", path: list, body: { metadata: { name: "one" }, data: { a: "x" }, binaryData: { a: "eA==" } } },
  ],
  "binaryData that is no base64": [
    { method: "POST", path: list, body: { metadata: { name: "one" }, binaryData: { a: "!" } } },
  ],
  "an unknown field, ignored": [
    { method: "POST", path: `${list}?fieldValidation=Ignore`, body: { ...one, spec: { a: 1 }, nope: 2 } },
  ],
  "an unknown field, warned of": [{ method: "POST", path: list, body: { ...one, spec: { a: 1 }, nope: 2 } }],
  "an unknown field, refused": [
    { method: "POST", path: `${list}?fieldValidation=Strict`, body: { ...one, spec: { a: 1 }, nope: 2 } },
  ],
  "an unknown field in metadata, refused": [
    { method: "POST", path: `${list}?fieldValidation=Strict`, body: { metadata: { name: "one", nope: 1 } } },
  ],
  "a field twice, warned of": [
    { method: "POST", path: list, body: '{"metadata":{"name":"one"},"data":{"a":"1","a":"2"}}' },
  ],
  "a field twice, refused": [
    {
      method: "POST",
      path: `${list}?fieldValidation=Strict`,
      body: '{"metadata":{"name":"one"},"data":{"a":"1","a":"2"}}',
    },
  ],
  "a bad fieldValidation": [{ method: "POST", path: `${list}?fieldValidation=Maybe`, body: one }],
  "a dry run": [
    { method: "POST", path: `${list}?dryRun=All`, body: one },
    { method: "GET", path: at },
  ],
  "a bad dry run": [{ method: "POST", path: `${list}?dryRun=Some`, body: one }],
  "a field manager that is too long": [{ method: "POST", path: `${list}?fieldManager=${"m".repeat(129)}`, body: one }],
  nothing: [{ method: "POST", path: list, body: "" }],
  "no JSON": [{ method: "POST", path: list, body: "{x" }],
  "a list": [{ method: "POST", path: list, body: "[]" }],
  null: [{ method: "POST", path: list, body: "null" }],
  "a number": [{ method: "POST", path: list, body: "5" }],
  "another kind": {
    steps: [{ method: "POST", path: list, body: { ...one, kind: "Secret" } }],
    mayDiffer: {
      "[0].body.message": "Kubernetes reads the object as what it says it is, and complains about its data",
    },
  },
  "a version that is not there": [{ method: "POST", path: list, body: { ...one, apiVersion: "v2" } }],
  "a kind that is not there": [{ method: "POST", path: list, body: { ...one, kind: "Nope" } }],
  YAML: [
    {
      method: "POST",
      path: list,
      contentType: "application/yaml",
      body: "metadata:\n  name: one\ndata:\n  a: '1'\n",
    },
  ],
  "a media type nobody reads": {
    steps: [{ method: "POST", path: list, contentType: "text/plain", body: one }],
  },
  "invalid UTF-8": [
    {
      method: "POST",
      path: list,
      body: Buffer.concat([
        Buffer.from('{"metadata":{"name":"one"},"data":{"a":"'),
        Buffer.from([0xff]),
        Buffer.from('"}}'),
      ]),
    },
  ],
  "too large a body": [
    { method: "POST", path: list, body: { metadata: { name: "one" }, data: { a: "x".repeat(3_300_000) } } },
  ],
  "too large an object": [
    { method: "POST", path: list, body: { metadata: { name: "one" }, data: { a: "x".repeat(1_100_000) } } },
  ],
  "on the path of an object": [{ method: "POST", path: at, body: one }],
});

export const readCases = cases("read", {
  "an object": [made, { method: "GET", path: at }],
  "one that is not there": [{ method: "GET", path: at }],
  "its metadata": [
    made,
    { method: "GET", path: at, accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1" },
  ],
  "as a table": [made, { method: "GET", path: at, accept: "application/json;as=Table;g=meta.k8s.io;v=v1" }],
  "as a table with objects": [
    made,
    {
      method: "GET",
      path: `${list}?includeObject=Object`,
      accept: "application/json;as=Table;g=meta.k8s.io;v=v1",
    },
  ],
  "as a table with something else": [
    made,
    { method: "GET", path: `${at}?includeObject=All`, accept: "application/json;as=Table;g=meta.k8s.io;v=v1" },
  ],
  "as YAML": [made, { method: "GET", path: at, accept: "application/yaml" }],
  "as a form nobody has": {
    steps: [made, { method: "GET", path: at, accept: "text/html" }],
    mayDiffer: { "[0].body.message": "this server reads protobuf but does not write it" },
  },
  "as one of several forms": [made, { method: "GET", path: at, accept: "text/html, application/json;q=0.5" }],
  "at a revision of the future": [made, { method: "GET", path: `${at}?resourceVersion=999999999` }],
  "by HEAD": [made, { method: "HEAD", path: at }],
  "by a method nobody has": [{ method: "OPTIONS", path: at }],
});

export const listCases = cases("list", {
  "what is there": [made, { method: "GET", path: list }],
  nothing: [{ method: "GET", path: list }],
  "of a namespace that is not there": [{ method: "GET", path: "/api/v1/namespaces/nowhere-at-all/configmaps" }],
  "by label": [
    { method: "POST", path: list, body: { metadata: { name: "a", labels: { x: "1" } } }, unseen: true },
    { method: "POST", path: list, body: { metadata: { name: "b", labels: { x: "2" } } }, unseen: true },
    { method: "GET", path: `${list}?labelSelector=x%3D1` },
    { method: "GET", path: `${list}?labelSelector=x%20in%20(1,2),!y` },
    { method: "GET", path: `${list}?labelSelector=x!%3D1` },
    { method: "GET", path: `${list}?labelSelector=y` },
  ],
  "by a bad label selector": [{ method: "GET", path: `${list}?labelSelector=a%3D%3D%3D` }],
  "by a bad label value": [{ method: "GET", path: `${list}?labelSelector=a%3D-b` }],
  "by name": [made, { method: "GET", path: `${list}?fieldSelector=metadata.name%3Done` }],
  "by another name": [made, { method: "GET", path: `${list}?fieldSelector=metadata.name!%3Done` }],
  "by a field that is not there": [{ method: "GET", path: `${list}?fieldSelector=data.a%3D1` }],
  "by a bad field selector": [{ method: "GET", path: `${list}?fieldSelector=metadata.name` }],
  "in pages": [
    ...["a", "b", "c"].map(
      (name) => ({ method: "POST", path: list, body: { metadata: { name } }, unseen: true }) as const,
    ),
    { method: "GET", path: `${list}?limit=2`, keep: { more: "metadata.continue" } },
    { method: "GET", path: `${list}?limit=2&continue={more}` },
  ],
  "in a page that is large enough": [made, { method: "GET", path: `${list}?limit=5` }],
  "with a bad limit": [{ method: "GET", path: `${list}?limit=abc` }],
  "with a bad token": [{ method: "GET", path: `${list}?continue=abc` }],
  "at a revision": [
    {
      method: "POST",
      path: list,
      body: { metadata: { name: "a" } },
      keep: { seen: "metadata.resourceVersion" },
      unseen: true,
    },
    { method: "POST", path: list, body: { metadata: { name: "b" } }, unseen: true },
    { method: "GET", path: `${list}?resourceVersion={seen}&resourceVersionMatch=Exact` },
    { method: "GET", path: `${list}?resourceVersion={seen}&resourceVersionMatch=NotOlderThan` },
    { method: "GET", path: `${list}?resourceVersion=0` },
  ],
  "at a revision that is none": [{ method: "GET", path: `${list}?resourceVersion=abc` }],
  "at a revision of the future": [{ method: "GET", path: `${list}?resourceVersion=999999999` }],
  "with a match and no revision": [{ method: "GET", path: `${list}?resourceVersionMatch=Exact` }],
  "with a match that is none": [{ method: "GET", path: `${list}?resourceVersion=1&resourceVersionMatch=Maybe` }],
  "exactly at any revision": [{ method: "GET", path: `${list}?resourceVersion=0&resourceVersionMatch=Exact` }],
  "with initial events": [{ method: "GET", path: `${list}?sendInitialEvents=true` }],
  "metadata only": [
    made,
    { method: "GET", path: list, accept: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1" },
  ],
  "as a table": [made, { method: "GET", path: list, accept: "application/json;as=Table;g=meta.k8s.io;v=v1" }],
});

export const updateCases = cases("update", {
  "an object": [made, { method: "PUT", path: at, body: { ...one, data: { a: "2" } } }],
  "nothing about it": [made, { method: "PUT", path: at, body: one }],
  "one that is not there": [{ method: "PUT", path: at, body: one }],
  "by the version that is there": [
    { method: "POST", path: list, body: one, keep: { seen: "metadata.resourceVersion" }, unseen: true },
    { method: "PUT", path: at, body: { ...one, metadata: { name: "one", resourceVersion: "{seen}" }, data: {} } },
  ],
  "by a version that is old": [
    { method: "POST", path: list, body: one, keep: { seen: "metadata.resourceVersion" }, unseen: true },
    { method: "PUT", path: at, body: { ...one, data: { a: "2" } }, unseen: true },
    { method: "PUT", path: at, body: { ...one, metadata: { name: "one", resourceVersion: "{seen}" } } },
  ],
  "by a version that is none": [
    made,
    { method: "PUT", path: at, body: { ...one, metadata: { name: "one", resourceVersion: "abc" } } },
  ],
  "with another uid": [
    made,
    {
      method: "PUT",
      path: at,
      body: { ...one, metadata: { name: "one", uid: "6a9a1e6b-0000-4000-8000-000000000000" } },
    },
  ],
  "under another name": [made, { method: "PUT", path: at, body: { ...one, metadata: { name: "two" } } }],
  "without a name": [made, { method: "PUT", path: at, body: { data: {} } }],
  "in another namespace": [
    made,
    { method: "PUT", path: at, body: { ...one, metadata: { name: "one", namespace: "default" } } },
  ],
  "times of its own": [
    made,
    {
      method: "PUT",
      path: at,
      body: { ...one, metadata: { name: "one", creationTimestamp: "2001-01-01T00:00:00Z", generation: 9 } },
    },
  ],
  "a dry run": [
    made,
    { method: "PUT", path: `${at}?dryRun=All`, body: { ...one, data: { a: "2" } } },
    { method: "GET", path: at },
  ],
  "an immutable one": [
    { method: "POST", path: list, body: { ...one, immutable: true }, unseen: true },
    { method: "PUT", path: at, body: { ...one, immutable: true, data: { a: "2" } } },
    { method: "PUT", path: at, body: one },
    { method: "PUT", path: at, body: { ...one, immutable: true, metadata: { name: "one", labels: { a: "b" } } } },
  ],
  "a status that it has not": [made, { method: "PUT", path: `${at}/status`, body: one }],
  "the collection": [{ method: "PUT", path: list, body: one }],
});
