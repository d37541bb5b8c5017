import { cases, type Step } from "../case.ts";
import {
  defined,
  definition,
  definitionAt,
  definitions,
  group,
  schemaOf,
  version,
  widget,
  widgetAt,
  widgets,
} from "../custom-kind.ts";
import { get, patch, post, put, remove, unseen } from "../steps.ts";

const plain = version(schemaOf({ properties: { size: { type: "integer" } } }));
const crd = definition([plain]);
const gone = remove(definitionAt, undefined, unseen);
const until = (text: string): Step => get(definitionAt, { untilWith: text });
const withNames = (names: object): object =>
  definition([plain], { names: { plural: "widgets", kind: "Widget", ...names } });
const withSchema = (schema: object): object => definition([version(schema)]);
const named = (name: string, spec: object): object => ({ ...definition([plain], spec), metadata: { name } });

export const definitionCases = cases("CRD", {
  "a new object": [post(definitions, crd), gone],
  "when established": [post(definitions, crd, unseen), until("InitialNamesAccepted"), gone],
  "with all names": [
    post(
      definitions,
      withNames({ singular: "widget", listKind: "WidgetList", shortNames: ["wi", "wg"], categories: ["all"] }),
      unseen,
    ),
    until("InitialNamesAccepted"),
    gone,
  ],
  "a dry run": [post(`${definitions}?dryRun=All`, crd), get(definitionAt)],
  "as a table": [
    post(definitions, crd, unseen),
    until("InitialNamesAccepted"),
    get(definitionAt, { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" }),
    gone,
  ],
  "an existing one": [post(definitions, crd, unseen), post(definitions, crd), gone],
  "objects before it": [get(widgets), post(widgets, widget({}))],
  "a version that is not served": [
    ...defined(definition([plain, { ...version(schemaOf({})), name: "v2", served: false, storage: false }])),
    get(`/apis/${group}/v2/namespaces/{ns}/widgets`),
    get(`/apis/${group}/v3/namespaces/{ns}/widgets`),
    gone,
  ],
  "another resource of its group": [...defined(crd), get(`/apis/${group}/v1/namespaces/{ns}/gadgets`), gone],
  "objects after it": [
    ...defined(crd),
    post(widgets, widget({ size: 1 }), unseen),
    gone,
    get(definitionAt, { until: 404, unseen: true }),
    get(widgetAt, { until: 404 }),
  ],
  "being deleted while an object remains": [
    ...defined(crd),
    post(widgets, widget({ size: 1 }, { metadata: { name: "one", finalizers: ["example.com/wait"] } }), unseen),
    gone,
    until("InstanceDeletionInProgress"),
    get(widgetAt, { untilWith: "deletionTimestamp" }),
    post(widgets, widget({}, { metadata: { name: "two" } }), { until: 403 }),
    patch("merge", widgetAt, { metadata: { finalizers: null } }),
    get(definitionAt, { until: 404 }),
  ],
  "a new default, applied to old objects": [
    ...defined(crd),
    post(widgets, widget({ size: 1 }), unseen),
    patch("json", definitionAt, [
      {
        op: "add",
        path: "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/color",
        value: { type: "string", default: "red" },
      },
    ]),
    get(widgetAt, { untilWith: "red" }),
    get(widgets, { untilWith: "red" }),
    gone,
  ],
  "a removed field, pruned from old objects": [
    ...defined(crd),
    post(widgets, widget({ size: 1 }), unseen),
    patch(
      "json",
      definitionAt,
      [{ op: "remove", path: "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/size" }],
      unseen,
    ),
    get(widgetAt, { untilWithout: '"size":1' }),
    gone,
  ],
  "names of another one": [
    ...defined(withNames({ shortNames: ["wi"] })),
    post(
      definitions,
      named(`gadgets.${group}`, { names: { plural: "gadgets", kind: "Widget", shortNames: ["wi", "ga"] } }),
      unseen,
    ),
    get(`${definitions}/gadgets.${group}`, { untilWith: "Conflict" }),
    get(`/apis/${group}/v1/namespaces/{ns}/gadgets`),
    remove(`${definitions}/gadgets.${group}`),
    gone,
  ],
  "names that became available": [
    ...defined(withNames({ shortNames: ["wi"] })),
    post(
      definitions,
      named(`gadgets.${group}`, { names: { plural: "gadgets", kind: "Gadget", shortNames: ["wi"] } }),
      unseen,
    ),
    get(`${definitions}/gadgets.${group}`, { untilWith: "ShortNamesConflict" }),
    gone,
    get(`${definitions}/gadgets.${group}`, { untilWith: "InitialNamesAccepted" }),
    remove(`${definitions}/gadgets.${group}`, undefined, unseen),
  ],
  "stored versions": [
    ...defined(crd),
    patch("json", definitionAt, [
      { op: "replace", path: "/spec/versions/0/storage", value: false },
      { op: "add", path: "/spec/versions/-", value: { ...version(schemaOf({})), name: "v2" } },
    ]),
    patch("json", definitionAt, [{ op: "remove", path: "/spec/versions/0" }]),
    patch("merge", `${definitionAt}/status`, { status: { storedVersions: ["v2"] } }),
    patch("merge", `${definitionAt}/status`, { status: { storedVersions: [] } }),
    gone,
  ],
  "a change of its scope": [
    ...defined(crd),
    patch("merge", definitionAt, { spec: { scope: "Cluster" } }),
    patch("merge", definitionAt, { spec: { group: "other.example.com" } }),
    patch("merge", definitionAt, { spec: { names: { plural: "gadgets" } } }),
    gone,
  ],
  "a change of its kind": [
    ...defined(crd),
    patch("merge", definitionAt, { spec: { names: { kind: "Gadget", listKind: "GadgetList", singular: "gadget" } } }),
    gone,
  ],
  "an update without a resource version": [...defined(crd), put(definitionAt, crd), gone],
  "metadata in a status patch": [
    ...defined(crd),
    patch("merge", `${definitionAt}/status`, { metadata: { labels: { a: "b" } } }),
    patch("merge", definitionAt, { metadata: { labels: { a: "b" } }, status: { storedVersions: ["v9"] } }),
    gone,
  ],
  "deleted twice": [
    ...defined(crd),
    post(widgets, widget({}, { metadata: { name: "one", finalizers: ["example.com/wait"] } }), unseen),
    remove(`${definitionAt}?dryRun=All`, undefined, { parts: ["kind", "metadata.finalizers"] }),
    gone,
    remove(definitionAt, undefined, { parts: ["kind", "code", "metadata.finalizers", "message"] }),
    patch("merge", widgetAt, { metadata: { finalizers: null } }, unseen),
  ],
  "an unknown field": [
    post(`${definitions}?fieldValidation=Strict`, withSchema({ type: "object", nope: 1 })),
    post(`${definitions}?dryRun=All`, withSchema({ type: "object", nope: 1 })),
  ],
});

const bad = (body: object): readonly Step[] => [post(definitions, body)];

export const badDefinitionCases = cases("invalid CRD", {
  "an empty object": bad({ metadata: { name: `widgets.${group}` } }),
  "an empty spec": bad({ metadata: { name: `widgets.${group}` }, spec: {} }),
  "a name that does not match": bad(named(`gadgets.${group}`, {})),
  "no dot in the group": bad(named("widgets.example", { group: "example" })),
  "an unknown scope": bad(definition([plain], { scope: "Everywhere" })),
  "no versions": {
    steps: bad(definition([])),
    mayDiffer: {
      "[0].body.details.causes[0].message": "an empty list is shown as none",
      "[0].body.message": "an empty list is shown as none",
    },
  },
  "duplicate versions": bad(definition([plain, plain])),
  "two storage versions": bad(definition([plain, { ...plain, name: "v2" }])),
  "no storage version": bad(definition([{ ...plain, storage: false }])),
  "an invalid version name": bad(definition([{ ...plain, name: "V_1" }])),
  "no schema": bad(definition([{ name: "v1", served: true, storage: true }])),
  "invalid names": bad(withNames({ plural: "Widgets!", singular: "A B", kind: "wid get", shortNames: ["X"] })),
  "an unknown type": bad(withSchema({ type: "thing" })),
  "no type": bad(withSchema({ properties: { spec: { properties: { a: {} } } } })),
  "a root that is not an object": bad(withSchema({ type: "string" })),
  "items and additionalProperties": bad(
    withSchema(schemaOf({ properties: { a: { type: "array" } }, additionalProperties: { type: "string" } })),
  ),
  "a default of the wrong type": bad(withSchema(schemaOf({ properties: { a: { type: "string", default: 5 } } }))),
  "an invalid pattern": bad(withSchema(schemaOf({ properties: { a: { type: "string", pattern: "a(" } } }))),
  "a list map without keys": bad(
    withSchema(
      schemaOf({ properties: { a: { type: "array", "x-kubernetes-list-type": "map", items: { type: "object" } } } }),
    ),
  ),
  "a key that is not required": bad(
    withSchema(
      schemaOf({
        properties: {
          a: {
            type: "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            items: { type: "object", properties: { name: { type: "string" } } },
          },
        },
      }),
    ),
  ),
  "a rule that does not parse": bad(
    withSchema(schemaOf({ "x-kubernetes-validations": [{ rule: "self.size >" }, { rule: "" }] })),
  ),
  "a rule that is not boolean": bad(
    withSchema(
      schemaOf({ properties: { size: { type: "integer" } }, "x-kubernetes-validations": [{ rule: "self.size" }] }),
    ),
  ),
  "a rule about an unknown field": bad(
    withSchema(schemaOf({ "x-kubernetes-validations": [{ rule: "self.nope == 1" }] })),
  ),
  "an invalid message expression and path": bad(
    withSchema(
      schemaOf({
        properties: { size: { type: "integer" } },
        "x-kubernetes-validations": [
          { rule: "self.size > 1", messageExpression: "5", fieldPath: ".nope", reason: "Odd" },
        ],
      }),
    ),
  ),
  "columns and selectable fields": bad(
    definition([
      {
        ...plain,
        additionalPrinterColumns: [{ name: "", type: "thing", jsonPath: "spec" }],
        selectableFields: [{ jsonPath: "spec.size" }, { jsonPath: ".spec.nope" }],
      },
    ]),
  ),
  "a scale without paths": bad(definition([{ ...plain, subresources: { scale: {} } }])),
  "spec.preserveUnknownFields": bad(definition([plain], { preserveUnknownFields: true })),
  "a field of the wrong type": bad(definition([{ ...plain, served: "yes" }])),
});
