import { compileSchema } from "@milo-quota/kubernetes/schema/compiled-schema.ts";
import { expect, it } from "vitest";
import { partFitsSchema, prunedObject } from "./fit-cache.ts";

const schemaOf = (...names: readonly string[]) =>
  compileSchema({ type: "object", properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])) });

it("a part validated by one schema is validated again by another", () => {
  const part = { a: "x", b: "y" };
  const [both, less] = [schemaOf("a", "b"), schemaOf("a")];
  expect([both, less, both, less].map((schema) => partFitsSchema(schema, part))).toEqual([true, false, true, false]);
});

it("an object whose definition changed is pruned and defaulted again in the parts that no longer match", () => {
  const [spec, status] = [{ a: "x", b: "y" }, { a: "x" }];
  const whole = { apiVersion: "v1", kind: "Thing", metadata: {}, spec, status };
  const schemas = [schemaOf("a", "b"), schemaOf("a")].map(({ schema }) =>
    compileSchema({ type: "object", properties: { spec: schema, status: schema } }),
  );
  const [before, after] = schemas.map((schema) => prunedObject(schema, whole));
  expect(before?.value).toBe(whole);
  expect(after).toEqual({ value: { ...whole, spec: { a: "x" } }, unknownFields: ["spec.b"] });
});

it("objects share the default of a field, which is frozen", () => {
  const list = { type: "array", items: { type: "string" } } as const;
  const spec = { type: "object", properties: { list }, default: { list: ["a"] } } as const;
  const schema = compileSchema({ type: "object", properties: { spec } });
  const [one, other] = [{}, { metadata: {} }].map(
    (object) => prunedObject(schema, object).value as unknown as { spec: { list: string[] } },
  );
  expect(one?.spec).toEqual({ list: ["a"] });
  expect(one?.spec).toBe(other?.spec);
  expect(() => one?.spec.list.push("b")).toThrow(TypeError);
});
