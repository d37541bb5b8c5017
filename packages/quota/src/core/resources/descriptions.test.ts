import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { expect, it } from "vitest";
import { quotaKinds } from "./kinds.ts";

/** Paths of fields that `kubectl explain` shows as `<no description>`. */
function undescribed(schema: Schema, path: string): readonly string[] {
  const {
    items,
    properties = {},
    additionalProperties,
  } = schema as {
    readonly items?: Schema;
    readonly properties?: Readonly<Record<string, Schema>>;
    readonly additionalProperties?: Schema | boolean;
  };
  const fields = Object.entries(properties).flatMap(([name, field]) => [
    ...(field.description?.endsWith(".") ? [] : [`${path}.${name}`]),
    ...undescribed(field, `${path}.${name}`),
  ]);
  const nested = [items, additionalProperties].filter((each) => typeof each === "object");
  return [...fields, ...nested.flatMap((each) => undescribed(each, `${path}[]`))];
}

for (const { kind, schema } of quotaKinds) {
  it(`every field of ${kind} is described in a sentence`, () => {
    expect(schema.description).toMatch(/\.$/);
    expect(undescribed(schema, kind)).toEqual([]);
  });
}
