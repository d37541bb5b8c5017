import { cases } from "../case.ts";
import { at, created, list, one } from "./one-config-map.ts";

export const createCases = cases("create", {
  "an object": [{ method: "POST", path: list, body: one }],
  "without apiVersion and kind": [{ method: "POST", path: list, body: { metadata: { name: "one" } } }],
  "an existing name": [created, { method: "POST", path: list, body: one }],
  "a generated name": [{ method: "POST", path: list, body: { metadata: { generateName: "generated-" } } }],
  "neither name nor generateName": [{ method: "POST", path: list, body: { metadata: {} } }],
  "no metadata": [{ method: "POST", path: list, body: { data: { a: "1" } } }],
  "metadata null": [{ method: "POST", path: list, body: { metadata: null } }],
  "an invalid name": [{ method: "POST", path: list, body: { metadata: { name: "Not_A_Name" } } }],
  "an invalid generateName": [{ method: "POST", path: list, body: { metadata: { generateName: "Bad_" } } }],
  "a name that is too long": [{ method: "POST", path: list, body: { metadata: { name: "a".repeat(254) } } }],
  "a name with a slash": [{ method: "POST", path: list, body: { metadata: { name: "a/b" } } }],
  "a resourceVersion": [{ method: "POST", path: list, body: { metadata: { name: "one", resourceVersion: "5" } } }],
  "in another namespace than the path": [
    { method: "POST", path: list, body: { metadata: { name: "one", namespace: "default" } } },
  ],
  "in a missing namespace": [{ method: "POST", path: "/api/v1/namespaces/nowhere-at-all/configmaps", body: one }],
  "with uid and timestamps": [
    {
      method: "POST",
      path: list,
      body: { metadata: { name: "one", uid: "abc", creationTimestamp: "2001-01-01T00:00:00Z", generation: 7 } },
    },
  ],
  "an invalid label key": [{ method: "POST", path: list, body: { metadata: { name: "one", labels: { "a b": "c" } } } }],
  "an invalid label value": [
    { method: "POST", path: list, body: { metadata: { name: "one", labels: { ok: "not ok!" } } } },
  ],
  "a label that is not a string": [
    { method: "POST", path: list, body: { metadata: { name: "one", labels: { a: 1 } } } },
  ],
  "an invalid annotation key": [
    { method: "POST", path: list, body: { metadata: { name: "one", annotations: { "/": "x" } } } },
  ],
  "annotations too large": [
    { method: "POST", path: list, body: { metadata: { name: "one", annotations: { a: "x".repeat(300_000) } } } },
  ],
  "an invalid finalizer": [
    { method: "POST", path: list, body: { metadata: { name: "one", finalizers: ["not a name"] } } },
  ],
  "conflicting finalizers": [
    { method: "POST", path: list, body: { metadata: { name: "one", finalizers: ["orphan", "foregroundDeletion"] } } },
  ],
  "an owner without a uid": [
    {
      method: "POST",
      path: list,
      body: { metadata: { name: "one", ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "x" }] } },
    },
  ],
  "data that is not a string": [{ method: "POST", path: list, body: { metadata: { name: "one" }, data: { a: 1 } } }],
  "data that is not a map": [{ method: "POST", path: list, body: { metadata: { name: "one" }, data: "x" } }],
  "an invalid key": [{ method: "POST", path: list, body: { metadata: { name: "one" }, data: { "a b": "x" } } }],
  "a key in data and binaryData": [
    { method: "POST", path: list, body: { metadata: { name: "one" }, data: { a: "x" }, binaryData: { a: "eA==" } } },
  ],
  "binaryData that is not base64": [
    { method: "POST", path: list, body: { metadata: { name: "one" }, binaryData: { a: "!" } } },
  ],
  "an unknown field, ignored": [
    { method: "POST", path: `${list}?fieldValidation=Ignore`, body: { ...one, spec: { a: 1 }, nope: 2 } },
  ],
  "an unknown field with a warning": [{ method: "POST", path: list, body: { ...one, spec: { a: 1 }, nope: 2 } }],
  "an unknown field, rejected": [
    { method: "POST", path: `${list}?fieldValidation=Strict`, body: { ...one, spec: { a: 1 }, nope: 2 } },
  ],
  "an unknown field in metadata, rejected": [
    { method: "POST", path: `${list}?fieldValidation=Strict`, body: { metadata: { name: "one", nope: 1 } } },
  ],
  "a duplicate field with a warning": [
    { method: "POST", path: list, body: '{"metadata":{"name":"one"},"data":{"a":"1","a":"2"}}' },
  ],
  "a duplicate field, rejected": [
    {
      method: "POST",
      path: `${list}?fieldValidation=Strict`,
      body: '{"metadata":{"name":"one"},"data":{"a":"1","a":"2"}}',
    },
  ],
  "an invalid fieldValidation value": [{ method: "POST", path: `${list}?fieldValidation=Maybe`, body: one }],
  "a dry run": [
    { method: "POST", path: `${list}?dryRun=All`, body: one },
    { method: "GET", path: at },
  ],
  "an invalid dryRun value": [{ method: "POST", path: `${list}?dryRun=Some`, body: one }],
  "a field manager that is too long": [{ method: "POST", path: `${list}?fieldManager=${"m".repeat(129)}`, body: one }],
  nothing: [{ method: "POST", path: list, body: "" }],
  "invalid JSON": [{ method: "POST", path: list, body: "{x" }],
  "a list": [{ method: "POST", path: list, body: "[]" }],
  null: [{ method: "POST", path: list, body: "null" }],
  "a number": [{ method: "POST", path: list, body: "5" }],
  "another kind": {
    steps: [{ method: "POST", path: list, body: { ...one, kind: "Secret" } }],
    mayDiffer: {
      "[0].body.message": "Kubernetes decodes the object as its own kind and reports its data",
    },
  },
  "an unknown version": [{ method: "POST", path: list, body: { ...one, apiVersion: "v2" } }],
  "an unknown kind": [{ method: "POST", path: list, body: { ...one, kind: "Nope" } }],
  YAML: [
    {
      method: "POST",
      path: list,
      contentType: "application/yaml",
      body: "metadata:\n  name: one\ndata:\n  a: '1'\n",
    },
  ],
  "an unsupported media type": {
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
  "an object": [created, { method: "GET", path: at }],
  "a missing object": [{ method: "GET", path: at }],
  "metadata only": [
    created,
    { method: "GET", path: at, accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1" },
  ],
  "as a table": [created, { method: "GET", path: at, accept: "application/json;as=Table;g=meta.k8s.io;v=v1" }],
  "as a table with objects": [
    created,
    {
      method: "GET",
      path: `${list}?includeObject=Object`,
      accept: "application/json;as=Table;g=meta.k8s.io;v=v1",
    },
  ],
  "as a table with an invalid includeObject": [
    created,
    { method: "GET", path: `${at}?includeObject=All`, accept: "application/json;as=Table;g=meta.k8s.io;v=v1" },
  ],
  "as YAML": [created, { method: "GET", path: at, accept: "application/yaml" }],
  "in an unsupported form": {
    steps: [created, { method: "GET", path: at, accept: "text/html" }],
    mayDiffer: { "[0].body.message": "this server reads protobuf but does not write it" },
  },
  "in one of several forms": [created, { method: "GET", path: at, accept: "text/html, application/json;q=0.5" }],
  "at a future revision": [created, { method: "GET", path: `${at}?resourceVersion=999999999` }],
  "by HEAD": [created, { method: "HEAD", path: at }],
  "with an unsupported method": [{ method: "OPTIONS", path: at }],
});

