import { customCases, definition, schemaOf, version, widget, widgetAt, widgets } from "../custom-kind.ts";
import { asMetadata, asMetadataList, asTable, get, patch, post, put, remove, unseen } from "../steps.ts";

const properties = {
  size: { type: "integer", minimum: 1, maximum: 10, default: 3 },
  ratio: { type: "number", multipleOf: 0.5 },
  color: { type: "string", enum: ["red", "green"] },
  name: { type: "string", minLength: 2, maxLength: 5, pattern: "^[a-z]+$" },
  when: { type: "string", format: "date-time" },
  day: { type: "string", format: "date" },
  id: { type: "string", format: "uuid" },
  mail: { type: "string", format: "email" },
  data: { type: "string", format: "byte" },
  address: { type: "string", format: "ipv4" },
  span: { type: "string", format: "duration" },
  count: { type: "integer", format: "int32" },
  big: { type: "integer", format: "int64" },
  port: { "x-kubernetes-int-or-string": true },
  free: { type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: { a: { type: "string" } } },
  nothing: { type: "string", nullable: true },
  filled: { type: "object", default: {}, properties: { b: { type: "string", default: "x" } } },
  labels: { type: "object", additionalProperties: { type: "string" }, maxProperties: 2 },
  set: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set", maxItems: 3 },
  parts: {
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
    items: {
      type: "object",
      required: ["name"],
      properties: { name: { type: "string" }, value: { type: "string", default: "none" } },
    },
  },
  plainList: { type: "array", minItems: 1, items: { type: "integer" } },
  either: {
    type: "object",
    properties: { a: { type: "string" }, b: { type: "string" } },
    oneOf: [{ required: ["a"] }, { required: ["b"] }],
  },
  some: { type: "integer", anyOf: [{ minimum: 5 }, { maximum: 1 }], not: { enum: [7] } },
  inner: {
    type: "object",
    "x-kubernetes-embedded-resource": true,
    "x-kubernetes-preserve-unknown-fields": true,
  },
  flag: { type: "boolean" },
};

const crd = definition([version(schemaOf({ properties, required: ["color"] }), { subresources: { status: {} } })]);
const good = widget({ color: "red" });
const created = post(widgets, good, unseen);
const sent = (spec: unknown) => [post(widgets, widget(spec), { anyOrder: true })];
const red = (more: object) => sent({ color: "red", ...more });

