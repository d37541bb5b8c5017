import { readdirSync, readFileSync } from "node:fs";
import { issueText } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { definition, established, field, rule } from "../../../../test/definition-samples.ts";
import type { ApiObject } from "../../kinds/api-object.ts";
import { definitionIssues, definitionRules } from "./crd-rules.ts";
import { prepareNewDefinition, prepareUpdatedDefinition } from "./prepare-definition.ts";

const issuesOf = (crd: ApiObject): string[] => definitionIssues(prepareNewDefinition(crd), undefined).map(issueText);

const listMap: JsonObject = {
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["a"],
  items: {
    type: "object",
    required: ["a"],
    properties: { a: { type: "string", "x-kubernetes-validations": [{ rule: "self == oldSelf" }] } },
  },
};

describe("a definition is accepted with", () => {
  const good: Record<string, ApiObject> = {
    "nothing special": definition(),
    "a group of Kubernetes and an approval": definition({
      spec: { group: "x.k8s.io" },
      metadata: { name: "foos.x.k8s.io", annotations: { "api-approved.kubernetes.io": "https://example.com/1" } },
    }),
    "a group of Kubernetes, knowingly unapproved": definition({
      spec: { group: "x.kubernetes.io" },
      metadata: { name: "foos.x.kubernetes.io", annotations: { "api-approved.kubernetes.io": "unapproved, a test" } },
    }),
    "a group that only looks like one of Kubernetes": definition({
      spec: { group: "notk8s.io" },
      metadata: { name: "foos.notk8s.io" },
    }),
    "integer or string": field({
      "x-kubernetes-int-or-string": true,
      anyOf: [{ type: "integer" }, { type: "string" }],
    }),
    "integer or string, and more": field({
      "x-kubernetes-int-or-string": true,
      allOf: [{ anyOf: [{ type: "integer" }, { type: "string" }] }, { pattern: "x" }],
    }),
    "properties beside a map of anything": field({
      type: "object",
      properties: { a: { type: "string" } },
      additionalProperties: true,
    }),
    "a property declared in anyOf only, below the root": field({
      type: "object",
      properties: { a: { type: "string" } },
      anyOf: [{ properties: { b: { minLength: 1 } } }],
    }),
    "an embedded object": field({
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
    }),
    "a rule for names": definition({
      schema: {
        type: "object",
        properties: { metadata: { type: "object", properties: { name: { type: "string", pattern: "^a" } } } },
      },
    }),
    "a null default, which counts as unset": field({ type: "string", default: null }),
    "a default in a map": field({ type: "object", additionalProperties: { type: "string", default: 5 } }),
    "an immutable default": field({
      type: "string",
      default: "x",
      "x-kubernetes-validations": [{ rule: "self == oldSelf" }],
    }),
    "old values of keyed items": field(listMap),
    "an unusable column": definition({
      version: { additionalPrinterColumns: [{ name: "A", type: "string", jsonPath: ".spec[" }] },
    }),
    scaling: definition({
      version: { subresources: { scale: { specReplicasPath: ".spec.x", statusReplicasPath: ".status.y" } } },
    }),
    "escaped names in rules": field({
      type: "object",
      properties: { "my-prop": { type: "string" }, namespace: { type: "string" } },
      "x-kubernetes-validations": [{ rule: "self.my__dash__prop == self.__namespace__" }],
    }),
    "libraries of Kubernetes": rule(
      "self.find('a') == 'a' && sets.contains([1], [1]) && quantity('1Gi').isGreaterThan(quantity('1Mi')) && optional.of(1).hasValue()",
    ),
    "a bound of nineteen digits": field({ type: "integer", maximum: 9223372036854775807n }),
  };
  for (const [name, crd] of Object.entries(good)) it(name, () => expect(issuesOf(crd)).toEqual([]));

  for (const file of readdirSync("deploy/crds")) {
    it(`${file} of Milo Quota`, () => {
      expect(issuesOf(parse(readFileSync(`deploy/crds/${file}`, "utf8")))).toEqual([]);
    });
  }

  it("thousands of fields and hundreds of rules", () => {
    const leaf = { type: "string", maxLength: 10, "x-kubernetes-validations": [{ rule: "self.size() < 9" }] };
    const group = { type: "object", properties: Object.fromEntries(range(20).map((at) => [`f${at}`, leaf])) };
    const properties = Object.fromEntries(range(100).map((at) => [`g${at}`, group]));
    const crd = definition({ schema: { type: "object", properties: { spec: { type: "object", properties } } } });
    expect(issuesOf(crd)).toEqual([]);
  });

  it("nesting, up to a limit", () => {
    const nested = (depth: number): JsonObject =>
      depth === 0 ? { type: "string" } : { type: "object", properties: { a: nested(depth - 1) } };
    expect(issuesOf(field(nested(200)))).toEqual([]);
    expect(issuesOf(field(nested(400)))).toEqual([
      'spec.validation.openAPIV3Schema: Invalid value: "": must not be nested deeper than 250 levels',
    ]);
  });
});

