import { customCases, definition, schemaOf, version, widget, widgetAt, widgets } from "../custom-kind.ts";
import { patch, post, put, unseen } from "../steps.ts";

const crd = definition([
  version(
    schemaOf(
      {
        properties: {
          min: { type: "integer" },
          max: { type: "integer" },
          fixed: { type: "string", "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "is fixed" }] },
          grown: {
            type: "integer",
            "x-kubernetes-validations": [
              {
                rule: "self >= oldSelf",
                messageExpression: "'was %d, is %d'.format([oldSelf, self])",
                reason: "FieldValueForbidden",
              },
            ],
          },
          first: {
            type: "string",
            "x-kubernetes-validations": [
              { rule: "!oldSelf.hasValue() || oldSelf.value() == self", optionalOldSelf: true, message: "only once" },
            ],
          },
          odd: { type: "integer", "x-kubernetes-validations": [{ rule: "self % 2 == 1" }] },
          short: { type: "string", maxLength: 3 },
          list: {
            type: "array",
            maxItems: 10,
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            items: {
              type: "object",
              required: ["name"],
              properties: {
                name: { type: "string", maxLength: 10 },
                value: { type: "integer", "x-kubernetes-validations": [{ rule: "self < 100", message: "too much" }] },
              },
            },
            "x-kubernetes-validations": [
              { rule: "self.all(x, x.name != 'bad')", message: "no bad ones", fieldPath: "" },
            ],
          },
          divided: { type: "integer", "x-kubernetes-validations": [{ rule: "10 / self > 1" }] },
          kept: { type: "array", maxItems: 5, items: { type: "string", maxLength: 5, enum: ["a", "b"] } },
        },
        "x-kubernetes-validations": [
          {
            rule: "!has(self.min) || !has(self.max) || self.min <= self.max",
            message: "min is above max",
            fieldPath: ".max",
            reason: "FieldValueInvalid",
          },
          {
            rule: "!has(self.min) || self.min != 13",
            message: "no thirteen",
            reason: "FieldValueDuplicate",
            fieldPath: ".min",
          },
          {
            rule: "!has(self.min) || self.min != 14",
            reason: "FieldValueRequired",
            messageExpression: "'not %d'.format([self.min])",
          },
        ],
      },
      { "x-kubernetes-validations": [{ rule: "self.metadata.name != 'forbidden'", message: "not this name" }] },
    ),
    { subresources: { status: {} } },
  ),
]);
const sent = (spec: object, name = "one") => [post(widgets, widget(spec, { metadata: { name } }), { anyOrder: true })];
const created = (spec: object) => post(widgets, widget(spec), unseen);
const changed = (spec: object) => patch("merge", widgetAt, { spec }, { anyOrder: true });

export const customRuleCases = customCases("custom rule", crd, {
  satisfied: sent({ min: 1, max: 2, odd: 3 }),
  "about two fields": sent({ min: 3, max: 2 }),
  "with a custom reason": sent({ min: 13 }),
  "with a message expression": sent({ min: 14 }),
  "about a value": sent({ odd: 2 }),
  "about the name": sent({}, "forbidden"),
  "several at once": sent({ min: 13, max: 1, odd: 4, list: [{ name: "bad", value: 500 }] }),
  "in a list": sent({
    list: [
      { name: "a", value: 1 },
      { name: "b", value: 100 },
    ],
  }),
  "about a list": sent({ list: [{ name: "bad" }] }),
  "that fails to evaluate": sent({ divided: 0 }),
  "after a type error": sent({ odd: "x" }),
  "after a schema error": sent({ short: "abcdef", min: 5, max: 1 }),
  "about a change": [
    created({ fixed: "a" }),
    changed({ fixed: "b" }),
    changed({ fixed: null }),
    changed({ fixed: "c" }),
  ],
  "about growth": [created({ grown: 5 }), changed({ grown: 6 }), changed({ grown: 4 })],
  "about an initial value": [...sent({ first: "a" }), changed({ first: "b" })],
  "not evaluated for unchanged values": [created({ min: 1 }), changed({ max: 0 }), changed({ max: 5 })],
  "not evaluated for status updates": [
    created({ odd: 3 }),
    patch("merge", `${widgetAt}/status`, { status: { seen: 3 } }),
  ],
  "in a list, after a change": [
    created({ list: [{ name: "a", value: 1 }] }),
    changed({ list: [{ name: "a", value: 200 }] }),
    changed({
      list: [
        { name: "b", value: 2 },
        { name: "a", value: 3 },
      ],
    }),
  ],
  "in a dry run": [put(`${widgetAt}?dryRun=All`, widget({ odd: 2 }))],
});

const strict = { type: "string", maxLength: 3, pattern: "^a", enum: ["a", "ab"] };

/** A new rule does not apply to unchanged old values. */
export const ratchetingCases = customCases(
  "ratcheting",
  definition([
    version(
      schemaOf({
        properties: {
          text: { type: "string" },
          other: { type: "string" },
          list: { type: "array", items: { type: "object", properties: { text: { type: "string" } } } },
        },
      }),
    ),
  ]),
  {
    "old values that a new schema forbids": [
      created({ text: "long text", list: [{ text: "long" }] }),
      patch(
        "json",
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.{ns}.example.com",
        [
          {
            op: "replace",
            path: "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/text",
            value: strict,
          },
          {
            op: "replace",
            path: "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/list/items/properties/text",
            value: strict,
          },
        ],
        unseen,
      ),
      post(`${widgets}?dryRun=All`, widget({ text: "zzzz" }, { metadata: { name: "two" } }), { until: 422 }),
      changed({ other: "x" }),
      changed({ text: "another text" }),
      changed({ list: [{ text: "longer" }] }),
      changed({ text: "a" }),
      changed({ text: "long text" }),
    ],
    "old values that a new rule forbids": [
      created({ text: "long text" }),
      patch(
        "json",
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.{ns}.example.com",
        [
          {
            op: "replace",
            path: "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/text",
            value: {
              type: "string",
              maxLength: 100,
              "x-kubernetes-validations": [{ rule: "self.startsWith('a')", message: "has to start with a" }],
            },
          },
        ],
        unseen,
      ),
      post(`${widgets}?dryRun=All`, widget({ text: "zzzz" }, { metadata: { name: "two" } }), { until: 422 }),
      changed({ other: "x" }),
      changed({ text: "other text" }),
      changed({ text: "a text" }),
    ],
  },
);
