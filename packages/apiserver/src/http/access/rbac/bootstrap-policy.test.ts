import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";
import { describe, expect, it } from "vitest";
import { MemoryRbacObjects } from "../../../../test/memory-rbac-objects.ts";
import { resourceAttributes } from "../authorizer.ts";
import { aggregatedRules, type ClusterRole, roleRewrites } from "./aggregation.ts";
import { bootstrapClusterRoleBindings, bootstrapClusterRoles, reconcileClusterRole } from "./bootstrap-policy.ts";
import { rbacAuthorizer } from "./rbac-authorizer.ts";
import { PolicyIndex } from "./rules-by-subject.ts";

const nameOf = (role: JsonObject) => (role["metadata"] as JsonObject)["name"];

/** Applies updates until all roles are up to date, as the controller does. */
function settled(roles: readonly ClusterRole[]): { readonly roles: readonly ClusterRole[]; readonly passes: number } {
  let current = roles;
  for (let passes = 0; passes < 10; passes += 1) {
    const rewrites = roleRewrites(current);
    if (rewrites.length === 0) return { roles: current, passes };
    current = current.map((role) => {
      const rules = rewrites.find((rewrite) => rewrite.role === role)?.rules;
      return rules === undefined ? role : { ...role, rules };
    });
  }
  throw new Error("never settles");
}

describe("aggregation", () => {
  const labelled = (name: string, label: string, ...rules: JsonObject[]): ClusterRole => ({
    metadata: { name, labels: { [label]: "true" } },
    rules,
  });
  const rule = (resource: string): JsonObject => ({ apiGroups: [""], resources: [resource], verbs: ["get"] });
  const gathers = (name: string, ...labels: string[]): ClusterRole => ({
    metadata: { name, labels: { own: "true" } },
    aggregationRule: { clusterRoleSelectors: labels.map((label) => ({ matchLabels: { [label]: "true" } })) },
  });

  it("collects rules by label, in order of names and selectors, without duplicates", () => {
    const roles = [
      labelled("z", "a", rule("pods")),
      labelled("y", "a", rule("services"), rule("pods")),
      labelled("x", "b", rule("secrets")),
      labelled("w", "c", rule("nodes")),
    ];
    expect(aggregatedRules(gathers("all", "b", "a"), roles)).toEqual([rule("secrets"), rule("services"), rule("pods")]);
  });

  it("ignores a role's own rules", () => {
    const self = gathers("self", "own");
    expect(aggregatedRules(self, [self, labelled("other", "own", rule("pods"))])).toEqual([rule("pods")]);
  });

  it("does not change roles without aggregation or with an invalid selector", () => {
    expect(aggregatedRules(labelled("plain", "a", rule("pods")), [])).toBeUndefined();
    const wrong = {
      metadata: { name: "wrong" },
      aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: "a", operator: "Like" }] }] },
    };
    expect(aggregatedRules(wrong, [])).toBeUndefined();
  });

  it("empties a role when no role matches any more", () => {
    const before = { ...gathers("all", "a"), rules: [rule("pods")] };
    expect(roleRewrites([before])).toEqual([{ role: before, rules: [] }]);
    expect(roleRewrites([{ ...before, rules: [] }])).toEqual([]);
  });
});

