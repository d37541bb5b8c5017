import { customCases, definition, group, schemaOf, version, widgetAt, widgets } from "../custom-kind.ts";
import { get, patch, post, put, remove } from "../steps.ts";

const crd = definition([
  version(
    schemaOf({
      properties: {
        text: { type: "string" },
        colour: { type: "string", default: "red" },
        set: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
        atoms: { type: "array", items: { type: "string" } },
        whole: {
          type: "object",
          "x-kubernetes-map-type": "atomic",
          properties: { a: { type: "string" }, b: { type: "string" } },
        },
        map: { type: "object", additionalProperties: { type: "string" } },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        ports: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["port", "protocol"],
          items: {
            type: "object",
            required: ["port"],
            properties: {
              port: { type: "integer" },
              protocol: { type: "string", default: "TCP" },
              name: { type: "string" },
            },
          },
        },
      },
    }),
    { subresources: { status: {} } },
  ),
]);

const object = (spec: object, more: object = {}) => ({
  apiVersion: `${group}/v1`,
  kind: "Widget",
  metadata: { name: "one" },
  spec,
  ...more,
});
const apply = (spec: object, manager: string, query = "") =>
  patch("apply", `${widgetAt}?fieldManager=${manager}${query}`, object(spec));

export const customApplyCases = customCases("custom apply", crd, {
  "a new object": [apply({ text: "a" }, "one")],
  "members of a set": [
    apply({ set: ["a", "b"] }, "one"),
    apply({ set: ["b", "c"] }, "two"),
    apply({ set: ["a"] }, "one"),
    apply({}, "two"),
  ],
  "an atomic list": [
    apply({ atoms: ["a"] }, "one"),
    apply({ atoms: ["b"] }, "two"),
    apply({ atoms: ["b"] }, "two", "&force=true"),
  ],
  "an atomic object": [
    apply({ whole: { a: "1" } }, "one"),
    apply({ whole: { b: "2" } }, "two"),
    apply({ whole: { a: "1" } }, "two"),
  ],
  "members by their keys": [
    apply({ ports: [{ port: 80, name: "http" }] }, "one"),
    apply({ ports: [{ port: 80, protocol: "UDP", name: "dns" }, { port: 443 }] }, "two"),
    apply({ ports: [{ port: 80, protocol: "TCP", name: "web" }] }, "two"),
    apply({ ports: [] }, "one"),
  ],
  "members without a key": [apply({ ports: [{ name: "x" }] }, "one")],
  "a duplicate key": [apply({ ports: [{ port: 80 }, { port: 80 }] }, "one")],
  "a duplicate set member": [apply({ set: ["a", "a"] }, "one")],
  "keys of a map": [
    apply({ map: { a: "1" } }, "one"),
    apply({ map: { b: "2" } }, "two"),
    apply({ map: { a: "2" } }, "two"),
  ],
  "unknown fields": [
    apply({ free: { a: { b: 1 } } }, "one"),
    apply({ free: { a: { c: 2 } } }, "two"),
    apply({ free: { a: { b: 2 } } }, "two"),
  ],
  "an unknown field": [apply({ nope: 1 }, "one"), apply({ nope: 1 }, "one", "&fieldValidation=Strict")],
  "a wrong type": [apply({ text: 5 }, "one"), apply({ ports: "x" }, "one")],
  "a default that it takes over": [
    apply({ text: "a" }, "one"),
    apply({ text: "a", colour: "red" }, "two"),
    apply({ text: "a", colour: "blue" }, "one"),
  ],
  "a status": [
    apply({ text: "a" }, "one"),
    patch("apply", `${widgetAt}/status?fieldManager=keeper`, object({ text: "b" }, { status: { seen: 1 } })),
    patch("apply", `${widgetAt}/status?fieldManager=other`, object({}, { status: { seen: 2 } })),
  ],
  "over an update": [
    post(`${widgets}?fieldManager=editor`, object({ text: "a", set: ["x"] })),
    apply({ text: "b", set: ["y"] }, "one"),
    apply({ text: "a", set: ["y"] }, "one"),
    patch("merge", `${widgetAt}?fieldManager=editor`, { spec: { set: ["z"] } }),
  ],
  "by an update that removes fields": [
    apply({ text: "a", map: { a: "1", b: "2" } }, "one"),
    patch("json", `${widgetAt}?fieldManager=editor`, [{ op: "remove", path: "/spec/map/a" }]),
    apply({ text: "a", map: { a: "1", b: "2" } }, "one"),
  ],
  "after a delete": [apply({ text: "a" }, "one"), remove(widgetAt), apply({ text: "b" }, "two"), get(widgetAt)],
  "by client-side apply": [
    post(
      `${widgets}?fieldManager=kubectl-client-side-apply`,
      object(
        { text: "a", map: { a: "1" } },
        {
          metadata: {
            name: "one",
            annotations: {
              "kubectl.kubernetes.io/last-applied-configuration": `{"apiVersion":"${group}/v1","kind":"Widget","metadata":{"name":"one"},"spec":{"text":"a","map":{"a":"1"}}}`,
            },
          },
        },
      ),
    ),
    apply({ text: "b" }, "kubectl"),
  ],
  "managed fields that a client sends": [
    apply({ text: "a" }, "one"),
    put(`${widgetAt}?fieldManager=editor`, object({ text: "b" }, { metadata: { name: "one", managedFields: [] } })),
    patch("merge", `${widgetAt}?fieldManager=editor`, { metadata: { managedFields: [{}] } }),
    patch("merge", `${widgetAt}?fieldManager=editor`, {
      metadata: { managedFields: [{ manager: "x", operation: "Odd", apiVersion: "v1" }] },
    }),
  ],
  "without a manager": [patch("apply", widgetAt, object({}))],
  "another version": [patch("apply", `${widgetAt}?fieldManager=one`, { ...object({}), apiVersion: `${group}/v9` })],
});
