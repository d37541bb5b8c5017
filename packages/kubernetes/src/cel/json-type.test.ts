import { describe, expect, it } from "vitest";
import type { JsonObject } from "../protocol/json-value.ts";
import { formatType } from "./cel-type.ts";
import { compile } from "./compile.ts";
import { createEnvironment } from "./environment.ts";
import { jsonType } from "./json-type.ts";

const components: Readonly<Record<string, JsonObject>> = {
  "#/components/schemas/v1.Meta": {
    type: "object",
    properties: {
      name: { type: "string" },
      namespace: { type: "string" },
      created: { type: "string", format: "date-time" },
      labels: { type: "object", additionalProperties: { type: "string" } },
    },
  },
  "#/components/schemas/v1.Tree": {
    type: "object",
    properties: {
      name: { type: "string" },
      children: { type: "array", items: { $ref: "#/components/schemas/v1.Tree" } },
    },
  },
  "#/components/schemas/resource.Quantity": { oneOf: [{ type: "string" }, { type: "number" }] },
};

const schema: JsonObject = {
  type: "object",
  properties: {
    metadata: { allOf: [{ $ref: "#/components/schemas/v1.Meta" }], default: {} },
    spec: {
      type: "object",
      properties: {
        replicas: { type: "integer", format: "int32" },
        ratio: { type: "number" },
        paused: { type: "boolean" },
        port: { "x-kubernetes-int-or-string": true },
        note: { type: "string", nullable: true },
        owner: { type: "object", nullable: true, properties: { name: { type: "string" } } },
        size: { $ref: "#/components/schemas/resource.Quantity" },
        "my-key": { type: "integer" },
        any: { type: "object" },
        open: { type: "object", properties: { a: { type: "string" } }, "x-kubernetes-preserve-unknown-fields": true },
        embedded: { type: "object", properties: { kind: { type: "string" } }, "x-kubernetes-embedded-resource": true },
        containers: { type: "array", items: { type: "object", properties: { image: { type: "string" } } } },
      },
    },
    tree: { $ref: "#/components/schemas/v1.Tree" },
    dangling: { $ref: "#/components/schemas/v1.Missing" },
  },
};

const environment = createEnvironment({
  variables: { trigger: jsonType(schema, (reference) => components[reference]) },
});

function typeOrIssues(expression: string): string {
  const compiled = compile(expression, environment);
  return compiled.ok
    ? formatType(compiled.program.resultType)
    : compiled.issues.map(({ message }) => message).join("; ");
}

describe("the type of JSON with a schema", () => {
  const types: Record<string, string> = {
    "trigger.spec.replicas": "int",
    "trigger.spec.ratio": "dyn",
    "trigger.spec.paused": "bool",
    "trigger.spec.port": "dyn",
    "trigger.spec.note": "wrapper(string)",
    "trigger.spec.owner.anything": "dyn",
    "quantity(trigger.spec.size)": "kubernetes.Quantity",
    "trigger.metadata.namespace": "string",
    "trigger.metadata.created": "string",
    "trigger.metadata.labels.team": "string",
    "trigger.spec.any.thing.at.all": "dyn",
    "trigger.spec.open.a": "string",
    "trigger.spec.open.undeclared": "dyn",
    "trigger.spec.embedded.spec.x": "dyn",
    "trigger.tree.children[0].children[0].name": "dyn",
    "trigger.dangling.x": "dyn",
    'trigger.spec["my-key"]': "dyn",
    'trigger["spec"]': "dyn",
    '"paused" in trigger.spec': "bool",
    "size(trigger.spec)": "int",
    "trigger.spec.exists(field, field == 'paused')": "bool",
    "trigger.spec.containers.map(c, c.image)": "list(string)",
    "trigger.spec.?replicas.orValue(1)": "int",
    "has(trigger.spec.replicas) ? trigger.spec.replicas : 1": "int",
  };
  for (const [expression, type] of Object.entries(types)) {
    it(`${expression} is ${type}`, () => expect(typeOrIssues(expression)).toBe(type));
  }

  const issues: Record<string, string> = {
    "trigger.metadata.namespce": "undefined field 'namespce'; did you mean 'namespace'?",
    "trigger.spec.replica": "undefined field 'replica'; did you mean 'replicas'?",
    "has(trigger.spec.replica)": "undefined field 'replica'; did you mean 'replicas'?",
    "trigger.spec.customer": "undefined field 'customer'",
    "trigger.spec.containers[0].imagee": "undefined field 'imagee'; did you mean 'image'?",
    "trigger.spec.replicas + 'x'": "found no matching overload for '_+_' applied to '(int, string)'",
    "trigger.spec.replicas == 'x'": "found no matching overload for '_==_' applied to '(int, string)'",
    "trigger.spec.containers.image": "type 'list(containers)' does not support field selection",
  };
  for (const [expression, issue] of Object.entries(issues)) {
    it(`rejects ${expression}`, () => expect(typeOrIssues(expression)).toBe(issue));
  }
});