describe("the bootstrap roles of a plane", () => {
  const { roles, passes } = settled(bootstrapClusterRoles());
  const objects = new MemoryRbacObjects().put("root", ...roles, ...bootstrapClusterRoleBindings());
  for (const role of ["view", "edit", "admin"]) {
    objects.put("root", {
      kind: "RoleBinding",
      metadata: { name: role, namespace: "shop" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
      subjects: [{ kind: "User", name: role }],
    });
  }
  const authorizer = rbacAuthorizer(new PolicyIndex(objects));
  const signal = new AbortController().signal;

  it("converge after one pass for each level of aggregation", () => {
    expect(passes).toBe(3);
  });

  const person = (username: string, ...groups: string[]): UserInfo => ({ username, uid: "", groups, extra: {} });
  const cases: Record<string, [user: UserInfo, verb: string, group: string, resource: string, allowed: boolean]> = {
    "view reads pods": [person("view"), "list", "", "pods", true],
    "view does not read secrets": [person("view"), "get", "", "secrets", false],
    "view does not write": [person("view"), "create", "", "configmaps", false],
    "view sees its own namespace": [person("view"), "get", "", "namespaces", true],
    "edit reads and writes secrets": [person("edit"), "update", "", "secrets", true],
    "edit includes view": [person("edit"), "watch", "batch", "jobs", true],
    "edit does not create role bindings": [
      person("edit"),
      "create",
      "rbac.authorization.k8s.io",
      "rolebindings",
      false,
    ],
    "edit does not change quota": [person("edit"), "update", "", "resourcequotas", false],
    "admin creates role bindings": [person("admin"), "create", "rbac.authorization.k8s.io", "rolebindings", true],
    "admin includes edit": [person("admin"), "delete", "apps", "deployments", true],
    "cluster-admin does anything": [person("root", "system:masters"), "frob", "x.io", "anything", true],
    "every user may create self reviews": [
      person("bob", "system:authenticated"),
      "create",
      "authorization.k8s.io",
      "selfsubjectaccessreviews",
      true,
    ],
    "anonymous users may not create self reviews": [
      person("system:anonymous", "system:unauthenticated"),
      "create",
      "authorization.k8s.io",
      "selfsubjectaccessreviews",
      false,
    ],
  };
  for (const [name, [user, verb, group, resource, allowed]] of Object.entries(cases)) {
    it(name, async () => {
      const attributes = resourceAttributes(user, { verb, plane: "root", group, resource, namespace: "shop" });
      expect((await authorizer.authorize(attributes, signal)).outcome).toBe(allowed ? "allow" : "none");
    });
  }

  const paths: Record<string, [user: UserInfo, path: string, allowed: boolean]> = {
    "every user may read /readyz": [person("system:anonymous", "system:unauthenticated"), "/readyz", true],
    "anonymous users may not read single health checks": [
      person("system:anonymous", "system:unauthenticated"),
      "/readyz/etcd",
      false,
    ],
    "anonymous users may not use discovery": [person("system:anonymous", "system:unauthenticated"), "/apis", false],
    "authenticated users may use discovery": [person("bob", "system:authenticated"), "/apis/apps/v1", true],
    "authenticated users may not read metrics": [person("bob", "system:authenticated"), "/metrics", false],
    "monitoring reads metrics": [person("prom", "system:monitoring"), "/metrics", true],
  };
  for (const [name, [user, path, allowed]] of Object.entries(paths)) {
    it(name, async () => {
      const nothing = resourceAttributes(user, { verb: "get", plane: "root", group: "", resource: "" });
      const decision = await authorizer.authorize({ ...nothing, path, isResource: false }, signal);
      expect(decision.outcome).toBe(allowed ? "allow" : "none");
    });
  }
});

describe("a role of an older version", () => {
  const wanted = bootstrapClusterRoles().find((role) => nameOf(role) === "system:basic-user") as JsonObject;
  const rules = wanted["rules"] as readonly JsonObject[];
  const metadata = wanted["metadata"] as JsonObject;
  const own = { apiGroups: ["x.io"], resources: ["things"], verbs: ["get"] };

  it("gets missing rules and labels, and keeps additions", () => {
    const stored = { ...wanted, metadata: { ...metadata, labels: { a: "b" } }, rules: [own, rules[0] as JsonObject] };
    expect(reconcileClusterRole(stored, wanted)).toEqual({
      ...wanted,
      metadata: { ...metadata, labels: { a: "b", "kubernetes.io/bootstrapping": "rbac-defaults" } },
      rules: [own, rules[0], rules[1]],
    });
  });

  it("is unchanged when it is complete or opts out of updates", () => {
    expect(reconcileClusterRole({ ...wanted, rules: [own, ...rules] }, wanted)).toBeUndefined();
    const annotations = { "rbac.authorization.kubernetes.io/autoupdate": "false" };
    expect(
      reconcileClusterRole({ ...wanted, metadata: { ...metadata, annotations }, rules: [] }, wanted),
    ).toBeUndefined();
  });

  it("that is aggregated keeps its aggregation rule", () => {
    const view = bootstrapClusterRoles().find((role) => nameOf(role) === "view") as JsonObject;
    expect(reconcileClusterRole({ ...view, rules: [own] }, view)).toBeUndefined();
  });
});