function range(count: number): readonly number[] {
  return Array.from({ length: count }, (_, at) => at);
}

describe("unsupported features", () => {
  it("rejects conversion webhooks by name", () => {
    const crd = definition({ spec: { conversion: { strategy: "Webhook", webhook: {} } } });
    expect(issuesOf(crd)).toEqual([
      "spec.conversion.strategy: Forbidden: conversion webhooks are not supported by this server: versions may differ in apiVersion only, use None",
    ]);
  });

  it("names the library of an unsupported function", () => {
    const [issue] = issuesOf(rule("authorizer.path('/').check('get').allowed()"));
    expect(issue).toContain(`'authorizer' belongs to the CEL library "authorizer", which this server does not support`);
  });

  it("warns about unknown formats, and about unusable columns", () => {
    const crd = definition({
      schema: { type: "object", properties: { a: { type: "string", format: "poem" } } },
      version: {
        additionalPrinterColumns: [{ name: "A", type: "string", jsonPath: ".a[" }],
      },
    });
    const warnings = [
      'unrecognized format "poem"',
      "spec.versions[0].additionalPrinterColumns[0].jsonPath: unrecognized column definition: unterminated array",
    ];
    expect(definitionRules.warnings?.(crd, undefined)).toEqual(warnings);
    expect(definitionRules.warnings?.(crd, crd)).toEqual(warnings.slice(1));
  });
});

describe("a new definition", () => {
  it("gets default names, and a status with the storage version only", () => {
    const crd = { ...(definition() as JsonObject), status: { storedVersions: ["v7"] } } as unknown as ApiObject;
    expect(prepareNewDefinition(crd)).toMatchObject({
      spec: {
        names: { plural: "foos", kind: "Foo", singular: "foo", listKind: "FooList" },
        conversion: { strategy: "None" },
      },
      status: { acceptedNames: { kind: "", plural: "" }, storedVersions: ["v1"] },
    });
  });
});

describe("a change of a definition", () => {
  const version = (name: string, storage: boolean): JsonObject => ({
    name,
    served: true,
    storage,
    schema: { openAPIV3Schema: { type: "object" } },
  });
  const served = established(definition());
  const unserved = { ...(served as JsonObject), status: { storedVersions: ["v1"] } } as unknown as ApiObject;
  const immutable = "field is immutable";
  const gone =
    "missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions";
  const cases: Record<string, [old: ApiObject, crd: ApiObject, issues: string[]]> = {
    "without a difference": [served, definition(), []],
    "of its scope": [
      served,
      definition({ spec: { scope: "Cluster" } }),
      [`spec.scope: Invalid value: "Cluster": ${immutable}`],
    ],
    "of its scope, before it is served": [unserved, definition({ spec: { scope: "Cluster" } }), []],
    "of its kind": [
      served,
      definition({ names: { kind: "Bar" } }),
      [`spec.names.kind: Invalid value: "Bar": ${immutable}`],
    ],
    "of its kind, before it is served": [unserved, definition({ names: { kind: "Bar" } }), []],
    "of its plural, before or after it is served": [
      unserved,
      definition({ names: { plural: "bars" } }),
      [`spec.names.plural: Invalid value: "bars": ${immutable}`],
    ],
    "of its group": [
      served,
      definition({ spec: { group: "other.com" } }),
      [`spec.group: Invalid value: "other.com": ${immutable}`],
    ],
    "that adds a storage version": [
      served,
      definition({ spec: { versions: [version("v1", false), version("v2", true)] } }),
      [],
    ],
    "that drops a version objects may be stored in": [
      served,
      definition({ spec: { versions: [version("v2", true)] } }),
      [`status.storedVersions[0]: Invalid value: "v1": ${gone}`],
    ],
  };
  for (const [name, [old, crd, issues]] of Object.entries(cases)) {
    it(name, () => {
      const prepared = prepareUpdatedDefinition(crd, old);
      expect(definitionIssues(prepared, old).map(issueText)).toEqual(issues);
    });
  }

  it("keeps every stored version", () => {
    const crd = definition({ spec: { versions: [version("v1", false), version("v2", true)] } });
    expect(prepareUpdatedDefinition(crd, served)["status"]).toMatchObject({ storedVersions: ["v1", "v2"] });
  });

  it("of the status is not validated against the spec", () => {
    const broken = { ...(served as JsonObject), spec: {} } as unknown as ApiObject;
    expect(definitionIssues(prepareUpdatedDefinition(broken, served, "status"), served, "status")).toEqual([]);
  });
});
