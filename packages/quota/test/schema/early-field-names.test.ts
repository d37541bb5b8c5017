import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { earlyNameHint, earlyNameIssue } from "../../src/core/resources/parsing/early-field-names.ts";

interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly items?: SchemaNode;
  readonly "x-kubernetes-validations"?: readonly { readonly message: string }[];
}

const crds = readdirSync("deploy/crds").map((file) => {
  const crd = parse(readFileSync(`deploy/crds/${file}`, "utf8"));
  const schema: SchemaNode = crd.spec.versions[0].schema.openAPIV3Schema;
  return [crd.spec.names.kind as string, schema] as const;
});

function fieldsOf(schema: SchemaNode, path = ""): readonly string[] {
  const { properties = {}, items, additionalProperties } = schema;
  const below = typeof additionalProperties === "object" ? fieldsOf(additionalProperties, `${path}{}`) : [];
  return [
    ...Object.entries(properties).flatMap(([name, child]) => {
      const field = path === "" ? name : `${path}.${name}`;
      return [field, ...fieldsOf(child, field)];
    }),
    ...(items === undefined ? [] : fieldsOf(items, `${path}[]`)),
    ...below,
  ];
}

describe("early field names", () => {
  it("are in no CRD", () => {
    expect(crds).toHaveLength(7);
    for (const [kind, schema] of crds) {
      const fields = fieldsOf(schema);
      expect(fields).toContain("spec");
      expect(fields.filter((field) => /\.(ownerRef|resourceTypeName)\b/.test(field))).toEqual([]);
      expect(fields.filter((field) => earlyNameHint(kind, field) !== undefined)).toEqual([]);
    }
  });

  it("are hinted at by the CRD rule that asks for the field of today", () => {
    const [, schema] = crds.find(([kind]) => kind === "ResourceRegistration") ?? [];
    const messages = schema?.properties?.["spec"]?.["x-kubernetes-validations"]?.map(({ message }) => message) ?? [];
    expect(messages.filter((message) => message.includes("ownerRef"))).toEqual([
      "set exactly one of consumerType and consumerTypeRef, which are aliases (early manifests have ownerRef instead)",
    ]);
  });

  const hints: Record<string, [kind: string, field: string, hint: string | undefined]> = {
    "a field": ["ResourceClaim", "spec.ownerRef", "use consumerRef instead"],
    "a field of a list item": [
      "ResourceGrant",
      "spec.allowances[12].dimensionSelector",
      "use buckets[].dimensionSelector instead",
    ],
    "a field of another kind": ["ClaimCreationPolicy", "spec.ownerRef", undefined],
    "any other unknown field": ["ResourceClaim", "spec.owner", undefined],
    "a field with the name of a method": ["ResourceClaim", "toString", undefined],
    "a kind with the name of a method": ["toString", "spec.ownerRef", undefined],
  };
  it.each(Object.entries(hints))("have a hint: %s", (_, [kind, field, hint]) => {
    expect(earlyNameHint(kind, field)).toBe(hint);
    expect(earlyNameIssue(kind, field)?.message).toBe(hint && `Forbidden: unknown field; ${hint}`);
  });
});
