import { readFileSync } from "node:fs";
import { issueText } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { JsonObject, JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { walkObject } from "@milo-quota/kubernetes/schema/walk.ts";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { definition, established, field, type SampleParts } from "../../../../test/definition-samples.ts";
import type { ApiObject } from "../../kinds/api-object.ts";
import type { WrittenSubresource } from "../../kinds/served-kind.ts";
import { type CustomKind, kindsOf, type UnknownFieldHint } from "./custom-kind.ts";

const kindOf = (crd: ApiObject): CustomKind => kindsOf(established(crd))[0] as CustomKind;

const object = (content: JsonObject): ApiObject =>
  ({ apiVersion: "example.com/v1", kind: "Foo", metadata: { name: "a", namespace: "n" }, ...content }) as ApiObject;

/** The issues of `new`, on create or as an update of `old`, after defaulting and pruning. */
function issuesOf(crd: ApiObject, content: JsonObject, old?: JsonObject, part: WrittenSubresource = ""): string[] {
  const kind = kindOf(crd);
  const shaped = (one: JsonObject): ApiObject => walkObject(kind.schema, object(one)).value as ApiObject;
  const before = old === undefined ? undefined : shaped(old);
  return (kind.rules.validate?.(shaped(content), before, part) ?? []).map(issueText);
}

describe("a definition serves kinds", () => {
  it("only once it is established", () => {
    expect(kindsOf(definition())).toEqual([]);
    expect(kindsOf(established(definition()))).toHaveLength(1);
  });

  it("one for each served version, with the accepted names", () => {
    const version = (name: string, parts: JsonObject): JsonObject => ({
      ...{ name, served: true, storage: false, schema: { openAPIV3Schema: { type: "object" } } },
      ...parts,
    });
    const crd = established(
      definition({
        names: { shortNames: ["f"], categories: ["all"] },
        spec: {
          versions: [
            version("v1", { storage: true, subresources: { status: {} } }),
            version("v1beta1", { served: false }),
            version("v1alpha1", { deprecated: true }),
          ],
        },
      }),
    );
    expect(kindsOf(crd, 7)).toMatchObject([
      {
        ...{ group: "example.com", version: "v1", kind: "Foo", listKind: "FooList", plural: "foos", singular: "foo" },
        ...{ shortNames: ["f"], categories: ["all"], scope: "Namespaced", storageVersion: "v1", hasStatus: true },
        ...{ isCustom: true, hasGeneration: true, deprecationWarning: undefined },
        columns: [{ name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" }],
      },
      {
        ...{ version: "v1alpha1", storageVersion: "v1", hasStatus: false },
        deprecationWarning: "example.com/v1alpha1 Foo is deprecated; use example.com/v1 Foo",
      },
    ]);
  });

  it("from every definition of Milo Quota", () => {
    const crd = parse(readFileSync("deploy/crds/quota.miloapis.com_resourceclaims.yaml", "utf8")) as ApiObject;
    const [kind] = kindsOf(established(crd));
    expect(kind).toMatchObject({ plural: "resourceclaims", hasStatus: true, storageVersion: "v1alpha1" });
    expect(kind?.columns.length).toBeGreaterThan(1);
  });

  it("that share one compiled schema when schemas are equal", () => {
    const [here, there] = [definition(), definition()].map((crd) => kindOf(crd).schema);
    expect(here).toBe(there);
    expect(kindOf(field({ type: "string" })).schema).not.toBe(here);
  });

  it("whose objects stay current when the definition is rewritten", () => {
    const crd = established(definition({ metadata: { uid: "a-uid-of-its-own" } }));
    const changed = established(
      definition({ metadata: { uid: "a-uid-of-its-own" }, schema: { type: "object", title: "x" } }),
    );
    const revisions = [kindsOf(crd, 10), kindsOf(crd, 20), kindsOf(changed, 30), kindsOf(changed, 40)];
    expect(revisions.map(([kind]) => kind?.schemaRevision)).toEqual([10, 10, 30, 30]);
  });

  const warnings: Record<string, [SampleParts["version"], string | undefined]> = {
    "no warning": [{}, undefined],
    "the warning of its author": [{ deprecated: true, deprecationWarning: "go away" }, "go away"],
    "a warning without an alternative": [{ deprecated: true }, "example.com/v1 Foo is deprecated"],
  };
  for (const [name, [version, warning]] of Object.entries(warnings)) {
    it(`with ${name}`, () => expect(kindOf(definition({ version: version ?? {} })).deprecationWarning).toBe(warning));
  }

  it("with columns up to the first unusable one", () => {
    const column = (name: string, jsonPath: string): JsonObject => ({ name, type: "string", jsonPath });
    const additionalPrinterColumns = [column("A", ".a"), column("B", ".b["), column("C", ".c")];
    expect(kindOf(definition({ version: { additionalPrinterColumns } })).columns.map(({ name }) => name)).toEqual([
      "A",
    ]);
  });

  it("with selectable fields", () => {
    const schema: JsonObject = {
      type: "object",
      properties: { spec: { type: "object", properties: { on: { type: "boolean" }, n: { type: "integer" } } } },
    };
    const selectableFields = [{ jsonPath: ".spec.on" }, { jsonPath: ".spec.n" }];
    const { selectableFields: fields, rules } = kindOf(definition({ schema, version: { selectableFields } }));
    expect(fields).toEqual(["spec.on", "spec.n"]);
    const chosen = object({ spec: { on: false } });
    expect(fields.map((name) => rules.selectField?.(chosen, name))).toEqual(["false", ""]);
  });
});

it("a kind has the server's hints about unknown fields", () => {
  const hintFor: UnknownFieldHint = ({ group, version, kind }, field) => `${group}/${version} ${kind} ${field}`;
  const [kind] = kindsOf(established(definition()), 0, hintFor);
  expect(kind?.unknownFieldHint?.("spec.a")).toBe("example.com/v1 Foo spec.a");
  expect(kindOf(definition()).unknownFieldHint).toBeUndefined();
});

describe("rules of a custom kind", () => {
  const text = (...rules: JsonObject[]): ApiObject => field({ type: "string", "x-kubernetes-validations": rules });
  const cases: Record<string, [crd: ApiObject, content: JsonObject, old: JsonObject | undefined, issues: string[]]> = {
    "report the failed rule": [
      text({ rule: " self == 'x' " }),
      { f: "y" },
      undefined,
      [`f: Invalid value: "string": failed rule: self == 'x'`],
    ],
    "report their message": [
      text({ rule: "self == 'x'", message: " must be x " }),
      { f: "y" },
      undefined,
      [`f: Invalid value: "string": must be x`],
    ],
    "report the result of their messageExpression": [
      text({ rule: "self == 'x'", message: "no", messageExpression: "'must be x, not ' + self" }),
      { f: "y" },
      undefined,
      [`f: Invalid value: "string": must be x, not y`],
    ],
    "fall back to the message when the messageExpression is empty": [
      text({ rule: "self == 'x'", message: "no", messageExpression: "'  '" }),
      { f: "y" },
      undefined,
      [`f: Invalid value: "string": no`],
    ],
    "fall back to the rule when the messageExpression fails": [
      text({ rule: "self == 'x'", messageExpression: "self.substring(99)" }),
      { f: "y" },
      undefined,
      [`f: Invalid value: "string": failed rule: self == 'x'`],
    ],
    "report their reasons": [
      text(
        { rule: "false", message: "a", reason: "FieldValueForbidden" },
        { rule: "false", message: "b", reason: "FieldValueRequired" },
        { rule: "false", message: "c", reason: "FieldValueDuplicate" },
      ),
      { f: "y" },
      undefined,
      ["f: Forbidden: a", "f: Required value: b", 'f: Duplicate value: "string"'],
    ],
    "report the field of their fieldPath": [
      field({
        type: "object",
        properties: { a: { type: "object", properties: { b: { type: "string" } } } },
        "x-kubernetes-validations": [{ rule: "false", message: "no", fieldPath: ".a.b" }],
      }),
      { f: {} },
      undefined,
      ['f.a.b: Invalid value: "object": no'],
    ],
    "report no field at the root": [
      definition({ schema: { type: "object", "x-kubernetes-validations": [{ rule: "self.metadata.name == 'b'" }] } }),
      {},
      undefined,
      [`<nil>: Invalid value: "object": failed rule: self.metadata.name == 'b'`],
    ],
    "report why they could not be evaluated": [
      field({
        type: "object",
        properties: { a: { type: "integer" } },
        "x-kubernetes-validations": [{ rule: "10 / self.a > 1" }, { rule: "self.a > 0" }],
      }),
      { f: {} },
      undefined,
      [
        'f: Invalid value: "object": no such key: a evaluating rule: 10 / self.a > 1',
        'f: Invalid value: "object": no such key: a evaluating rule: self.a > 0',
      ],
    ],
    "report mismatched types": [
      field({ "x-kubernetes-int-or-string": true, "x-kubernetes-validations": [{ rule: "self > 5" }] }),
      { f: "x" },
      undefined,
      [
        "f: Invalid value: \"\": 'no such overload': call arguments did not match a supported operator, function or macro signature for rule: self > 5",
      ],
    ],
    "are not evaluated for nulls": [
      field({ type: "string", nullable: true, "x-kubernetes-validations": [{ rule: "false" }] }),
      { f: null },
      undefined,
      [],
    ],
    "are not evaluated where the schema rejects the value": [
      field({ type: "string", maxLength: 1, "x-kubernetes-validations": [{ rule: "false" }] }),
      { f: "yy" },
      undefined,
      [
        "f: Too long: may not be more than 1 byte",
        "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
      ],
    ],
    "are evaluated beside issues that do not affect types": [
      field({ type: "string", pattern: "^a", "x-kubernetes-validations": [{ rule: "false" }] }),
      { f: "y" },
      undefined,
      [`f: Invalid value: "y": f in body should match '^a'`, 'f: Invalid value: "string": failed rule: false'],
    ],
    "compare with the old value on an update": [
      text({ rule: "self == oldSelf", message: "is immutable" }),
      { f: "b" },
      { f: "a" },
      ['f: Invalid value: "string": is immutable'],
    ],
    "skip transition rules on create": [text({ rule: "self == oldSelf" }), { f: "b" }, undefined, []],
    "skip transition rules where there is no old value": [text({ rule: "self == oldSelf" }), { f: "b" }, {}, []],
    "may use an optional old value": [
      text({ rule: "oldSelf.hasValue() && oldSelf.value() == self", optionalOldSelf: true }),
      { f: "b" },
      undefined,
      [`f: Invalid value: "string": failed rule: oldSelf.hasValue() && oldSelf.value() == self`],
    ],
    "read date-times as timestamps": [
      field({
        type: "string",
        format: "date-time",
        "x-kubernetes-validations": [{ rule: "self > timestamp('2026-01-01T00:00:00Z')" }],
      }),
      { f: "2025-01-01T00:00:00Z" },
      undefined,
      [`f: Invalid value: "string": failed rule: self > timestamp('2026-01-01T00:00:00Z')`],
    ],
    "apply to the values of maps": [
      field({
        type: "object",
        additionalProperties: { type: "integer", "x-kubernetes-validations": [{ rule: "self > 1" }] },
      }),
      { f: { "a.b": 1, c: 2 } },
      undefined,
      ['f[a.b]: Invalid value: "integer": failed rule: self > 1'],
    ],
  };
  for (const [name, [crd, content, old, issues]] of Object.entries(cases)) {
    it(name, () => expect(issuesOf(crd, content, old)).toEqual(issues));
  }
});

describe("items of a list", () => {
  const items: JsonObject = {
    type: "object",
    required: ["k"],
    properties: { k: { type: "string" }, v: { type: "integer" } },
    "x-kubernetes-validations": [{ rule: "self.v >= oldSelf.v", message: "may not shrink" }],
  };
  const keyed: JsonObject = { type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] };

  it("are correlated by their keys", () => {
    const crd = field({ ...keyed, items });
    const old = [
      { k: "a", v: 1 },
      { k: "b", v: 5 },
    ];
    expect(issuesOf(crd, { f: [{ k: "b", v: 4 }, { k: "a", v: 2 }, { k: "c" }] }, { f: old })).toEqual([
      'f[0]: Invalid value: "object": may not shrink',
    ]);
  });

  it("may be reordered where they have keys", () => {
    const { "x-kubernetes-validations": _, ...plain } = items;
    const fixed = { "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "is fixed" }] };
    const [ab, ba] = [
      [{ k: "a" }, { k: "b" }],
      [{ k: "b" }, { k: "a" }],
    ] as JsonValue[] as [JsonValue, JsonValue];
    expect(issuesOf(field({ ...keyed, ...fixed, items: plain }), { f: ba }, { f: ab })).toEqual([]);
    const atomic = field({ type: "array", ...fixed, items: plain });
    expect(issuesOf(atomic, { f: ba }, { f: ab })).toEqual(['f: Invalid value: "array": is fixed']);
  });

  it("may keep duplicates, but not add any", () => {
    const crd = field({ type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } });
    expect(issuesOf(crd, { f: ["a", "a"] })).toEqual(['f[1]: Duplicate value: "a"']);
    expect(issuesOf(crd, { f: ["a", "a"] }, { f: ["a"] })).toEqual(['f[1]: Duplicate value: "a"']);
    expect(issuesOf(crd, { f: ["a", "a", "b", "b"] }, { f: ["c", "c"] })).toEqual([]);
  });
});

describe("ratcheting of unchanged parts", () => {
  const schema: JsonObject = {
    type: "object",
    properties: {
      a: { type: "string", maxLength: 1, "x-kubernetes-validations": [{ rule: "self != 'x'" }] },
      b: { type: "string" },
    },
  };
  const crd = definition({ schema: { type: "object", properties: { spec: schema } } });

  it("accepts an update although the schema became stricter", () => {
    const old = { spec: { a: "long", b: "1" } };
    expect(issuesOf(crd, { spec: { a: "long", b: "2" } }, old)).toEqual([]);
    expect(issuesOf(crd, { spec: { a: "longer", b: "2" } }, old)[0]).toBe(
      "spec.a: Too long: may not be more than 1 byte",
    );
  });

  it("warns about a violated rule", () => {
    const { rules } = kindOf(crd);
    const [old, next] = [object({ spec: { a: "x", b: "1" } }), object({ spec: { a: "x", b: "2" } })];
    expect(rules.validate?.(next, old)).toEqual([]);
    expect(rules.warnings?.(next, old)).toEqual([`spec.a: Invalid value: "string": failed rule: self != 'x'`]);
    expect(rules.validate?.(next, undefined)?.map(issueText)).toEqual([
      `spec.a: Invalid value: "string": failed rule: self != 'x'`,
    ]);
  });
});

describe("a write of the status", () => {
  const bounded: JsonObject = { type: "object", properties: { n: { type: "integer", maximum: 1 } } };
  const crd = definition({
    schema: { type: "object", properties: { spec: bounded, status: bounded } },
    version: { subresources: { status: {} } },
  });

  it("is validated by the schema of the status only", () => {
    const [old, next] = [{ spec: { n: 5 }, status: { n: 0 } } as const, { spec: { n: 6 }, status: { n: 9 } } as const];
    expect(issuesOf(crd, next, old, "status")).toEqual([
      "status.n: Invalid value: 9: n in body should be less than or equal to 1",
    ]);
  });
});

describe("embedded objects", () => {
  const crd = field({
    type: "object",
    "x-kubernetes-embedded-resource": true,
    "x-kubernetes-preserve-unknown-fields": true,
  });

  it("have apiVersion, kind and metadata", () => {
    expect(issuesOf(crd, { f: { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: {} } })).toEqual([]);
    expect(issuesOf(crd, { f: { apiVersion: "a/b/c", metadata: { name: "a/b", labels: { "no key!": "" } } } })).toEqual(
      [
        "f.kind: Required value",
        'f.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
        `f.metadata.name: Invalid value: "a/b": may not contain '/'`,
        expect.stringMatching(/^f\.metadata\.labels: Invalid value: "no key!": name part must consist of/),
      ],
    );
  });

  it("have their metadata validated", () => {
    const metadata = {
      finalizers: ["no name!"],
      ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "", uid: "u" }],
    };
    expect(issuesOf(crd, { f: { apiVersion: "v1", kind: "Pod", metadata } })).toEqual([
      'f.metadata.ownerReferences.name: Invalid value: "": must not be empty',
      expect.stringMatching(/^f\.metadata\.finalizers: Invalid value: "no name!": name part must consist of/),
    ]);
  });

  it("lose unknown fields of metadata", () => {
    const value = object({ f: { apiVersion: "v1", kind: "Pod", metadata: { name: "a", foo: 1, labels: {} }, x: 1 } });
    expect(walkObject(kindOf(crd).schema, value)).toMatchObject({
      value: { f: { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, x: 1 } },
      unknownFields: ["f.metadata.foo"],
    });
  });

  it("must decode as objects", () => {
    const { decodeIssue } = kindOf(crd);
    expect(decodeIssue?.(object({ f: { apiVersion: 5 } }))).toBe(
      'Foo in version "v1" cannot be handled as a Foo: f.apiVersion: Invalid value: 5: must be a string',
    );
    expect(decodeIssue?.(object({ f: { metadata: { labels: { a: 1 } } } }))).toBe(
      'Foo in version "v1" cannot be handled as a Foo: f.metadata: Invalid value: {"labels":{"a":1}}: labels[a]: expected string, got number',
    );
    expect(decodeIssue?.(object({ f: {} }))).toBeUndefined();
  });
});

