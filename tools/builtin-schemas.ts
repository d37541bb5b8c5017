// Writes packages/apiserver/src/registry/builtin/typed/definitions.json: the fields of built-in kinds, from the sources of
// Kubernetes. Run it when the version of Kubernetes changes:
//
//   tsx tools/builtin-schemas.ts "$(go list -m -f '{{.Dir}}' k8s.io/kubernetes)"
//
// Types and JSON tags come from the Go types of k8s.io/api next to that module; list types, patch strategies, required
// fields and defaults from its OpenAPI documents. Descriptions are not taken: descriptions.ts has our own.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type GoField, type GoPackage, readGoPackage } from "./go-structs.ts";

const target = "packages/apiserver/src/registry/builtin/typed/definitions.json";

/** Short name, import path and OpenAPI name of each package. */
const packages: readonly (readonly [short: string, path: string, openapi: string])[] = [
  ...["admissionregistration", "apps", "authentication", "authorization", "autoscaling", "coordination", "core"].map(
    apiV1,
  ),
  ...["discovery", "events", "rbac"].map(apiV1),
  [
    "apiextensions.v1",
    "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1",
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1",
  ],
  ["meta.v1", "k8s.io/apimachinery/pkg/apis/meta/v1", "io.k8s.apimachinery.pkg.apis.meta.v1"],
  ["types", "k8s.io/apimachinery/pkg/types", ""],
  ["resource", "k8s.io/apimachinery/pkg/api/resource", "io.k8s.apimachinery.pkg.api.resource"],
  ["intstr", "k8s.io/apimachinery/pkg/util/intstr", "io.k8s.apimachinery.pkg.util.intstr"],
  ["runtime", "k8s.io/apimachinery/pkg/runtime", "io.k8s.apimachinery.pkg.runtime"],
];

/** Types with a custom JSON form, which the server handles by name. */
const opaque = new Set([
  "meta.v1.Time",
  "meta.v1.MicroTime",
  "meta.v1.FieldsV1",
  "resource.Quantity",
  "intstr.IntOrString",
  "runtime.RawExtension",
  "apiextensions.v1.JSON",
  "apiextensions.v1.JSONSchemaPropsOrBool",
  "apiextensions.v1.JSONSchemaPropsOrArray",
  "apiextensions.v1.JSONSchemaPropsOrStringArray",
]);

const roots = [
  ..."Namespace ConfigMap Secret ServiceAccount Event Service PersistentVolumeClaim Pod"
    .split(" ")
    .map((kind) => `core.v1.${kind}`),
  "events.v1.Event",
  "coordination.v1.Lease",
  "discovery.v1.EndpointSlice",
  "apps.v1.Deployment",
  "autoscaling.v1.Scale",
  ...["Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"].map((kind) => `rbac.v1.${kind}`),
  "admissionregistration.v1.MutatingWebhookConfiguration",
  "admissionregistration.v1.ValidatingWebhookConfiguration",
  "apiextensions.v1.CustomResourceDefinition",
  ...["TokenReview", "TokenRequest", "SelfSubjectReview"].map((kind) => `authentication.v1.${kind}`),
  ..."SubjectAccessReview SelfSubjectAccessReview LocalSubjectAccessReview SelfSubjectRulesReview"
    .split(" ")
    .map((kind) => `authorization.v1.${kind}`),
  ...["ListMeta", "Status", "DeleteOptions", "APIGroup", "APIGroupList", "APIResourceList", "APIVersions"].map(
    (kind) => `meta.v1.${kind}`,
  ),
];

interface OpenApiField {
  readonly default?: unknown;
  readonly [key: `x-kubernetes-${string}`]: unknown;
}

interface OpenApiStruct {
  readonly properties?: Readonly<Record<string, OpenApiField>>;
  readonly required?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
}

const kubernetes = process.argv[2];
if (kubernetes === undefined)
  throw new Error('usage: tsx tools/builtin-schemas.ts "<folder of the k8s.io/kubernetes module>"');
const goPackages = new Map(packages.map(([short, path]) => [short, readGoPackage(folderOf(path), path)]));
const openapi = readOpenApi(join(kubernetes, "api/openapi-spec/v3"));
const structs: Record<string, Record<string, string>> = {};
const named: Record<string, string> = {};
for (const root of roots) visit(root);
// JSONSchemaPropsOrArray is handled by name, so its element type is not reached from the other types.
visit("apiextensions.v1.JSONSchemaProps");

const output = {
  kubernetes: basename(kubernetes).replace(/^.*@/, ""),
  packages: Object.fromEntries(packages.filter(([, , name]) => name !== "").map(([short, , name]) => [short, name])),
  named: sorted(named),
  structs: sorted(structs),
};
writeFileSync(target, `${JSON.stringify(output, null, 2)}\n`);
spawnSync("biome", ["format", "--write", target], { stdio: "inherit" });
console.log(`${target}: ${Object.keys(structs).length} structs`);

