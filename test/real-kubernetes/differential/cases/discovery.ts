import { cases } from "../case.ts";
import { get } from "../steps.ts";

const resources = (...names: readonly string[]) => [
  "kind",
  "groupVersion",
  "apiVersion",
  ...names.map((name) => `resources[name=${name}]`),
];
const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const inGroup = (group: string, version: string, resource: string) =>
  `items[metadata.name=${group}].versions[version=${version}].resources[resource=${resource}]`;

export const discoveryCases = cases("discovery", {
  "the core": [
    get("/api/v1", {
      parts: resources(
        "configmaps",
        "events",
        "namespaces",
        "namespaces/finalize",
        "namespaces/status",
        "persistentvolumeclaims",
        "persistentvolumeclaims/status",
        "pods",
        "pods/status",
        "secrets",
        "serviceaccounts",
        "services",
        "services/status",
      ),
    }),
  ],
  apps: [get("/apis/apps"), get("/apis/apps/v1", { parts: resources("deployments", "deployments/status") })],
  roles: [
    get("/apis/rbac.authorization.k8s.io"),
    get("/apis/rbac.authorization.k8s.io/v1", {
      parts: resources("roles", "rolebindings", "clusterroles", "clusterrolebindings"),
    }),
  ],
  definitions: [get("/apis/apiextensions.k8s.io"), get("/apis/apiextensions.k8s.io/v1")],
  webhooks: [
    get("/apis/admissionregistration.k8s.io/v1", {
      parts: resources("validatingwebhookconfigurations", "mutatingwebhookconfigurations"),
    }),
  ],
  reviews: [
    get("/apis/authorization.k8s.io/v1"),
    get("/apis/authentication.k8s.io/v1", { parts: resources("selfsubjectreviews", "tokenreviews") }),
  ],
  leases: [get("/apis/coordination.k8s.io/v1", { parts: resources("leases") }), get("/apis/coordination.k8s.io")],
  events: [get("/apis/events.k8s.io/v1"), get("/apis/events.k8s.io")],
  others: [get("/apis/discovery.k8s.io/v1")],
  "an unknown version": [get("/apis/apps/v9"), get("/api/v2"), get("/apis/nope"), get("/apis/nope/v1")],
  "with a trailing slash": [
    get("/apis/"),
    get("/api/", { parts: ["kind", "versions"] }),
    get("/apis/events.k8s.io/"),
    get("/apis/events.k8s.io/v1/"),
  ].map((step) => ({ ...step, parts: ["kind", "versions", "groupVersion"] })),
  aggregated: [
    get("/apis", {
      accept: aggregated,
      parts: [
        "kind",
        "apiVersion",
        "metadata",
        `${inGroup("apps", "v1", "deployments")}.responseKind`,
        inGroup("rbac.authorization.k8s.io", "v1", "roles"),
        inGroup("events.k8s.io", "v1", "events"),
        inGroup("apiextensions.k8s.io", "v1", "customresourcedefinitions"),
        inGroup("authorization.k8s.io", "v1", "selfsubjectaccessreviews"),
        "items[metadata.name=events.k8s.io]",
      ],
    }),
    get("/api", { accept: aggregated, parts: ["items[metadata.name=].versions", "kind"].slice(1) }),
  ],
  "without permissions": [get("/api", { as: "nobody", parts: ["kind"] })],
  "health in detail": [
    get("/readyz/ping"),
    get("/livez/ping"),
    get("/healthz/nope"),
    get("/readyz?exclude=nope", { parts: [] }),
  ],
});
