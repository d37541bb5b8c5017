import { cases } from "../case.ts";
import { get, post } from "../steps.ts";

const authorization = "/apis/authorization.k8s.io/v1";
const authentication = "/apis/authentication.k8s.io/v1";
const self = `${authorization}/selfsubjectaccessreviews`;
const others = `${authorization}/subjectaccessreviews`;
const local = `${authorization}/namespaces/{ns}/localsubjectaccessreviews`;
const about = { namespace: "{ns}", verb: "get", resource: "pods" };
const maps = "/api/v1/namespaces/{ns}/configmaps";
const as = (headers: Readonly<Record<string, string>>) => ({ headers });

export const reviewCases = cases("review", {
  "of the administrator": [
    post(self, { spec: { resourceAttributes: about } }),
    post(self, { spec: { nonResourceAttributes: { path: "/x", verb: "get" } } }),
  ],
  "of a user without permissions": [post(self, { spec: { resourceAttributes: about } }, { as: "nobody" })],
  empty: [
    post(self, {}),
    post(self, { spec: {} }),
    post(self, { spec: { resourceAttributes: about, nonResourceAttributes: { path: "/" } } }),
  ],
  "with a selector": [
    post(self, { spec: { resourceAttributes: { ...about, fieldSelector: { rawSelector: "a=b" } } } }),
    post(self, {
      spec: { resourceAttributes: { ...about, labelSelector: { requirements: [{ key: "", operator: "Odd" }] } } },
    }),
    post(self, {
      spec: {
        resourceAttributes: {
          ...about,
          labelSelector: { rawSelector: "a", requirements: [{ key: "a", operator: "Exists" }] },
        },
      },
    }),
  ],
  "of another user": [
    post(others, { spec: { resourceAttributes: about, user: "nobody", groups: ["a"], extra: { x: ["y"] }, uid: "1" } }),
    post(others, { spec: { resourceAttributes: about, user: "x", groups: ["system:masters"] } }),
    post(others, { spec: { resourceAttributes: about } }),
    post(others, { spec: { user: "x" } }),
  ],
  "of another user without permission": [
    post(others, { spec: { resourceAttributes: about, user: "x" } }, { as: "nobody" }),
  ],
  "in a namespace": [
    post(local, { metadata: { namespace: "{ns}" }, spec: { resourceAttributes: about, user: "nobody" } }),
    post(local, { spec: { resourceAttributes: { ...about, namespace: "default" }, user: "nobody" } }),
    post(local, {
      metadata: { namespace: "{ns}" },
      spec: { resourceAttributes: { ...about, namespace: "default" }, user: "nobody" },
    }),
    post(local, {
      metadata: { namespace: "{ns}" },
      spec: { nonResourceAttributes: { path: "/", verb: "get" }, user: "nobody" },
    }),
  ],
  "of a wrong type": [post(self, { spec: "x" }), post(self, { spec: { resourceAttributes: { verb: 5 } } })],
  GET: [get(self), get(`${self}/x`)],
  "of all rules": [
    post(
      `${authorization}/selfsubjectrulesreviews`,
      { spec: { namespace: "{ns}" } },
      { as: "nobody", parts: ["kind", "apiVersion", "metadata", "spec", "status.incomplete", "status.resourceRules"] },
    ),
    post(`${authorization}/selfsubjectrulesreviews`, { spec: {} }),
  ],
  "of the current user": [
    post(`${authentication}/selfsubjectreviews`, {}),
    post(`${authentication}/selfsubjectreviews`, {}, { as: "nobody" }),
  ],
  "of a token": [
    post(`${authentication}/tokenreviews`, { spec: { token: "nobody-token" } }),
    post(`${authentication}/tokenreviews`, { spec: { token: "wrong" } }),
    post(`${authentication}/tokenreviews`, { spec: {} }),
    post(`${authentication}/tokenreviews`, { spec: { token: "nobody-token", audiences: ["x"] } }),
  ],
  "of a token without permission": [post(`${authentication}/tokenreviews`, { spec: { token: "x" } }, { as: "nobody" })],
  "impersonating a user": [
    post(
      `${authentication}/selfsubjectreviews`,
      {},
      as({
        "impersonate-user": "jane",
        "impersonate-group": "devs",
        "impersonate-uid": "7",
        "impersonate-extra-scopes": "a",
      }),
    ),
    post(`${authentication}/selfsubjectreviews`, {}, as({ "impersonate-user": "system:serviceaccount:default:sa" })),
    post(`${authentication}/selfsubjectreviews`, {}, as({ "impersonate-user": "system:anonymous" })),
    get(maps, as({ "impersonate-user": "jane" })),
    get(maps, as({ "impersonate-user": "jane", "impersonate-group": "system:masters" })),
  ],
  "impersonating a group without a user": [
    get(maps, as({ "impersonate-group": "devs" })),
    get(maps, as({ "impersonate-extra-x": "y" })),
    get(maps, as({ "impersonate-uid": "y" })),
  ],
  "impersonating a user without permission": [
    get(maps, { as: "nobody", headers: { "impersonate-user": "jane" } }),
    get(maps, { as: "nobody", headers: { "impersonate-user": "system:serviceaccount:default:sa" } }),
  ],
});