describe("the cost of rules", () => {
  const numbers = (count: number): JsonValue => Array.from({ length: count }, (_, at) => at);
  const list = (rule: string): ApiObject =>
    field({ type: "array", items: { type: "integer" }, "x-kubernetes-validations": [{ rule }] });

  it("is limited for each of them", () => {
    const crd = list("self.all(x, self.all(y, x + y >= 0))");
    expect(issuesOf(crd, { f: numbers(1000) })).toEqual([
      "f: Invalid value: \"array\": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: self.all(x, self.all(y, x + y >= 0))",
    ]);
  });

  it("is limited for all of them together", () => {
    const costly = { type: "array", items: { type: "integer" } };
    const rules = [{ rule: "self.all(x, self.all(y, x + y >= 0))" }];
    const items = { ...costly, "x-kubernetes-validations": rules };
    const crd = field({ type: "array", items });
    const issues = issuesOf(crd, { f: Array.from({ length: 60 }, () => numbers(240)) });
    expect(issues).toHaveLength(1);
    expect(issues[0]).toMatch(
      /^f\[\d+\]: Invalid value: "array": validation failed due to running out of cost budget, no further validation rules will be run$/,
    );
  });
});

it("warns about finalizers without a domain", () => {
  const { rules } = kindOf(definition());
  const finalizers = ["mine", "example.com", "example.com/mine", "orphan"];
  const guarded = { ...object({}), metadata: { name: "a", finalizers } } as unknown as ApiObject;
  const advice = "to avoid accidental conflicts with other finalizer writers";
  expect(rules.warnings?.(guarded, undefined)).toEqual([
    `metadata.finalizers: "example.com": prefer a domain-qualified finalizer name including a path (/) ${advice}`,
    `metadata.finalizers: "mine": prefer a domain-qualified finalizer name ${advice}`,
  ]);
  expect(rules.warnings?.(guarded, guarded)).toEqual([]);
});

it("checks replicas where objects can be scaled", () => {
  const count: JsonObject = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const crd = definition({
    schema: { type: "object", properties: { spec: count, status: count } },
    version: { subresources: { scale: { specReplicasPath: ".spec.n", statusReplicasPath: ".status.n" } } },
  });
  expect(issuesOf(crd, { spec: { n: -1 }, status: { n: 2 ** 31 } })).toEqual([
    ".spec.n: Invalid value: -1: should be a non-negative integer",
    ".status.n: Invalid value: 2147483648: should be less than or equal to 2147483647",
  ]);
  expect(issuesOf(crd, { spec: { n: "2" } })).toEqual([".spec.n: Invalid value: 0: expected integer, got string"]);
  expect(issuesOf(crd, { spec: {} })).toEqual([]);
});
