import { describe, expect, it } from "vitest";
import { compileSchema } from "./compiled-schema.ts";
import { crdOf } from "./crd.ts";
import type { KindDefinition } from "./kind-definition.ts";
import { ruleSites } from "./rule-sites.ts";
import type { Schema } from "./structural-schema.ts";

const widget: KindDefinition = {
  group: "example.miloapis.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  singular: "widget",
  shortNames: ["w"],
  categories: ["all"],
  scope: "Namespaced",
  schema: {
    type: "object",
    required: ["spec"],
    properties: { spec: { type: "object", properties: { size: { type: "integer" } } } },
  },
  printerColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
  selectableFields: ["spec.size"],
};

describe("a CustomResourceDefinition", () => {
  it("has all properties of a kind", () => {
    expect(crdOf(widget)).toMatchObject({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "widgets.example.miloapis.com" },
      spec: {
        group: "example.miloapis.com",
        scope: "Namespaced",
        names: {
          kind: "Widget",
          listKind: "WidgetList",
          plural: "widgets",
          singular: "widget",
          shortNames: ["w"],
          categories: ["all"],
        },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            subresources: { status: {} },
            additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
            selectableFields: [{ jsonPath: ".spec.size" }],
            schema: {
              openAPIV3Schema: {
                type: "object",
                required: ["spec"],
                properties: { apiVersion: { type: "string" }, metadata: { type: "object" }, spec: { type: "object" } },
              },
            },
          },
        ],
      },
    });
  });
});

describe("rule sites", () => {
  const rule = (text: string): Pick<Schema, "x-kubernetes-validations"> => ({
    "x-kubernetes-validations": [{ rule: text }],
  });
  const keyed = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] } as const;
  const item: Schema = { type: "object", properties: { k: { type: "string" }, v: { type: "integer", ...rule("v") } } };
  const compiled = compileSchema({
    type: "object",
    ...rule("root"),
    properties: {
      keyed: { type: "array", ...keyed, items: item },
      plain: { type: "array", items: item },
      map: { type: "object", additionalProperties: { type: "integer", ...rule("m") } },
      sealed: {
        type: "object",
        "x-kubernetes-map-type": "atomic",
        properties: { s: { type: "string", ...rule("s") } },
      },
      dull: { type: "object", properties: { x: { type: "string" } } },
    },
  });

  it("pair new values with old ones where Kubernetes does", () => {
    const self = {
      keyed: [{ k: "b", v: 2 }],
      plain: [{ k: "b", v: 3 }],
      map: { "x/y": 4 },
      sealed: { s: "new" },
      dull: { x: "" },
    };
    const oldSelf = {
      keyed: [
        { k: "a", v: 0 },
        { k: "b", v: 1 },
      ],
      plain: [{ k: "b", v: 1 }],
      map: { "x/y": 1 },
      sealed: { s: "old" },
    };
    const sites = [...ruleSites(compiled, self, oldSelf)].map((site) => [
      site.path,
      site.rules[0]?.rule,
      site.self,
      site.oldSelf,
    ]);
    expect(sites).toEqual([
      ["", "root", self, oldSelf],
      ["keyed[0].v", "v", 2, 1],
      ["plain[0].v", "v", 3, undefined],
      ["map[x/y]", "m", 4, 1],
      ["sealed.s", "s", "new", "old"],
    ]);
  });

  it("have no old value on create", () => {
    const sites = [...ruleSites(compiled, { map: { a: 1 } }, undefined)];
    expect(sites.map((site) => site.oldSelf)).toEqual([undefined, undefined]);
  });
});
