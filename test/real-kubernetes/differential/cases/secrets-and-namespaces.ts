import { cases } from "../case.ts";
import { asTable, get, patch, post, put, remove, unseen } from "../steps.ts";

const secrets = "/api/v1/namespaces/{ns}/secrets";
const one = { metadata: { name: "one" }, data: { a: "MQ==" } };
const sent = (more: object) => [post(secrets, { metadata: { name: "one" }, ...more }, { anyOrder: true })];

export const secretCases = cases("secret", {
  data: [post(secrets, one), get(`${secrets}/one`), get(`${secrets}/one`, asTable)],
  stringData: sent({ stringData: { a: "hello" }, data: { a: "MQ==", b: "Mg==" } }),
  "invalid base64": sent({ data: { a: "!" } }),
  "null for data": sent({ data: { a: null } }),
  "invalid keys": sent({ stringData: { "a b": "x", "..": "y", ".": "z" } }),
  "too much data": sent({ stringData: { a: "x".repeat(1_048_577) } }),
  "a type without its required data": [
    ...sent({ type: "kubernetes.io/dockerconfigjson" }),
    ...sent({ type: "kubernetes.io/dockercfg", stringData: { ".dockercfg": "x" } }),
    ...sent({ type: "kubernetes.io/basic-auth" }),
    ...sent({ type: "kubernetes.io/ssh-auth" }),
    ...sent({ type: "kubernetes.io/tls", stringData: { "tls.crt": "x" } }),
    ...sent({ type: "kubernetes.io/service-account-token" }),
  ],
  "a valid type": [...sent({ type: "kubernetes.io/dockerconfigjson", stringData: { ".dockerconfigjson": "{}" } })],
  "a change of type": [post(secrets, one, unseen), put(`${secrets}/one`, { ...one, type: "example.com/x" })],
  "an immutable one": [
    post(secrets, { ...one, immutable: true }, unseen),
    patch("merge", `${secrets}/one`, { data: { a: "Mg==" } }),
    patch("merge", `${secrets}/one`, { immutable: false }),
    patch("merge", `${secrets}/one`, { metadata: { labels: { a: "b" } } }),
  ],
  "patched stringData": [
    post(secrets, one, unseen),
    patch("merge", `${secrets}/one`, { stringData: { b: "x" } }),
    patch("strategic", `${secrets}/one`, { data: { a: null, c: "MQ==" } }),
    patch("json", `${secrets}/one`, [{ op: "replace", path: "/data/c", value: 5 }]),
  ],
  "by its type": [
    post(secrets, one, unseen),
    get(`${secrets}?fieldSelector=type%3DOpaque`),
    get(`${secrets}?fieldSelector=type%3Dother`),
  ],
});

const namespaces = "/api/v1/namespaces";
const at = `${namespaces}/{ns}`;
const other = `${namespaces}/{ns}-other`;
const created = post(namespaces, { metadata: { name: "{ns}-other" } }, unseen);
const gone = remove(other, undefined, unseen);

export const namespaceCases = cases("namespace", {
  "a new namespace": [post(namespaces, { metadata: { name: "{ns}-other" } }), get(other), get(other, asTable), gone],
  "labels and a status that are set": [
    post(namespaces, {
      metadata: { name: "{ns}-other", labels: { a: "b" } },
      spec: { finalizers: ["example.com/x"] },
      status: { phase: "Terminating" },
    }),
    put(`${other}/finalize`, { metadata: { name: "{ns}-other" }, spec: { finalizers: [] } }),
    gone,
  ],
  "an invalid name": [post(namespaces, { metadata: { name: "a.b" } })],
  "a name that is too long": [post(namespaces, { metadata: { name: "a".repeat(64) } })],
  "without a name": [post(namespaces, { metadata: {} })],
  "an invalid finalizer": [post(namespaces, { metadata: { name: "{ns}-other" }, spec: { finalizers: ["x"] } })],
  "a change of its label": [patch("merge", at, { metadata: { labels: { "kubernetes.io/metadata.name": "x" } } })],
  "a change of its finalizers": [patch("merge", at, { spec: { finalizers: [] } })],
  "a status": [
    patch("merge", `${at}/status`, { status: { phase: "Terminating" } }),
    patch("merge", `${at}/status`, { status: { phase: "Odd" } }),
    patch("merge", `${at}/status`, {
      status: { conditions: [{ type: "X", status: "True", reason: "R", message: "m" }] },
      metadata: { labels: { a: "b" }, annotations: { c: "d" } },
    }),
    get(`${at}/status`),
  ],
  "finalize subresource": [
    created,
    put(`${other}/finalize`, { metadata: { name: "{ns}-other" }, spec: {} }),
    get(other),
    gone,
  ],
  "unknown finalizers": [put(`${at}/finalize`, { metadata: { name: "x" }, spec: {} })],
  "GET of the finalize subresource": [get(`${at}/finalize`)],
  "being deleted": [
    created,
    post(`${other}/configmaps`, { metadata: { name: "one", finalizers: ["example.com/wait"] } }, unseen),
    remove(other),
    get(other, { parts: ["status.phase", "spec"] }),
    post(`${other}/configmaps`, { metadata: { name: "two" } }),
    patch("merge", `${other}/configmaps/one`, { metadata: { finalizers: null } }, unseen),
  ],
  "delete of the default namespace": [remove(`${namespaces}/kube-system`)],
  deletecollection: [remove(namespaces)],
  "by its status": [get(`${namespaces}?fieldSelector=status.phase%3DTerminating,metadata.name%3D{ns}`)],
  "by its name": [
    get(`${namespaces}?fieldSelector=metadata.name%3D{ns}`),
    get(`${namespaces}?fieldSelector=spec.x%3D1`),
  ],
  "watched by its name": [get(`${namespaces}?watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3D{ns}`)],
  "by a generated name": [post(`${namespaces}?dryRun=All`, { metadata: { generateName: "generated-" } })],
  applied: [
    patch("apply", `${other}?fieldManager=one`, {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "{ns}-other", labels: { a: "b" } },
    }),
    gone,
  ],
});
