import { cases } from "../case.ts";

const list = "/api/v1/namespaces/{ns}/configmaps";

export const serverCases = cases("server", {
  "a path that is not there": [{ method: "GET", path: "/nope" }],
  "a group that is not there": [{ method: "GET", path: "/apis/nope.example.com/v1/things" }],
  "a resource that is not there": [{ method: "GET", path: "/api/v1/things" }],
  "a subresource that is not there": [{ method: "GET", path: `${list}/one/nope` }],
  "a namespaced resource outside of one": [
    { method: "POST", path: "/api/v1/configmaps", body: { metadata: { name: "one" } } },
  ],
  "a cluster resource inside of one": [{ method: "GET", path: "/api/v1/namespaces/{ns}/namespaces/default" }],
  health: [
    { method: "GET", path: "/healthz" },
    { method: "GET", path: "/livez" },
    { method: "GET", path: "/readyz" },
    { method: "GET", path: "/healthz/ping" },
  ],
  "health without a token": [{ method: "GET", path: "/healthz", as: "no token" }],
  versions: [{ method: "GET", path: "/api" }],
  "a wrong token": [{ method: "GET", path: list, as: "wrong token" }],
  "no rights to list": [{ method: "GET", path: list, as: "nobody" }],
  "no rights to get": [{ method: "GET", path: `${list}/one`, as: "nobody" }],
  "no rights to create": [{ method: "POST", path: list, body: { metadata: { name: "one" } }, as: "nobody" }],
  "no rights to watch": [{ method: "GET", path: `${list}?watch=true`, as: "nobody" }],
  "no rights at the scope of the cluster": [{ method: "GET", path: "/api/v1/namespaces", as: "nobody" }],
  "no rights to a namespace": [{ method: "GET", path: "/api/v1/namespaces/default", as: "nobody" }],
  "no rights in a group": [
    { method: "GET", path: "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles", as: "nobody" },
  ],
  "no rights to a path": [{ method: "GET", path: "/metrics", as: "nobody" }],
  "discovery without rights": [{ method: "GET", path: "/apis/coordination.k8s.io", as: "nobody" }],
  "a role that gives rights": [
    {
      method: "POST",
      path: "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles",
      body: {
        metadata: { name: "reader" },
        rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list"] }],
      },
    },
    {
      method: "POST",
      path: "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/rolebindings",
      body: {
        metadata: { name: "reader" },
        subjects: [{ kind: "User", name: "nobody", apiGroup: "rbac.authorization.k8s.io" }],
        roleRef: { kind: "Role", name: "reader", apiGroup: "rbac.authorization.k8s.io" },
      },
    },
    { method: "GET", path: list, as: "nobody", until: 200 },
    { method: "GET", path: `${list}/one`, as: "nobody" },
    { method: "DELETE", path: `${list}/one`, as: "nobody" },
  ],
});
