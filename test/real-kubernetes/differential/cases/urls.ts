import { gzipSync } from "node:zlib";
import { cases, type Step } from "../case.ts";
import { asMetadata, asTable, get, patch, post, put, remove, unseen } from "../steps.ts";

const maps = "/api/v1/namespaces/{ns}/configmaps";
const at = `${maps}/one`;
const one = { metadata: { name: "one" } };
const created = post(maps, one, unseen);
const send = (method: string, path: string): Step => ({ method, path });

export const urlCases = cases("URL", {
  "two slashes": [get("/api//v1/namespaces"), get(`/${maps}`), get(`${maps}//one`)],
  "a trailing slash": [created, get(`${maps}/`), get(`${at}/`)],
  "an escaped slash": [get(`${maps}/a%2Fb`), get("/api%2Fv1/namespaces/{ns}")],
  "dot segments": [get(`${maps}/..`), get(`${maps}/%2e%2e`), get("/api/v1/../v1/namespaces/{ns}/configmaps")],
  "an invalid escape": [get(`${maps}/a%zz`)],
  "upper case": [get("/API/v1/namespaces"), get("/api/v1/Namespaces/{ns}")],
  "an invalid name": [get(`${maps}/A_B`), get(`${maps}/%20`)],
  "an invalid namespace": [get("/api/v1/namespaces/A_B/configmaps"), post("/api/v1/namespaces/A_B/configmaps", one)],
  "a long URL": [get(`${maps}?labelSelector=a%20in%20(${"b,".repeat(3000)}c)`), get(`${maps}/${"a".repeat(3000)}`)],
  "unknown query parameters": [created, get(`${at}?nope=1&fieldManager=x&limit=x`)],
  "a duplicate parameter": [get(`${maps}?limit=1&limit=x`), get(`${maps}?labelSelector=a&labelSelector=%3D%3D`)],
  "an invalid query": [get(`${maps}?labelSelector=%zz`), get(`${maps}?a;b=c`)],
  "the legacy watch path of an object": [
    created,
    get("/api/v1/watch/namespaces/{ns}/configmaps/one?timeoutSeconds=1"),
    get("/api/v1/watch/namespaces/{ns}/configmaps/one?timeoutSeconds=1&fieldSelector=metadata.name%3Dtwo"),
  ],
  "extra segments": [get(`${at}/status`), get(`${at}/a/b/c`), get(`/api/v1/namespaces/{ns}/status/x`)],
  "the legacy proxy path": [get("/api/v1/proxy/namespaces/{ns}/pods/x")],
});

export const methodCases = cases("method", {
  HEAD: [created, send("HEAD", at), send("HEAD", maps), send("HEAD", "/healthz"), send("HEAD", `${maps}/nope`)],
  OPTIONS: [send("OPTIONS", maps), send("OPTIONS", "/healthz")],
  "unknown methods": [send("PROPFIND", at), send("TRACE", maps), send("LOCK", "/api")],
  "POST to a path without a collection": [
    post("/api/v1", {}),
    post("/healthz", {}),
    post("/version", {}),
    post("/apis/apps", {}),
  ],
  "PUT and PATCH of collections": [put(maps, one), patch("merge", maps, {}), put("/api/v1/namespaces", one)],
  "POST of an object": [post(at, one), post("/api/v1/namespaces/{ns}", one)],
  "DELETE of discovery": [{ ...send("DELETE", "/apis"), parts: ["kind", "apiVersion"] }, send("DELETE", "/api/v1")],
  "DELETE across namespaces": [send("DELETE", "/api/v1/configmaps")],
});

const gzipped = (body: object, headers: Readonly<Record<string, string>> = {}): Step => ({
  method: "POST",
  path: maps,
  body: gzipSync(JSON.stringify(body)),
  headers: { "content-encoding": "gzip", ...headers },
});

export const headerCases = cases("header", {
  "a body on a GET": [created, { method: "GET", path: at, body: { x: 1 } }, { method: "GET", path: at, body: "{x" }],
  "a body in gzip": [gzipped(one)],
  "an unknown encoding": [{ ...gzipped(one), headers: { "content-encoding": "br" } }],
  "wrong content types": [
    created,
    put(at, one, { contentType: "text/plain" }),
    patch("merge", at, {}, { contentType: "application/json" }),
    patch("merge", at, {}, { contentType: "" }),
    remove(at, {}, { contentType: "text/plain" }),
    post(maps, one, { contentType: "application/json; charset=utf-16" }),
    post(maps, { metadata: { name: "two" } }, { contentType: "APPLICATION/JSON" }),
    post(maps, one, { contentType: "application/json-patch+json" }),
    post(maps, one, { contentType: "not a type" }),
  ],
  Accept: {
    steps: [
      created,
      get(at, { accept: "application/*" }),
      get(at, { accept: "*/*;q=0.1" }),
      get(at, { accept: "application/json;as=Table;v=v9;g=meta.k8s.io,application/json" }),
      get(at, { accept: "application/json;as=Nope;v=v1;g=meta.k8s.io" }),
      get(at, { accept: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1" }),
      get(maps, asMetadata),
      get(at, { accept: "application/yaml;as=PartialObjectMetadata;g=meta.k8s.io;v=v1" }),
      get(`${maps}/nope`, asTable),
      get(`${maps}/nope`, { accept: "application/yaml" }),
      post(maps, { metadata: { name: "two" } }, asMetadata),
      post(maps, { metadata: { name: "three" } }, asTable),
      remove(`${maps}/two`, undefined, asTable),
    ],
    mayDiffer: {
      "[0].body.message": "this server reads protobuf but does not write it",
      "[3].body.message": "the same",
    },
  },
  "X-HTTP-Method-Override": [
    created,
    { method: "POST", path: at, body: {}, headers: { "x-http-method-override": "DELETE" } },
  ],
});

export const dryRunCases = cases("dry run", {
  "with all verbs": [
    created,
    put(`${at}?dryRun=All`, { ...one, data: { a: "1" } }),
    patch("merge", `${at}?dryRun=All`, { data: { a: "1" } }),
    patch("json", `${at}?dryRun=All`, [{ op: "add", path: "/data", value: { a: "1" } }]),
    patch("apply", `${at}?dryRun=All&fieldManager=x`, {
      apiVersion: "v1",
      kind: "ConfigMap",
      ...one,
      data: { a: "1" },
    }),
    patch("apply", `${maps}/new?dryRun=All&fieldManager=x`, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "new" },
    }),
    remove(`${at}?dryRun=All`),
    remove(`${maps}?dryRun=All`),
    get(maps),
  ],
  "of an invalid object": [
    put(`${at}?dryRun=All`, one),
    remove(`${at}?dryRun=All`),
    remove(at, { dryRun: ["Some"] }),
    put(`${at}?dryRun=Some`, one),
    patch("merge", `${at}?dryRun=All&dryRun=Some`, {}),
    post(`${maps}?dryRun=`, one),
  ],
  "with finalizers": [
    post(maps, { metadata: { name: "one", finalizers: ["example.com/x"] } }, unseen),
    remove(`${at}?dryRun=All`),
    get(at),
  ],
});
