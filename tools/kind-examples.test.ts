import { readdirSync, readFileSync } from "node:fs";
import type { JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { compileSchema } from "@milo-quota/kubernetes/schema/compiled-schema.ts";
import { walkObject } from "@milo-quota/kubernetes/schema/walk.ts";
import { quotaKinds } from "@milo-quota/quota/core/resources/kinds.ts";
import { tenancyKinds } from "@milo-quota/quota/tenancy/resources/tenancy-kinds.ts";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";

const kinds = [...quotaKinds, ...tenancyKinds];
const matcherOf = (pattern: string) => (text: string) => new RegExp(pattern, "u").test(text);

describe("examples/kinds, which the reference pages show", () => {
  it("has a file for each kind, and no others", () => {
    expect(readdirSync("examples/kinds").sort()).toEqual(kinds.map(({ singular }) => `${singular}.yaml`).sort());
  });

  it.each(kinds)("$kind fits its schema, without unknown fields", ({ group, version, kind, singular, schema }) => {
    const documents = parseAllDocuments(readFileSync(`examples/kinds/${singular}.yaml`, "utf8"));
    expect(documents).toHaveLength(1);
    const example = documents[0]?.toJS() as JsonValue;
    expect(example).toMatchObject({ apiVersion: `${group}/${version}`, kind });
    const { issues, unknownFields } = walkObject(compileSchema(schema, matcherOf), example);
    expect({ issues, unknownFields }).toEqual({ issues: [], unknownFields: [] });
  });
});
