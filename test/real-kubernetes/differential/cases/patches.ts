import { cases, type Step } from "../case.ts";

const list = "/api/v1/namespaces/{ns}/configmaps";
const at = `${list}/one`;
const created: Step = {
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
  merge: [created, patch(merge, { data: { a: null, c: "3" } })],
  "merge without changes": [created, patch(merge, {})],
  "merge with a value that is not an object": [created, patch(merge, "[1]")],
  "merge with invalid JSON": [created, patch(merge, "{x")],
  "merge with an empty body": [created, patch(merge, "")],
  "merge with a wrong type": [created, patch(merge, { data: { a: 1 } })],
  "merge with an unknown field": [created, patch(merge, { nope: 1 })],
  "merge with an unknown field, strict validation": [created, patch(merge, { nope: 1 }, "?fieldValidation=Strict")],
  "another name": [created, patch(merge, { metadata: { name: "two" } })],
  "another namespace": [created, patch(merge, { metadata: { namespace: "default" } })],
  "another kind": {
    steps: [created, patch(merge, { kind: "Secret" })],
    mayDiffer: {
      "[0].body.message": "Kubernetes decodes the object as its own kind and reports its data",
      "[0].body.details.causes[0].message": "as above",
    },
  },
  "with an old resource version": [created, patch(merge, { metadata: { resourceVersion: "1" }, data: {} })],
  "an invalid label": [created, patch(merge, { metadata: { labels: { x: "not ok!" } } })],
  "a missing object": [patch(merge, { data: {} })],
  "JSON patch": [
    created,
    patch(json, [
      { op: "test", path: "/data/a", value: "1" },
      { op: "replace", path: "/data/a", value: "9" },
      { op: "add", path: "/data/c", value: "3" },
      { op: "remove", path: "/data/b" },
      { op: "copy", from: "/data/a", path: "/data/d" },
      { op: "move", from: "/data/c", path: "/data/e" },
    ]),
  ],
  "JSON patch with a failed test": [created, patch(json, [{ op: "test", path: "/data/a", value: "2" }])],
  "JSON patch of a missing path": [created, patch(json, [{ op: "remove", path: "/data/z" }])],
  "JSON patch below a missing path": [created, patch(json, [{ op: "add", path: "/spec/a", value: "1" }])],
  "JSON patch with an unknown operation": [created, patch(json, [{ op: "jump", path: "/data/a" }])],
  "JSON patch without a path": [created, patch(json, [{ op: "add", value: "1" }])],
  "JSON patch that is not a list": [created, patch(json, { op: "add" })],
  "JSON patch with an unknown field": [
    created,
    patch(json, [{ op: "add", path: "/data/c", value: "1", nope: 1 }], "?fieldValidation=Strict"),
  ],
  "JSON patch to a wrong type": [created, patch(json, [{ op: "replace", path: "/data", value: 5 }])],
  "strategic merge": [created, patch(strategic, { data: { a: null, c: "3" } })],
  "strategic merge with $patch: replace": [created, patch(strategic, { data: { $patch: "replace", c: "3" } })],
  "strategic merge with an unknown directive": [created, patch(strategic, { data: { $patch: "jump" } })],
  "strategic merge of finalizers": [
    created,
    patch(strategic, { metadata: { finalizers: ["example.com/a"] } }),
    patch(strategic, { metadata: { finalizers: ["example.com/b"] } }),
    patch(strategic, { metadata: { "$deleteFromPrimitiveList/finalizers": ["example.com/a"] } }),
    patch(strategic, { metadata: { "$deleteFromPrimitiveList/finalizers": ["example.com/b"] } }),
  ],
  "with an unknown type": [created, patch("application/json", { data: {} })],
  "with force": [created, patch(merge, { data: {} }, "?force=true")],
  "the collection": [{ method: "PATCH", path: list, contentType: merge, body: {} }],
  "a dry run": [created, patch(merge, { data: { c: "3" } }, "?dryRun=All"), { method: "GET", path: at }],
});

export const applyCases = cases("apply", {
  "a new object": [patch(apply, applied({ a: "1" }), "?fieldManager=one")],
  "without a manager": [patch(apply, applied({ a: "1" }))],
  "in YAML": [
    patch(apply, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\ndata:\n  a: '1'\n", "?fieldManager=one"),
  ],
  "the same again": [
    patch(apply, applied({ a: "1" }), "?fieldManager=one"),
    patch(apply, applied({ a: "1" }), "?fieldManager=one"),
  ],
  "fewer fields": [
    patch(apply, applied({ a: "1", b: "2" }), "?fieldManager=one"),
    patch(apply, applied({ a: "1" }), "?fieldManager=one"),
  ],
  "by two managers": [
    patch(apply, applied({ a: "1" }), "?fieldManager=one"),
    patch(apply, applied({ b: "2" }), "?fieldManager=two"),
    patch(apply, applied({}), "?fieldManager=one"),
  ],
  "the same value by two managers": [
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
    mayDiffer: { "[0].body.message": "YAML parsers have different error messages" },
  },
  "a wrong type": [patch(apply, { ...(applied({}) as object), data: { a: 1 } }, "?fieldManager=one")],
  "an unknown field": [patch(apply, { ...(applied({}) as object), nope: 1 }, "?fieldManager=one")],
  "an old resource version": [
    patch(apply, applied({ a: "1" }), "?fieldManager=one"),
    patch(apply, applied({ a: "2" }, { resourceVersion: "1" }), "?fieldManager=one"),
  ],
  "a dry run": [patch(apply, applied({ a: "1" }), "?fieldManager=one&dryRun=All"), { method: "GET", path: at }],
  "in a missing namespace": [
    {
      method: "PATCH",
      path: "/api/v1/namespaces/nowhere-at-all/configmaps/one?fieldManager=one",
      contentType: apply,
      body: applied({}),
    },
  ],
});