export const customObjectCases = customCases("custom object", crd, {
  "a new object": [post(widgets, good), get(widgetAt)],
  "with defaults inside of a list": red({ parts: [{ name: "a" }, { name: "b", value: "c" }] }),
  "without a kind": [post(widgets, { metadata: { name: "one" }, spec: { color: "red" } })],
  "without an apiVersion": [post(widgets, { kind: "Widget", metadata: { name: "one" }, spec: { color: "red" } })],
  "of another kind": [post(widgets, { ...good, kind: "Gadget" })],
  "of another group": [post(widgets, { ...good, apiVersion: "v1" })],
  "of another version": {
    steps: [post(widgets, { ...good, apiVersion: "{ns}.example.com/v2" })],
    mayDiffer: {
      "[0].warnings[0]": "Kubernetes warns of every field of an unknown version before it rejects the object",
    },
  },
  "without a name": [post(widgets, { ...good, metadata: {} })],
  "with a generated name": [post(widgets, { ...good, metadata: { generateName: "generated-" } })],
  "with an invalid name": [post(widgets, { ...good, metadata: { name: "Not_A_Name" } })],
  "with invalid labels": [post(widgets, { ...good, metadata: { name: "one", labels: { "a b": "-" } } })],
  "with wrong metadata": [post(widgets, { ...good, metadata: { name: "one", labels: { a: 1 } } })],
  "with unknown metadata fields": [
    post(widgets, { ...good, metadata: { name: "one", nope: 1 } }),
    remove(widgetAt, undefined, unseen),
    post(`${widgets}?fieldValidation=Strict`, { ...good, metadata: { name: "one", nope: 1 } }),
  ],
  "with unqualified finalizers": [post(widgets, { ...good, metadata: { name: "one", finalizers: ["wait"] } })],
  "with generation and uid": [post(widgets, { ...good, metadata: { name: "one", generation: 7, uid: "x" } })],
  "in another namespace": [post(widgets, { ...good, metadata: { name: "one", namespace: "default" } })],
  "unknown fields with warnings": [
    post(widgets, { ...(good as object), extra: 1, spec: { color: "red", nope: { a: 1 } } }),
  ],
  "unknown fields, rejected": [
    post(`${widgets}?fieldValidation=Strict`, {
      ...(good as object),
      extra: 1,
      spec: { color: "red", nope: { a: 1 }, parts: [{ name: "a", x: 1 }] },
    }),
  ],
  "unknown fields, ignored": [
    post(`${widgets}?fieldValidation=Ignore`, {
      ...(good as object),
      spec: { color: "red", nope: 1, free: { b: { c: 1 } } },
    }),
  ],
  "duplicate keys": [
    post(
      widgets,
      '{"apiVersion":"{ns}.example.com/v1","kind":"Widget","metadata":{"name":"one"},"spec":{"color":"red","color":"green","size":1,"size":2}}',
    ),
    remove(widgetAt, undefined, unseen),
    post(
      `${widgets}?fieldValidation=Strict`,
      '{"apiVersion":"{ns}.example.com/v1","kind":"Widget","metadata":{"name":"one"},"spec":{"color":"red","color":"green"}}',
    ),
  ],
  "a missing required field": sent({}),
  "no spec": [post(widgets, { apiVersion: "{ns}.example.com/v1", kind: "Widget", metadata: { name: "one" } })],
  "a spec that is not an object": sent("x"),
  "a spec of null": sent(null),
  "wrong types": sent({ color: 1, size: "big", flag: "yes", labels: ["a"], set: { a: 1 }, parts: "x" }),
  nulls: red({ size: null, nothing: null, name: null, filled: null, labels: null, set: [null] }),
  "out of bounds": red({ size: 11, ratio: 0.7, name: "A" }),
  "too long": red({ name: "abcdefg", labels: { a: "1", b: "2", c: "3" }, set: ["a", "b", "c", "d"], plainList: [] }),
  "a value outside of the enum": sent({ color: "blue" }),
  "invalid formats": red({
    when: "now",
    day: "2020-13-01",
    id: "x",
    mail: "x",
    data: "!",
    address: "1.2.3",
    span: "1x",
    count: 3_000_000_000,
  }),
  "valid formats": red({
    when: "2020-01-01T00:00:00Z",
    day: "2020-12-01",
    id: "6a9a1e6b-0000-4000-8000-000000000000",
    mail: "a@example.com",
    data: "aGVsbG8=",
    address: "1.2.3.4",
    span: "1h",
    big: 12,
    port: "http",
  }),
  "integers with a fraction": red({ size: 1.5 }),
  "integers with a decimal point": [
    post(
      widgets,
      '{"apiVersion":"{ns}.example.com/v1","kind":"Widget","metadata":{"name":"one"},"spec":{"color":"red","size":2.0,"ratio":1.50}}',
    ),
  ],
  "large numbers": [
    post(
      widgets,
      '{"apiVersion":"{ns}.example.com/v1","kind":"Widget","metadata":{"name":"one"},"spec":{"color":"red","big":9007199254740993}}',
    ),
  ],
  "numbers that are too large": [
    post(
      widgets,
      '{"apiVersion":"{ns}.example.com/v1","kind":"Widget","metadata":{"name":"one"},"spec":{"color":"red","big":9223372036854775808}}',
    ),
  ],
  "an exponent": [
    post(
      widgets,
      '{"apiVersion":"{ns}.example.com/v1","kind":"Widget","metadata":{"name":"one"},"spec":{"color":"red","size":1e0}}',
    ),
  ],
  "int-or-string": [
    ...red({ port: 80 }),
    remove(widgetAt, undefined, unseen),
    ...red({ port: "80%" }),
    remove(widgetAt, undefined, unseen),
    ...red({ port: true }),
  ],
  "a set with a duplicate": red({ set: ["a", "b", "a"] }),
  "list members with duplicate keys": red({ parts: [{ name: "a" }, { name: "a", value: "x" }] }),
  "a list member without its key": red({ parts: [{ value: "x" }] }),
  oneOf: [...red({ either: {} }), ...red({ either: { a: "x", b: "y" } })],
  "anyOf and not": [...red({ some: 3 }), ...red({ some: 7 })],
  "an embedded object": [
    ...red({ inner: { apiVersion: "v1", kind: "Pod", metadata: { name: "x", labels: { a: "b" } }, spec: { x: 1 } } }),
    remove(widgetAt, undefined, unseen),
    ...red({ inner: { kind: "Pod", metadata: { name: "Bad Name" } } }),
  ],
  YAML: [
    post(
      widgets,
      "apiVersion: {ns}.example.com/v1\nkind: Widget\nmetadata:\n  name: one\nspec:\n  color: red\n  size: 0x4\n",
      { contentType: "application/yaml" },
    ),
  ],
  "an unsupported media type": [post(widgets, "x", { contentType: "text/plain" })],
  "invalid JSON": [post(widgets, "{x")],
  "a list": [post(widgets, "[]")],
  "an update": [created, put(widgetAt, widget({ color: "green" }), {})],
  "an update with its resource version": [
    post(widgets, good, { unseen: true, keep: { seen: "metadata.resourceVersion" } }),
    put(widgetAt, widget({ color: "green", size: 4 }, { metadata: { name: "one", resourceVersion: "{seen}" } })),
    put(widgetAt, widget({ color: "red" }, { metadata: { name: "one", resourceVersion: "{seen}" } })),
  ],
  "an update that changes nothing": [
    post(widgets, good, { unseen: true, keep: { seen: "metadata.resourceVersion" } }),
    put(widgetAt, widget({ color: "red" }, { metadata: { name: "one", resourceVersion: "{seen}" } })),
  ],
  "an update of labels only": [
    post(widgets, good, { unseen: true, keep: { seen: "metadata.resourceVersion" } }),
    put(
      widgetAt,
      widget({ color: "red" }, { metadata: { name: "one", labels: { a: "b" }, resourceVersion: "{seen}" } }),
    ),
  ],
  "a status in a create": [post(widgets, { ...(good as object), status: { seen: 1 } })],
  "a status update": [
    post(widgets, good, { unseen: true, keep: { seen: "metadata.resourceVersion" } }),
    put(`${widgetAt}/status`, {
      ...widget({ color: "green" }),
      metadata: { name: "one", labels: { a: "b" }, resourceVersion: "{seen}" },
      status: { seen: 5 },
    }),
    patch("merge", `${widgetAt}/status`, { spec: { size: 9 }, status: { seen: 6, nope: 1 } }),
    patch("merge", widgetAt, { spec: { size: 9 }, status: { seen: 7 } }),
    get(`${widgetAt}/status`),
    patch("merge", `${widgetAt}/status`, { status: { seen: "x" } }),
  ],
  "a status as a table": [created, get(`${widgetAt}/status`, asTable)],
  "a missing scale subresource": [created, get(`${widgetAt}/scale`)],
  "a merge patch": [
    created,
    patch("merge", widgetAt, { spec: { size: 5, labels: { a: "b" } } }),
    patch("merge", widgetAt, { spec: { size: null, labels: { a: null, c: "d" } } }),
    patch("merge", widgetAt, { spec: { color: null } }),
    patch("merge", widgetAt, { spec: { nope: 1 } }),
    patch("merge", `${widgetAt}?fieldValidation=Strict`, { spec: { nope: 1 } }),
  ],
  "a JSON patch": [
    created,
    patch("json", widgetAt, [
      { op: "replace", path: "/spec/size", value: 7 },
      { op: "test", path: "/spec/color", value: "red" },
    ]),
    patch("json", widgetAt, [{ op: "test", path: "/spec/color", value: "green" }]),
    patch("json", widgetAt, [{ op: "remove", path: "/spec/nope" }]),
    patch("json", widgetAt, [{ op: "add", path: "/metadata/name", value: "two" }]),
  ],
  "a strategic patch": [created, patch("strategic", widgetAt, { spec: { size: 5 } })],
  "an empty patch": [patch("merge", widgetAt, {})],
  "metadata only": [created, get(widgetAt, asMetadata), get(widgets, asMetadataList)],
  "a patch of the kind": [
    created,
    patch("merge", widgetAt, { kind: "Gadget" }),
    patch("merge", widgetAt, { apiVersion: "v1" }),
  ],
  "metadata in a status patch": [
    created,
    patch("merge", `${widgetAt}/status`, {
      metadata: { labels: { a: "b" }, annotations: { c: "d" } },
      status: { seen: 1 },
    }),
  ],
  "POST and PUT on wrong paths": [
    created,
    post(widgetAt, good),
    put(widgets, good),
    patch("merge", widgets, {}),
    post(`${widgetAt}/status`, good),
    remove(`${widgetAt}/status`),
    { method: "OPTIONS", path: widgetAt },
    { method: "HEAD", path: widgetAt },
  ],
  "a dry run with all verbs": [
    post(`${widgets}?dryRun=All`, good),
    created,
    patch("merge", `${widgetAt}?dryRun=All`, { spec: { size: 5 } }),
    remove(`${widgetAt}?dryRun=All`),
    get(widgetAt),
  ],
  finalizers: [
    post(widgets, widget({ color: "red" }, { metadata: { name: "one", finalizers: ["example.com/wait"] } }), unseen),
    remove(widgetAt),
    patch("merge", widgetAt, { spec: { size: 5 } }),
    patch("merge", widgetAt, { metadata: { finalizers: ["example.com/wait", "example.com/more"] } }),
    patch("merge", widgetAt, { metadata: { finalizers: [] } }),
    get(widgetAt),
  ],
  "a delete": [created, remove(widgetAt), get(widgetAt)],
  deletecollection: [created, remove(widgets), get(widgets)],
  "by an unsupported field selector": [created, get(`${widgets}?fieldSelector=spec.size%3D3`)],
  "by its name": [created, get(`${widgets}?fieldSelector=metadata.name%3Done`)],
  "in all namespaces": [created, get("/apis/{ns}.example.com/v1/widgets")],
  "outside of a namespace": [post("/apis/{ns}.example.com/v1/widgets", good)],
  "in a missing namespace": [post("/apis/{ns}.example.com/v1/namespaces/nowhere-at-all/widgets", good)],
  watched: [
    post(widgets, good, { unseen: true, keep: { seen: "metadata.resourceVersion" } }),
    patch("merge", widgetAt, { spec: { size: 5 } }, unseen),
    remove(widgetAt, undefined, unseen),
    get(`${widgets}?watch=true&timeoutSeconds=1&resourceVersion={seen}`),
  ],
  "watched as a table": [created, get(`${widgets}?watch=true&timeoutSeconds=1`, asTable)],
  "watched as metadata": [created, get(`${widgets}?watch=true&timeoutSeconds=1`, asMetadata)],
});
