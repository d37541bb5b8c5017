import { cases, type Step } from "../case.ts";
import {
  customCases,
  defined,
  definition,
  definitionAt,
  group,
  schemaOf,
  version,
  widget,
  widgetAt,
  widgets,
} from "../custom-kind.ts";
import { asMetadataList, asTable, get, patch, post, put, remove, unseen } from "../steps.ts";

const crd = definition(
  [
    version(
      schemaOf({
        properties: {
          size: { type: "integer" },
          color: { type: "string" },
          ready: { type: "boolean" },
          when: { type: "string", format: "date-time" },
          list: { type: "array", items: { type: "object", properties: { a: { type: "string" } } } },
          ratio: { type: "number" },
        },
      }),
      {
        subresources: { status: {}, scale: undefined },
        additionalPrinterColumns: [
          { name: "Size", type: "integer", jsonPath: ".spec.size", description: "its size" },
          { name: "Colour", type: "string", jsonPath: ".spec.color", priority: 1 },
          { name: "Ready", type: "boolean", jsonPath: ".spec.ready" },
          { name: "When", type: "date", jsonPath: ".spec.when" },
          { name: "Parts", type: "string", jsonPath: ".spec.list[*].a" },
          { name: "First", type: "string", jsonPath: ".spec.list[0].a" },
          { name: "Spec", type: "string", jsonPath: ".spec.list[0]" },
          { name: "Ratio", type: "number", jsonPath: ".spec.ratio" },
          { name: "Word", type: "integer", jsonPath: ".spec.color" },
          { name: "Label", type: "string", jsonPath: ".metadata.labels.a\\.b/c" },
        ],
        selectableFields: [{ jsonPath: ".spec.color" }, { jsonPath: ".spec.size" }, { jsonPath: ".spec.ready" }],
      },
    ),
  ],
  {
    names: { plural: "widgets", kind: "Widget", singular: "widget", shortNames: ["wi"], categories: ["all", "things"] },
  },
);
const created = (name: string, spec: object, labels: object = {}): Step =>
  post(widgets, widget(spec, { metadata: { name, labels } }), unseen);
const three = [
  created("a", { color: "red", size: 1, ready: true }),
  created("b", { color: "blue", size: 2 }),
  created("c", { color: "red" }),
];

