import { cases, type Step } from "../case.ts";

const list = "/api/v1/namespaces/{ns}/configmaps";
const at = `${list}/one`;
const made: Step = {
  method: "POST",
  path: list,
  body: { metadata: { name: "one", labels: { x: "1" } }, data: { a: "1", b: "2" } },
  unseen: true,
};
const json = "application/json-patch+json";
const merge = "application/merge-patch+json";
const strategic = "application/strategic-merge-patch+json";
const apply = "application/apply-patch+yaml";

function patch(contentType: string, body: unknown, query = ""): Step {
  return { method: "PATCH", path: `${at}${query}`, contentType, body };
}

const applied = (data: Record<string, string>, extra: object = {}): unknown => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "one", ...extra },
  data,
});

export const patchCases = cases("patch", {
  "by merging": [made, patch(merge, { data: { a: null, c: "3" } })],
  "nothing by merging": [made, patch(merge, {})],
  "by merging what is no object": [made, patch(merge, "[1]")],
  "by merging what is no JSON": [made, patch(merge, "{x")],
  "by merging nothing at all": [made, patch(merge, "")],
  "by merging a wrong type": [made, patch(merge, { data: { a: 1 } })],
  "by merging an unknown field": [made, patch(merge, { nope: 1 })],
  "by merging an unknown field, strictly": [made, patch(merge, { nope: 1 }, "?fieldValidation=Strict")],
  "another name": [made, patch(merge, { metadata: { name: "two" } })],
  "another namespace": [made, patch(merge, { metadata: { namespace: "default" } })],
  "another kind": {
    steps: [made, patch(merge, { kind: "Secret" })],
    mayDiffer: {
      "[0].body.message": "Kubernetes reads the object as what it says it is, and complains about its data",
      "[0].body.details.causes[0].message": "as above",
    },
  },
  "by an old version": [made, patch(merge, { metadata: { resourceVersion: "1" }, data: {} })],
  "a bad label": [made, patch(merge, { metadata: { labels: { x: "not ok!" } } })],
  "one that is not there": [patch(merge, { data: {} })],
  "step by step": [
    made,
    patch(json, [
      { op: "test", path: "/data/a", value: "1" },
      { op: "replace", path: "/data/a", value: "9" },
      { op: "add", path: "/data/c", value: "3" },
      { op: "remove", path: "/data/b" },
      { op: "copy", from: "/data/a", path: "/data/d" },
      { op: "move", from: "/data/c", path: "/data/e" },
    ]),
  ],
  "step by step after a failed test": [made, patch(json, [{ op: "test", path: "/data/a", value: "2" }])],
  "step by step what is not there": [made, patch(json, [{ op: "remove", path: "/data/z" }])],
  "step by step below what is not there": [made, patch(json, [{ op: "add", path: "/spec/a", value: "1" }])],
  "step by step by a step nobody knows": [made, patch(json, [{ op: "jump", path: "/data/a" }])],
  "step by step without a path": [made, patch(json, [{ op: "add", value: "1" }])],
  "step by step by no list": [made, patch(json, { op: "add" })],
  "step by step with an unknown field": [
    made,
    patch(json, [{ op: "add", path: "/data/c", value: "1", nope: 1 }], "?fieldValidation=Strict"),
  ],
  "step by step to a wrong type": [made, patch(json, [{ op: "replace", path: "/data", value: 5 }])],
  strategically: [made, patch(strategic, { data: { a: null, c: "3" } })],
  "strategically, replacing": [made, patch(strategic, { data: { $patch: "replace", c: "3" } })],
  "strategically, a directive nobody knows": [made, patch(strategic, { data: { $patch: "jump" } })],
  "strategically, finalizers": [
    made,
    patch(strategic, { metadata: { finalizers: ["example.com/a"] } }),
    patch(strategic, { metadata: { finalizers: ["example.com/b"] } }),
    patch(strategic, { metadata: { "$deleteFromPrimitiveList/finalizers": ["example.com/a"] } }),
    patch(strategic, { metadata: { "$deleteFromPrimitiveList/finalizers": ["example.com/b"] } }),
  ],
  "by a type nobody knows": [made, patch("application/json", { data: {} })],
  "with force": [made, patch(merge, { data: {} }, "?force=true")],
  "the collection": [{ method: "PATCH", path: list, contentType: merge, body: {} }],
  "a dry run": [made, patch(merge, { data: { c: "3" } }, "?dryRun=All"), { method: "GET", path: at }],
});

