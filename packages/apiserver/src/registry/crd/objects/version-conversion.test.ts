import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { describe, expect, it } from "vitest";
import { definition } from "../../../../test/definition-samples.ts";
import type { ApiObject } from "../../kinds/api-object.ts";
import { readDefinition } from "../definitions/definition.ts";
import { versionConversion } from "./version-conversion.ts";

function schemaOf(properties: JsonObject): JsonObject {
  return { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } } };
}

const size = { type: "integer" };
const versions = [
  { name: "v1", served: true, storage: true, schema: schemaOf({ size, old: { type: "string", default: "kept" } }) },
  { name: "v2", served: true, storage: false, schema: schemaOf({ size, extra: { type: "string", default: "new" } }) },
];
const read = readDefinition(definition({ spec: { versions } }));
const [first, second] = read.versions;
const { storage } = versionConversion(read, second as NonNullable<typeof second>);

function widget(version: string, spec: JsonObject): ApiObject {
  return {
    apiVersion: `${read.group}/${version}`,
    kind: "Widget",
    metadata: { name: "a" },
    spec,
  } as unknown as ApiObject;
}

describe("a version that is not the storage version", () => {
  it("is stored pruned and defaulted by the schema of the storage version", () => {
    expect(storage?.toStored(widget("v2", { size: 1, extra: "x" }))).toEqual(widget("v1", { size: 1, old: "kept" }));
  });

  it("shows the stored fields, without its own defaults", () => {
    expect(storage?.fromStored(widget("v1", { size: 1 }))).toEqual(widget("v2", { size: 1 }));
  });

  it("is the only one that needs to be converted", () => {
    expect(versionConversion(read, first as NonNullable<typeof first>)).toEqual({});
  });
});
