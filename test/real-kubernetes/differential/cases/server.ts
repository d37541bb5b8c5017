import { cases } from "../case.ts";

const list = "/api/v1/namespaces/{ns}/configmaps";

export const serverCases = cases("server", {
  "an unknown path": [{ method: "GET", path: "/nope" }],
  "an unknown group": [{ method: "GET", path: "/apis/nope.example.com/v1/things" }],
  "an unknown resource": [{ method: "GET", path: "/api/v1/things" }],
  "an unknown subresource": [{ method: "GET", path: `${list}/one/nope` }],
  "a namespaced resource without a namespace": [
    { method: "POST", path: "/api/v1/configmaps", body: { metadata: { name: "one" } } },
  ],
  "a cluster-scoped resource below a namespace": [
    { method: "GET", path: "/api/v1/namespaces/{ns}/namespaces/default" },
  ],
  health: [
    { method: "GET", path: "/healthz" },
    { method: "GET", path: "/livez" },
    { method: "GET", path: "/readyz" },
    { method: "GET", path: "/healthz/ping" },
  ],
  "health without a token": [{ method: "GET", path: "/healthz", as: "no token" }],
  versions: [{ method: "GET", path: "/api" }],
  "a wrong token": [{ method: "GET", path: list, as: "wrong token" }],
  "no permission to list": [{ method: "GET", path: list, as: "nobody" }],
  "no permission to get": [{ method: "GET", path: `${list}/one`, as: "nobody" }],
  "no permission to create": [{ method: "POST", path: list, body: { metadata: { name: "one" } }, as: "nobody" }],
  "no permission to watch": [{ method: "GET", path: `${list}?watch=true`, as: "nobody" }],
  "no permission at cluster scope": [{ method: "GET", path: "/api/v1/namespaces", as: "nobody" }],
  "no permission for a namespace": [{ method: "GET", path: "/api/v1/namespaces/default", as: "nobody" }],
  "no permission in a group": [
    { method: "GET", path: "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles", as: "nobody" },
  ],
  "no permission for a path": [{ method: "GET", path: "/metrics", as: "nobody" }],
  "discovery without permissions": [{ method: "GET", path: "/apis/coordination.k8s.io", as: "nobody" }],
  "a role that grants permissions": [
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