export const applyCases = cases("apply", {
  "what is new": [patch(apply, applied({ a: "1" }), "?fieldManager=one")],
  "without a manager": [patch(apply, applied({ a: "1" }))],
  "in YAML": [
    patch(apply, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\ndata:\n  a: '1'\n", "?fieldManager=one"),
  ],
  "the same again": [
    patch(apply, applied({ a: "1" }), "?fieldManager=one"),
    patch(apply, applied({ a: "1" }), "?fieldManager=one"),
  ],
  "less than before": [
    patch(apply, applied({ a: "1", b: "2" }), "?fieldManager=one"),
    patch(apply, applied({ a: "1" }), "?fieldManager=one"),
  ],
  "by two": [
    patch(apply, applied({ a: "1" }), "?fieldManager=one"),
    patch(apply, applied({ b: "2" }), "?fieldManager=two"),
    patch(apply, applied({}), "?fieldManager=one"),
  ],
  "the same value by two": [
    patch(apply, applied({ a: "1" }), "?fieldManager=one"),
    patch(apply, applied({ a: "1" }), "?fieldManager=two"),
    patch(apply, applied({}), "?fieldManager=one"),
  ],
  "a conflict": [
    patch(apply, applied({ a: "1" }), "?fieldManager=one"),
    patch(apply, applied({ a: "2" }), "?fieldManager=two"),
  ],
  "a conflict by force": [
    patch(apply, applied({ a: "1" }), "?fieldManager=one"),
    patch(apply, applied({ a: "2" }), "?fieldManager=two&force=true"),
  ],
  "over an update": [
    { method: "POST", path: `${list}?fieldManager=editor`, body: applied({ a: "1" }) },
    patch(apply, applied({ a: "2" }), "?fieldManager=one"),
    patch(apply, applied({ a: "2" }), "?fieldManager=one&force=true"),
  ],
  "before an update": [
    patch(apply, applied({ a: "1", b: "1" }), "?fieldManager=one"),
    { method: "PUT", path: `${at}?fieldManager=editor`, body: applied({ a: "2", b: "1" }) },
    patch(apply, applied({ a: "1", b: "1" }), "?fieldManager=one"),
  ],
  "labels and annotations": [
    patch(apply, applied({}, { labels: { a: "1" }, annotations: { b: "2" } }), "?fieldManager=one"),
    patch(apply, applied({}, { labels: { c: "3" } }), "?fieldManager=one"),
  ],
  "owners and finalizers": [
    patch(
      apply,
      applied(
        {},
        {
          finalizers: ["example.com/a"],
          ownerReferences: [
            { apiVersion: "v1", kind: "Namespace", name: "default", uid: "6a9a1e6b-0000-4000-8000-000000000000" },
          ],
        },
      ),
      "?fieldManager=one&dryRun=All",
    ),
  ],
  "managed fields": [patch(apply, applied({}, { managedFields: [{ manager: "x" }] }), "?fieldManager=one")],
  "another name": [patch(apply, { ...(applied({}) as object), metadata: { name: "two" } }, "?fieldManager=one")],
  "another kind": [patch(apply, { ...(applied({}) as object), kind: "Secret" }, "?fieldManager=one")],
  "no kind": [patch(apply, { metadata: { name: "one" } }, "?fieldManager=one")],
  "no YAML": {
    steps: [patch(apply, "{x: [", "?fieldManager=one")],
    mayDiffer: { "[0].body.message": "each reader of YAML says in its own words what is wrong" },
  },
  "a wrong type": [patch(apply, { ...(applied({}) as object), data: { a: 1 } }, "?fieldManager=one")],
  "an unknown field": [patch(apply, { ...(applied({}) as object), nope: 1 }, "?fieldManager=one")],
  "an old version": [
    patch(apply, applied({ a: "1" }), "?fieldManager=one"),
    patch(apply, applied({ a: "2" }, { resourceVersion: "1" }), "?fieldManager=one"),
  ],
  "a dry run": [patch(apply, applied({ a: "1" }), "?fieldManager=one&dryRun=All"), { method: "GET", path: at }],
  "in a namespace that is not there": [
    {
      method: "PATCH",
      path: "/api/v1/namespaces/nowhere-at-all/configmaps/one?fieldManager=one",
      contentType: apply,
      body: applied({}),
    },
  ],
});