export const listCases = cases("list", {
  "existing objects": [created, { method: "GET", path: list }],
  nothing: [{ method: "GET", path: list }],
  "of a missing namespace": [{ method: "GET", path: "/api/v1/namespaces/nowhere-at-all/configmaps" }],
  "by label": [
    { method: "POST", path: list, body: { metadata: { name: "a", labels: { x: "1" } } }, unseen: true },
    { method: "POST", path: list, body: { metadata: { name: "b", labels: { x: "2" } } }, unseen: true },
    { method: "GET", path: `${list}?labelSelector=x%3D1` },
    { method: "GET", path: `${list}?labelSelector=x%20in%20(1,2),!y` },
    { method: "GET", path: `${list}?labelSelector=x!%3D1` },
    { method: "GET", path: `${list}?labelSelector=y` },
  ],
  "by an invalid label selector": [{ method: "GET", path: `${list}?labelSelector=a%3D%3D%3D` }],
  "by an invalid label value": [{ method: "GET", path: `${list}?labelSelector=a%3D-b` }],
  "by name": [created, { method: "GET", path: `${list}?fieldSelector=metadata.name%3Done` }],
  "by another name": [created, { method: "GET", path: `${list}?fieldSelector=metadata.name!%3Done` }],
  "by an unknown field": [{ method: "GET", path: `${list}?fieldSelector=data.a%3D1` }],
  "by an invalid field selector": [{ method: "GET", path: `${list}?fieldSelector=metadata.name` }],
  "in pages": [
    ...["a", "b", "c"].map(
      (name) => ({ method: "POST", path: list, body: { metadata: { name } }, unseen: true }) as const,
    ),
    { method: "GET", path: `${list}?limit=2`, keep: { more: "metadata.continue" } },
    { method: "GET", path: `${list}?limit=2&continue={more}` },
  ],
  "in a page that is large enough": [created, { method: "GET", path: `${list}?limit=5` }],
  "with an invalid limit": [{ method: "GET", path: `${list}?limit=abc` }],
  "with an invalid continue token": [{ method: "GET", path: `${list}?continue=abc` }],
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
  "at an invalid revision": [{ method: "GET", path: `${list}?resourceVersion=abc` }],
  "at a future revision": [{ method: "GET", path: `${list}?resourceVersion=999999999` }],
  "with resourceVersionMatch and no revision": [{ method: "GET", path: `${list}?resourceVersionMatch=Exact` }],
  "with an invalid resourceVersionMatch": [
    { method: "GET", path: `${list}?resourceVersion=1&resourceVersionMatch=Maybe` },
  ],
  "exactly at any revision": [{ method: "GET", path: `${list}?resourceVersion=0&resourceVersionMatch=Exact` }],
  "with initial events": [{ method: "GET", path: `${list}?sendInitialEvents=true` }],
  "metadata only": [
    created,
    { method: "GET", path: list, accept: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1" },
  ],
  "as a table": [created, { method: "GET", path: list, accept: "application/json;as=Table;g=meta.k8s.io;v=v1" }],
});

export const updateCases = cases("update", {
  "an object": [created, { method: "PUT", path: at, body: { ...one, data: { a: "2" } } }],
  "without changes": [created, { method: "PUT", path: at, body: one }],
  "a missing object": [{ method: "PUT", path: at, body: one }],
  "with the current resource version": [
    { method: "POST", path: list, body: one, keep: { seen: "metadata.resourceVersion" }, unseen: true },
    { method: "PUT", path: at, body: { ...one, metadata: { name: "one", resourceVersion: "{seen}" }, data: {} } },
  ],
  "with an old resource version": [
    { method: "POST", path: list, body: one, keep: { seen: "metadata.resourceVersion" }, unseen: true },
    { method: "PUT", path: at, body: { ...one, data: { a: "2" } }, unseen: true },
    { method: "PUT", path: at, body: { ...one, metadata: { name: "one", resourceVersion: "{seen}" } } },
  ],
  "with an invalid resource version": [
    created,
    { method: "PUT", path: at, body: { ...one, metadata: { name: "one", resourceVersion: "abc" } } },
  ],
  "with another uid": [
    created,
    {
      method: "PUT",
      path: at,
      body: { ...one, metadata: { name: "one", uid: "6a9a1e6b-0000-4000-8000-000000000000" } },
    },
  ],
  "with another name": [created, { method: "PUT", path: at, body: { ...one, metadata: { name: "two" } } }],
  "without a name": [created, { method: "PUT", path: at, body: { data: {} } }],
  "in another namespace": [
    created,
    { method: "PUT", path: at, body: { ...one, metadata: { name: "one", namespace: "default" } } },
  ],
  "with timestamps": [
    created,
    {
      method: "PUT",
      path: at,
      body: { ...one, metadata: { name: "one", creationTimestamp: "2001-01-01T00:00:00Z", generation: 9 } },
    },
  ],
  "a dry run": [
    created,
    { method: "PUT", path: `${at}?dryRun=All`, body: { ...one, data: { a: "2" } } },
    { method: "GET", path: at },
  ],
  "an immutable one": [
    { method: "POST", path: list, body: { ...one, immutable: true }, unseen: true },
    { method: "PUT", path: at, body: { ...one, immutable: true, data: { a: "2" } } },
    { method: "PUT", path: at, body: one },
    { method: "PUT", path: at, body: { ...one, immutable: true, metadata: { name: "one", labels: { a: "b" } } } },
  ],
  "a missing status subresource": [created, { method: "PUT", path: `${at}/status`, body: one }],
  "the collection": [{ method: "PUT", path: list, body: one }],
});
