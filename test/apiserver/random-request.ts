import type { ServedKind } from "@milo-quota/apiserver/registry/kinds/served-kind.ts";
import encoded from "@milo-quota/apiserver/test/recorded/encoded-objects.json" with { type: "json" };
import recorded from "@milo-quota/apiserver/test/recorded/kubernetes-answers.json" with { type: "json" };
import type { JsonObject, JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { formatApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { stringify } from "yaml";
import { mutated, mutatedBytes, oddValue, randomJsonPatch } from "./random-json.ts";
import { pick } from "./random-writes.ts";
import type { Call } from "./test-server.ts";

type Random = () => number;

const samples = (recorded as unknown as readonly { readonly sent: JsonObject }[]).map(({ sent }) => sent);
const protobufs = encoded.map(({ protobuf }) => Buffer.from(protobuf, "base64"));

const names = ["a", "b", "c", "d", "e", "f", "g.h", "w-1"];
const badNames = ["", ".", "..", "A", "a%2fb", "%zz", "%00", "x".repeat(300), "😀", "a b", "__proto__", "constructor"];
const namespaces = ["default", "default", "default", "team", "kube-system"];
const badNamespaces = ["nowhere", "", "%2e", "UPPER", "a/b"];
const subresources = ["status", "status", "finalize", "scale", "log", "x", "status/x"];
const otherPaths = [
  "/",
  "/api",
  "/apis",
  "/api/v1",
  "/apis/apps",
  "/apis/apps/v1",
  "/apis/example.com/v1",
  "/openapi/v2",
  "/openapi/v3",
  "/openapi/v3/api/v1",
  "/version",
  "/healthz",
  "/readyz?verbose",
  "/livez/ping",
  "/metrics",
  "//",
  "/api//v1",
  "/api/v2/pods",
  "/apis/unknown.example.com/v1/things",
  "*",
  "",
  "/api/v1/watch/configmaps",
  "/api/v1/watch/namespaces/default/configmaps/a",
  "/apis/__proto__/v1/x",
  "/%",
];

const queries: Readonly<Record<string, readonly string[]>> = {
  watch: ["true", "1", "false", "x"],
  limit: ["1", "2", "-1", "x", "99999999999999999999", "500"],
  continue: ["x", "e30", "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhL2IifQ"],
  resourceVersion: ["0", "1", "5", "x", "-1", "99999999", "18446744073709551616"],
  resourceVersionMatch: ["Exact", "NotOlderThan", "x"],
  labelSelector: ["a=b", "a in (b,c)", "!a", "a=b,,", "(", "a notin ()", "x".repeat(100)],
  fieldSelector: ["metadata.name=a", "metadata.namespace!=default", "status.phase=Active", "x=y", "=", "spec.size=1"],
  timeoutSeconds: ["1", "0", "-1", "x"],
  sendInitialEvents: ["true", "false", "x"],
  allowWatchBookmarks: ["true"],
  dryRun: ["All", "x", ""],
  fieldManager: ["me", "x".repeat(200), "\u0001"],
  fieldValidation: ["Strict", "Warn", "Ignore", "x"],
  force: ["true", "false", "x"],
  pretty: ["true", "false"],
  propagationPolicy: ["Foreground", "Background", "Orphan", "x"],
  gracePeriodSeconds: ["0", "5", "-1", "x"],
  orphanDependents: ["true", "false"],
  includeObject: ["None", "Object", "x"],
};

const accepts = [
  "application/json",
  "application/yaml",
  "*/*",
  "text/html",
  "application/json;as=Table;g=meta.k8s.io;v=v1",
  "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
  "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
  "application/json;as=X;g=y;v=z",
  ";;;,",
  "application/vnd.kubernetes.protobuf,application/json",
];
const oddTypes = [
  "text/plain",
  "application/json; charset=utf-8",
  "",
  "x",
  "application/json-patch+json",
  "application/apply-patch+yaml",
];
const garbage = [
  "",
  "{",
  "null",
  "[]",
  "1",
  '"a"',
  "{}",
  '{"a":1,"a":2}',
  "a: b",
  "--- x\n---\ny",
  "&a [*a]",
  "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: &d [*c, *c]\ne: &e [*d, *d]\nf: &f [*e, *e]\ng: [*f, *f]",
  "a: .nan",
  "? [a, b]\n: c",
  "a: !!binary aGVsbG8=",
  "a: !!set {x, y}",
  "a: 2001-12-14t21:59:43.10-05:00",
  "<<: {a: b}",
  "- ".repeat(5_000),
  "[".repeat(5_000),
  "k8s\0",
  "\xff\xfe",
  '{"kind":"List","items":[]}',
  "[".repeat(20_000),
];

/** A random request, valid or not. */
export function randomRequest(kinds: readonly ServedKind[], random: Random): Call {
  const method = pick(random, [
    "GET",
    "GET",
    "POST",
    "POST",
    "POST",
    "PUT",
    "PUT",
    "PATCH",
    "PATCH",
    "PATCH",
    "DELETE",
    "HEAD",
    "OPTIONS",
    "FETCH",
  ]);
  if (random() < 0.05) return { method, path: pick(random, otherPaths), ...headersOf(random) };
  const kind = pick(random, kinds);
  const isCollection = method === "POST" ? random() < 0.95 : method === "GET" ? random() < 0.5 : random() < 0.03;
  const name = isCollection ? "" : nameOf(random);
  const namespace = random() < 0.04 ? pick(random, badNamespaces) : pick(random, namespaces);
  const path = `${pathOf(kind, namespace, random)}${isCollection ? "" : `/${name}${random() < 0.15 ? `/${pick(random, subresources)}` : ""}`}`;
  const call = { method, path: `${path}${queryOf(method, random)}`, ...headersOf(random) };
  switch (method) {
    case "POST":
    case "PUT":
      return { ...call, ...objectBody(kind, name || nameOf(random), random) };
    case "PATCH":
      return { ...call, ...patchBody(kind, name, random) };
    case "DELETE":
      return random() < 0.6
        ? call
        : { ...call, body: mutated(deleteOptions(random), random), type: "application/json" };
    default:
      return call;
  }
}

function nameOf(random: Random): string {
  return random() < 0.04 ? pick(random, badNames) : pick(random, names);
}

function pathOf({ group, version, plural, scope }: ServedKind, namespace: string, random: Random): string {
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const isThere = (scope === "Namespaced") !== random() < 0.05;
  return isThere ? `${root}/namespaces/${namespace}/${plural}` : `${root}/${plural}`;
}

function queryOf(method: string, random: Random): string {
  if (random() < (method === "GET" ? 0.4 : 0.8)) return "";
  const query = new URLSearchParams();
  for (let count = 1 + Math.floor(random() * 3); count > 0; count -= 1) {
    const name = pick(random, Object.keys(queries));
    query.append(name, pick(random, queries[name] as readonly string[]));
  }
  return `?${query}`;
}

function headersOf(random: Random): Pick<Call, "headers"> {
  const headers = {
    ...(random() < 0.2 ? { accept: [pick(random, accepts)] } : {}),
    ...(random() < 0.02
      ? { "impersonate-user": [pick(random, ["alice", "system:serviceaccount:a:b", "system:anonymous"])] }
      : {}),
    ...(random() < 0.01 ? { "impersonate-group": [pick(random, ["g", "system:masters"])] } : {}),
    ...(random() < 0.05 ? { "user-agent": [pick(random, ["kubectl/v1.34", "x".repeat(500), "\u0001", "é"])] } : {}),
  };
  return { headers };
}

/** An object of the kind or of another one, valid or not. */
function objectBody(kind: ServedKind, name: string, random: Random): Pick<Call, "body" | "type"> {
  if (random() < 0.04)
    return {
      body: pick(random, garbage),
      type: pick(random, ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"]),
    };
  if (random() < 0.06)
    return { body: mutatedBytes(pick(random, protobufs), random), type: "application/vnd.kubernetes.protobuf" };
  const sample = objectOf(kind, name, random);
  let object: JsonValue = sample;
  for (let count = random() < 0.65 ? 0 : 1 + Math.floor(random() * 3); count > 0; count -= 1)
    object = mutated(object, random);
  if (random() < 0.1) return { body: stringify(object), type: "application/yaml" };
  return { body: JSON.stringify(object), type: random() < 0.03 ? pick(random, oddTypes) : "application/json" };
}

function objectOf(kind: ServedKind, name: string, random: Random): JsonObject {
  const apiVersion = formatApiVersion(kind.group, kind.version);
  const metadata = {
    name,
    ...(random() < 0.2 ? { labels: { a: pick(random, ["b", "c"]) } } : {}),
    ...(random() < 0.05 ? { finalizers: ["example.com/hold"] } : {}),
    ...(random() < 0.05 ? { resourceVersion: pick(random, ["1", "x", "", "0"]) } : {}),
    ...(random() < 0.03 ? { generateName: "made-" } : {}),
    ...(random() < 0.05 ? { ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "a", uid: "1" }] } : {}),
  };
  if (kind.isCustom)
    return { apiVersion, kind: kind.kind, metadata, spec: { size: Math.floor(random() * 3), parts: ["x"] } };
  const own = samples.filter((sample) => sample["kind"] === kind.kind);
  const sample = own.length === 0 || random() < 0.02 ? pick(random, samples) : pick(random, own);
  const given = (sample["metadata"] ?? {}) as JsonObject;
  return { ...sample, metadata: { ...given, ...metadata, namespace: undefined } } as unknown as JsonObject;
}

function patchBody(kind: ServedKind, name: string, random: Random): Pick<Call, "body" | "type"> {
  const type = pick(random, [
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
    ...(random() < 0.1 ? oddTypes : []),
  ]);
  if (random() < 0.05) return { body: pick(random, garbage), type };
  if (type === "application/json-patch+json") return { body: JSON.stringify(randomJsonPatch(random)), type };
  const object =
    random() < 0.5
      ? objectOf(kind, name, random)
      : { metadata: { labels: { a: oddValue(random) } }, data: { a: "1" }, spec: { size: oddValue(random) } };
  const body = random() < 0.4 ? object : mutated(object as JsonValue, random);
  return { body: type.endsWith("yaml") && random() < 0.5 ? stringify(body) : JSON.stringify(body), type };
}

function deleteOptions(random: Random): JsonValue {
  return {
    kind: "DeleteOptions",
    apiVersion: "v1",
    propagationPolicy: pick(random, ["Foreground", "Background", "Orphan"]),
    gracePeriodSeconds: pick(random, [0, 5]),
    preconditions: random() < 0.2 ? { uid: "x" } : {},
    dryRun: random() < 0.2 ? ["All"] : [],
  };
}
