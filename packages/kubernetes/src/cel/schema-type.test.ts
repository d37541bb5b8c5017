import { describe, expect, it } from "vitest";
import { formatType } from "./cel-type.ts";
import { compile } from "./compile.ts";
import { createEnvironment } from "./environment.ts";
import { type SchemaShape, schemaType } from "./schema-type.ts";

const schema: SchemaShape = {
  type: "object",
  properties: {
    name: { type: "string" },
    count: { type: "integer", format: "int64" },
    ratio: { type: "number" },
    on: { type: "boolean" },
    since: { type: "string", format: "date-time" },
    wait: { type: "string", format: "duration" },
    data: { type: "string", format: "byte" },
    maybe: { type: "string", nullable: true },
    port: { "x-kubernetes-int-or-string": true },
    labels: { type: "object", additionalProperties: { type: "string" } },
    items: { type: "array", items: { type: "object", properties: { "my-key": { type: "integer" } } } },
    namespace: { type: "object", properties: {} },
  },
};

describe("the type of a schema", () => {
  const types: Record<string, string> = {
    "self.name": "string",
    "self.count": "int",
    "self.ratio": "double",
    "self.on": "bool",
    "self.since": "timestamp",
    "self.wait": "duration",
    "self.data": "bytes",
    "self.maybe": "wrapper(string)",
    "self.port": "dyn",
    "self.labels": "map(string, string)",
    "self.items[0].my__dash__key": "int",
    "self.__namespace__": "object.namespace",
  };
  const environment = createEnvironment({ variables: { self: schemaType(schema) } });
  for (const [expression, type] of Object.entries(types)) {
    it(`${expression} is ${type}`, () => {
      const compiled = compile(expression, environment);
      expect(compiled.ok ? formatType(compiled.program.resultType) : compiled.issues).toBe(type);
    });
  }

  it("has no undeclared fields", () => {
    const compiled = compile("self.missing == 1", environment);
    expect(compiled.ok ? [] : compiled.issues.map((issue) => issue.message)).toEqual(["undefined field 'missing'"]);
  });

  it("reads numbers and times by the schema", () => {
    const compiled = compile('self.ratio / 2.0 == 0.5 && self.since < timestamp("2027-01-01T00:00:00Z")', environment);
    const result = compiled.ok && compiled.program.evaluate({ self: { ratio: 1, since: "2026-01-01T00:00:00Z" } });
    expect(result).toMatchObject({ ok: true, value: true });
  });
});
