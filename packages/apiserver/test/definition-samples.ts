// Definitions for tests, each a small change of a valid one.
import type { JsonObject, JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ApiObject } from "../src/registry/kinds/api-object.ts";

export interface SampleParts {
  readonly metadata?: JsonObject;
  readonly spec?: JsonObject;
  readonly names?: JsonObject;
  /** Parts of its only version. */
  readonly version?: JsonObject;
  readonly schema?: JsonObject;
}

/** A plain definition of Foo in example.com with one version. */
export function definition({ metadata, spec, names, version, schema }: SampleParts = {}): ApiObject {
  const only = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema ?? { type: "object" } } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "foos.example.com", ...metadata },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "foos", kind: "Foo", ...names },
      versions: [{ ...only, ...version }],
      ...spec,
    },
  } as unknown as ApiObject;
}

/** A definition whose objects have a field `f` of this schema. */
export function field(schema: JsonObject): ApiObject {
  return definition({ schema: { type: "object", properties: { f: schema } } });
}

/** A definition whose field `f`, a string by default, has one rule. */
export function rule(rule: JsonValue, schema: JsonObject = { type: "string" }): ApiObject {
  const written = typeof rule === "string" ? { rule } : rule;
  return field({ ...schema, "x-kubernetes-validations": [written] });
}

/** The same definition once the server has accepted it. */
export function established(crd: ApiObject): ApiObject {
  const spec = crd["spec"] as JsonObject;
  const names = { singular: "foo", listKind: "FooList", ...(spec["names"] as JsonObject) };
  const versions = spec["versions"] as readonly JsonObject[];
  const stored = versions.filter(({ storage }) => storage === true).map(({ name }) => name as string);
  const condition = { type: "Established", status: "True", reason: "InitialNamesAccepted", message: "" };
  return {
    ...(crd as JsonObject),
    spec: { conversion: { strategy: "None" }, ...spec, names },
    status: { acceptedNames: names, storedVersions: stored, conditions: [condition] },
  } as unknown as ApiObject;
}