export const customViewCases = customCases("custom view", crd, {
  "a table": [
    created("a", { size: 1, color: "red", ready: true, list: [{ a: "x" }, { a: "y" }], ratio: 1.5 }, { "a.b/c": "d" }),
    created("b", {}),
    get(widgets, asTable),
    get(`${widgets}/a?includeObject=None`, asTable),
    get(`${widgets}?includeObject=Object`, asTable),
  ],
  "by its fields": [
    ...three,
    get(`${widgets}?fieldSelector=spec.color%3Dred`),
    get(`${widgets}?fieldSelector=spec.color!%3Dred,spec.size%3D2`, asMetadataList),
    get(`${widgets}?fieldSelector=spec.ready%3Dtrue`, asMetadataList),
    get(`${widgets}?fieldSelector=spec.size%3D`, asMetadataList),
    get(`${widgets}?fieldSelector=spec.nope%3D1`),
  ],
  "watched by its fields": [
    post(widgets, widget({ color: "red" }), { unseen: true, keep: { seen: "metadata.resourceVersion" } }),
    patch("merge", widgetAt, { spec: { color: "blue" } }, unseen),
    patch("merge", widgetAt, { spec: { color: "red" } }, unseen),
    get(`${widgets}?watch=true&timeoutSeconds=1&resourceVersion={seen}&fieldSelector=spec.color%3Dred`),
  ],
  "deleted by its fields": [
    ...three,
    remove(`${widgets}?fieldSelector=spec.color%3Dred`, undefined, unseen),
    get(widgets, asMetadataList),
  ],
  "in pages by its fields": [
    ...three,
    get(`${widgets}?limit=1&fieldSelector=spec.color%3Dred`, { keep: { more: "metadata.continue" } }),
    get(`${widgets}?limit=1&fieldSelector=spec.color%3Dred&continue={more}`),
  ],
  "its group": [get(`/apis/${group}`, { until: 200 })],
  "its version": [get(`/apis/${group}/v1`, { untilWith: "widgets/status" })],
  "in the list of groups": [get("/apis", { untilWith: "{ns}.example.com", parts: [`groups[name=${group}]`] })],
  "in aggregated discovery": [
    get("/apis", {
      accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
      untilWith: "{ns}.example.com",
      parts: ["kind", "apiVersion", `items[metadata.name=${group}]`],
    }),
  ],
  "with initial events": [
    ...three,
    get(
      `${widgets}?watch=true&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    ),
  ],
});

const second = {
  ...version(schemaOf({ properties: { size: { type: "integer" }, extra: { type: "string", default: "new" } } })),
  name: "v2",
  storage: false,
};
const first = version(schemaOf({ properties: { size: { type: "integer" } } }), { deprecated: true });
const listOf = (name: string): string => `/apis/${group}/${name}/namespaces/{ns}/widgets`;

export const customVersionCases = customCases("custom version", definition([first, second]), {
  "one object in both versions": [
    post(widgets, widget({ size: 1 })),
    get(`${listOf("v2")}/one`),
    get(widgetAt),
    get(listOf("v2")),
  ],
  "created in the other version": [
    post(listOf("v2"), { ...widget({ size: 1, extra: "x" }), apiVersion: `${group}/v2` }),
    get(`${listOf("v2")}/one`),
    get(widgetAt),
  ],
  "created in the wrong version": [post(listOf("v2"), widget({ size: 1 }))],
  "applied in both": [
    patch("apply", `${widgetAt}?fieldManager=one`, widget({ size: 1 })),
    patch("apply", `${listOf("v2")}/one?fieldManager=one`, { ...widget({ size: 2 }), apiVersion: `${group}/v2` }),
  ],
  "watched in the other version": [
    post(widgets, widget({ size: 1 }), unseen),
    get(`${listOf("v2")}?watch=true&timeoutSeconds=1`),
  ],
  "its group": [get(`/apis/${group}`, { untilWith: "v2" })],
});

const cluster = (spec: object = {}): object =>
  definition(
    [
      version(schemaOf({ properties: { size: { type: "integer" } } }), {
        deprecated: true,
        deprecationWarning: "use something else",
      }),
    ],
    {
      scope: "Cluster",
      ...spec,
    },
  );
const all = `/apis/${group}/v1/widgets`;
const gone = remove(definitionAt, undefined, unseen);

export const clusterKindCases = cases("custom cluster-scoped kind", {
  "an object": [
    ...defined(cluster(), all),
    post(all, widget({ size: 1 })),
    get(`${all}/one`),
    remove(`${all}/one`),
    gone,
  ],
  "in a namespace": [...defined(cluster(), all), get(widgets), post(widgets, widget({})), gone],
  "with a namespace": [
    ...defined(cluster(), all),
    post(all, widget({}, { metadata: { name: "one", namespace: "default" } })),
    gone,
  ],
  "with a scale": {
    steps: [
      ...defined(
        definition([
          version(
            {
              type: "object",
              properties: {
                spec: { type: "object", properties: { replicas: { type: "integer" } } },
                status: { type: "object", properties: { replicas: { type: "integer" }, selector: { type: "string" } } },
              },
            },
            {
              subresources: {
                status: {},
                scale: {
                  specReplicasPath: ".spec.replicas",
                  statusReplicasPath: ".status.replicas",
                  labelSelectorPath: ".status.selector",
                },
              },
            },
          ),
        ]),
      ),
      post(widgets, widget({ replicas: 3 }), unseen),
      get(`${widgetAt}/scale`),
      put(`${widgetAt}/scale`, {
        apiVersion: "autoscaling/v1",
        kind: "Scale",
        metadata: { name: "one", namespace: "{ns}" },
        spec: { replicas: 5 },
      }),
      patch("merge", `${widgetAt}/scale`, { spec: { replicas: -1 } }),
      patch("merge", `${widgetAt}/scale`, { spec: { replicas: 7 } }),
      get(widgetAt),
      get(`/apis/${group}/v1`, { untilWith: "scale" }),
      gone,
    ],
    mayDiffer: { "[4].body.metadata.managedFields[1].time": "Kubernetes loses the time of a scale update" },
  },
});