function apiV1(group: string): readonly [string, string, string] {
  return [`${group}.v1`, `k8s.io/api/${group}/v1`, `io.k8s.api.${group}.v1`];
}

function folderOf(path: string): string {
  const [, module = "", rest = ""] = /^k8s\.io\/([^/]+)\/(.*)$/.exec(path) ?? [];
  const version = basename(kubernetes as string).replace(/^.*@v1\./, "v0.");
  return join(dirname(kubernetes as string), `${module}@${version}`, rest);
}

function readOpenApi(folder: string): ReadonlyMap<string, OpenApiStruct> {
  const found = new Map<string, OpenApiStruct>();
  for (const file of readdirSync(folder)) {
    const { components } = JSON.parse(readFileSync(join(folder, file), "utf8"));
    for (const [name, schema] of Object.entries(components?.schemas ?? {})) found.set(name, schema as OpenApiStruct);
  }
  return found;
}

/** Adds a type and all types that it refers to. */
function visit(name: string): void {
  if (opaque.has(name) || name in structs || name in named) return;
  const [, short = "", typeName = ""] = /^(.*)\.(\w+)$/.exec(name) ?? [];
  const from = goPackages.get(short);
  const alias = from?.named.get(typeName);
  if (alias !== undefined) {
    const values = from?.enums.get(typeName) ?? [];
    named[name] = [shortened(alias), ...(values.length > 0 ? [`enum=${values.join("|")}`] : [])].join(" ");
    visitAll(named[name]);
    return;
  }
  if (from?.structs.has(typeName) !== true) throw new Error(`no type ${name}`);
  structs[name] = structOf(name, short, flattened(from, short, typeName));
  for (const field of Object.values(structs[name])) visitAll(field);
}

function visitAll(text: string): void {
  for (const [name] of (text.split(" ")[0] as string).matchAll(/[\w.]+\.\w+/g)) visit(name);
}

/** The fields of a struct, with embedded structs inlined. */
function flattened(from: GoPackage, short: string, typeName: string): readonly GoField[] {
  return (from.structs.get(typeName) ?? []).flatMap((field) => {
    if (field.json !== "") return [field];
    const [, path = "", name = ""] = /^(.*)\.(\w+)$/.exec(field.type) ?? [];
    const inner = packages.find(([, other]) => other === path)?.[0] ?? short;
    return flattened(goPackages.get(inner) as GoPackage, inner, name);
  });
}

function structOf(name: string, short: string, fields: readonly GoField[]): Record<string, string> {
  const openapiName = `${packages.find(([other]) => other === short)?.[2]}.${name.slice(short.length + 1)}`;
  const schema = openapi.get(openapiName);
  if (schema === undefined) throw new Error(`no OpenAPI schema ${openapiName}`);
  const result: Record<string, string> = {};
  for (const field of fields) result[field.json] = fieldText(field, schema);
  if (schema["x-kubernetes-map-type"] !== undefined) result[""] = `map=${schema["x-kubernetes-map-type"]}`;
  return result;
}

function fieldText(field: GoField, schema: OpenApiStruct): string {
  const facts = schema.properties?.[field.json] ?? {};
  const keys = (facts["x-kubernetes-list-map-keys"] as readonly string[] | undefined)?.join(",");
  const mergeKey = facts["x-kubernetes-patch-merge-key"];
  const patch = facts["x-kubernetes-patch-strategy"];
  return [
    shortened(field.type),
    ...(field.omits === undefined ? [] : [field.omits]),
    ...(schema.required?.includes(field.json) ? ["required"] : []),
    ...attribute("list", facts["x-kubernetes-list-type"], keys),
    ...attribute("patch", patch, mergeKey),
    ...attribute("map", facts["x-kubernetes-map-type"], undefined),
    ...(isZero(facts.default) ? [] : [`default=${JSON.stringify(facts.default)}`]),
  ].join(" ");
}

function attribute(name: string, value: unknown, detail: unknown): string[] {
  if (value === undefined) return [];
  return [detail === undefined ? `${name}=${value}` : `${name}=${value}:${detail}`];
}

function isZero(value: unknown): boolean {
  return value === undefined || value === "" || value === 0 || value === false || JSON.stringify(value) === "{}";
}

function shortened(type: string): string {
  return type.replace(/k8s\.io\/[\w./-]+\.\w+/g, (name) => {
    const [, path = "", typeName = ""] = /^(.*)\.(\w+)$/.exec(name) ?? [];
    const short = packages.find(([, other]) => other === path)?.[0];
    if (short === undefined) throw new Error(`no package ${path}`);
    return `${short}.${typeName}`;
  });
}

function sorted<Value>(table: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(table).sort(([left], [right]) => (left < right ? -1 : 1)));
}
