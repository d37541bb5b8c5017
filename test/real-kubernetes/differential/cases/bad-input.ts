import { cases, type Step } from "../case.ts";
import { get, patch, post, put, remove, unseen } from "../steps.ts";

const maps = "/api/v1/namespaces/{ns}/configmaps";
const at = `${maps}/one`;
const created = post(maps, { metadata: { name: "one" }, data: { a: "1" } }, unseen);
const raw = (body: string | Uint8Array): Step => post(maps, body);
const meta = (more: object): Step => post(maps, { metadata: { name: "one", ...more } });

export const badInputCases = cases("invalid input", {
  "deep nesting": {
    steps: [raw(`{"metadata":{"name":"one"},"data":${'{"a":'.repeat(9_000)}1${"}".repeat(9_000)}}`)],
    mayDiffer: { "[0].body.message": "this server has a lower depth limit" },
  },
  "numbers that are too large": [raw('{"metadata":{"name":"one","generation":9223372036854775808}}')],
  "invalid numbers": [
    raw('{"metadata":{"name":"one","generation":1.5}}'),
    raw('{"metadata":{"name":"one","generation":01}}'),
    raw('{"metadata":{"name":"one","generation":NaN}}'),
  ],
  "NUL characters": [
    raw('{"metadata":{"name":"one\\u0000"}}'),
    raw('{"metadata":{"name":"one"},"data":{"a":"x\\u0000y"}}'),
    raw("\u0000"),
  ],
  "lone surrogates": [
    raw('{"metadata":{"name":"one"},"data":{"a":"\\ud800","b":"\\udc00x","c":"\\ud83d\\ude00","d":"\\\\ud800"}}'),
  ],
  "trailing data": [raw('{"metadata":{"name":"one"}} x'), raw('{"metadata":{"name":"one"}}{}')],
  "comments and commas": [
    raw('{"metadata":{"name":"one"},}'),
    raw('{/* x */"metadata":{"name":"one"}}'),
    raw("{'metadata':{}}"),
  ],
  "keys in another case": [raw('{"Metadata":{"name":"one"}}'), raw('{"metadata":{"Name":"one"}}')],
  "kind and version of wrong types": [
    raw('{"kind":5,"metadata":{"name":"one"}}'),
    raw('{"apiVersion":{},"metadata":{"name":"one"}}'),
    raw('{"apiVersion":"a/b/c","kind":"ConfigMap"}'),
  ],
  "metadata of wrong types": [
    raw('{"metadata":5}'),
    raw('{"metadata":[]}'),
    raw('{"metadata":{"name":5}}'),
    raw('{"metadata":{"name":"one","labels":[]}}'),
    raw('{"metadata":{"name":"one","labels":{"a":null}}}'),
    raw('{"metadata":{"name":"two","finalizers":"x"}}'),
    raw('{"metadata":{"name":"two","ownerReferences":{}}}'),
    raw('{"metadata":{"name":"two","creationTimestamp":"never"}}'),
    raw('{"metadata":{"name":"two","managedFields":[{"time":5}]}}'),
  ],
  "invalid managed fields": [
    meta({
      managedFields: [{ manager: "x", operation: "Update", apiVersion: "v1", fieldsType: "FieldsV2", fieldsV1: {} }],
    }),
    remove(at, undefined, unseen),
    meta({
      managedFields: [{ manager: "x", operation: "Odd", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: {} }],
    }),
  ],
  "long labels": [
    {
      ...meta({ labels: { ["a".repeat(64)]: "x", b: "c".repeat(64), [`${"d".repeat(254)}/e`]: "f" } }),
      anyOrder: true,
    },
  ],
  "a name of dots": [
    post(maps, { metadata: { name: ".." } }),
    post(maps, { metadata: { name: "." } }),
    post(maps, { metadata: { name: "-a" } }),
  ],
  "invalid YAML": [
    post(maps, "a: b: c", { contentType: "application/yaml" }),
    post(maps, "- a\n- b\n", { contentType: "application/yaml" }),
  ].map((step) => ({ ...step, parts: ["code", "reason"] })),
  "YAML with anchors": [post(maps, "metadata: {name: one}\ndata: &a {x: 'y'}\n", { contentType: "application/yaml" })],
  selectors: [
    ...[
      "a%3D%3D",
      "a%20in%20(",
      "a%20in%20()",
      "!a%3Db",
      "a%20gt%20b",
      "a%3Eb",
      "a%20notin%20(b",
      ",",
      "a,,b",
      "a%3Db%3Dc",
      "_%3Da",
      `${"x".repeat(64)}%3Da`,
    ].map((selector) => get(`${maps}?labelSelector=${selector}`)),
  ],
  "field selectors": [
    ...[
      "metadata.name%3D%3D%3Dx",
      "metadata.name%3Da,metadata.name%3Db",
      "metadata.name%5C%3Dx",
      "metadata.namespace%3Ddefault",
      "metadata.name%20in%20(a)",
    ].map((selector) => get(`${maps}?fieldSelector=${selector}`)),
  ],
  "limits and tokens": [
    get(`${maps}?limit=-1`),
    get(`${maps}?limit=`),
    get(`${maps}?limit=99999999999999999999`),
    get(`${maps}?continue=`),
    get(`${maps}?continue=e30`),
    get(`${maps}?continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIuLi8ifQ`),
    get(`${maps}?resourceVersion=-1`),
    get(`${maps}?resourceVersion=1.5`),
    get(`${maps}?resourceVersion=1&resourceVersionMatch=Exact&continue=x`),
    get(`${maps}?timeoutSeconds=x`),
  ],
  "invalid patches": [
    created,
    patch("merge", at, "[]"),
    patch("merge", at, "5"),
    patch("merge", at, "null"),
    patch("merge", at, ""),
    patch("json", at, "{}"),
    patch("json", at, '[{"op":"odd","path":"/data"}]'),
    patch("json", at, '[{"op":"add","path":"data","value":1}]'),
    patch("json", at, '[{"op":"add"}]'),
    patch("json", at, '[{"op":"remove","path":"/nope/x"}]'),
    patch("json", at, '[{"op":"replace","path":"/data/a"}]'),
    patch("json", at, '[{"op":"move","from":"/data","path":"/data/b"}]'),
    patch("strategic", at, "[]"),
    patch("strategic", at, '{"data":"x"}'),
    patch("strategic", at, '{"$patch":"odd"}'),
  ],
  "patches that break the object": [
    created,
    patch("merge", at, { apiVersion: "v2" }),
    patch("merge", at, { metadata: null }),
    patch("merge", at, { metadata: { name: null } }),
    patch("merge", at, { metadata: { uid: "x" } }),
    patch("merge", at, { metadata: { resourceVersion: "1" } }),
    patch("merge", at, { metadata: { namespace: "default" } }),
    patch("merge", at, { metadata: { creationTimestamp: null, generation: 5 } }),
    patch("merge", at, { metadata: { deletionTimestamp: "2020-01-01T00:00:00Z" } }),
    patch("merge", at, { metadata: { labels: { a: 5 } } }),
    patch("merge", at, { data: { a: 5 } }),
    patch("merge", at, { data: { "a b": "x" } }),
  ],
  "too many operations": [
    created,
    patch(
      "json",
      at,
      Array.from({ length: 10_001 }, () => ({ op: "add", path: "/data/a", value: "1" })),
    ),
  ],
  "invalid delete options": [
    created,
    remove(at, "[]"),
    remove(at, "5"),
    remove(at, { gracePeriodSeconds: "x" }),
    remove(at, { propagationPolicy: 5 }),
    remove(at, { preconditions: { uid: 5 } }),
    remove(at, { kind: "DeleteOptions", apiVersion: "v2" }),
    remove(`${at}?gracePeriodSeconds=x`),
    remove(`${at}?orphanDependents=maybe&propagationPolicy=Orphan`),
    remove(at, { nope: 1 }),
  ],
  "an update of another object": [
    created,
    put(at, "x"),
    put(at, { metadata: { name: "one", deletionTimestamp: "2020-01-01T00:00:00Z" } }),
    put(at, { metadata: { name: "one", resourceVersion: "0" } }),
    put(at, { metadata: { name: "one", resourceVersion: "99999999999999999999" } }),
  ],
  managers: [
    post(`${maps}?fieldManager=${"m".repeat(129)}`, {}),
    post(`${maps}?fieldManager=a%00b`, { metadata: { name: "one" } }),
    patch("apply", `${at}?fieldManager=`, {}),
    patch("apply", `${at}?fieldManager=x&force=maybe`, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "one" },
    }),
  ],
});
