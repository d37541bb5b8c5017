import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";
import { describe, expect, it } from "vitest";
import { MemoryRbacObjects } from "../../../../test/memory-rbac-objects.ts";
import { allowMasters, forbiddenRequest, type RequestAttributes, unionAuthorizer } from "../authorizer.ts";
import { rbacAuthorizer } from "./rbac-authorizer.ts";
import { PolicyIndex } from "./rules-by-subject.ts";

const signal = new AbortController().signal;
const alice: UserInfo = { username: "alice", uid: "", groups: ["devs", "system:authenticated"], extra: {} };

const get: RequestAttributes = {
  user: alice,
  verb: "get",
  plane: "root",
  group: "",
  version: "v1",
  resource: "pods",
  subresource: "",
  namespace: "shop",
  name: "web",
  path: "",
  isResource: true,
};

const rule = (apiGroups: string[], resources: string[], verbs: string[], resourceNames?: string[]): JsonObject => ({
  apiGroups,
  resources,
  verbs,
  ...(resourceNames === undefined ? {} : { resourceNames }),
});

const role = (name: string, ...rules: JsonObject[]): JsonObject => ({
  kind: "Role",
  metadata: { name, namespace: "shop" },
  rules,
});

const clusterRole = (name: string, ...rules: JsonObject[]): JsonObject => ({
  kind: "ClusterRole",
  metadata: { name },
  rules,
});

function binding(name: string, roleKind: string, roleName: string, ...subjects: JsonObject[]): JsonObject {
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: roleKind, name: roleName };
  return { kind: "RoleBinding", metadata: { name, namespace: "shop" }, roleRef, subjects };
}

const clusterBinding = (name: string, roleName: string, ...subjects: JsonObject[]): JsonObject => ({
  ...binding(name, "ClusterRole", roleName, ...subjects),
  kind: "ClusterRoleBinding",
  metadata: { name },
});

const user = (name: string): JsonObject => ({ kind: "User", name });
const group = (name: string): JsonObject => ({ kind: "Group", name });
const account = (name: string, namespace?: string): JsonObject => ({
  kind: "ServiceAccount",
  name,
  ...(namespace === undefined ? {} : { namespace }),
});

async function decide(objects: MemoryRbacObjects, attributes: Partial<RequestAttributes>) {
  const policies = new PolicyIndex(objects);
  const decision = await rbacAuthorizer(policies).authorize({ ...get, ...attributes }, signal);
  policies.stop();
  return decision;
}

describe("a rule", () => {
  const cases: Record<string, [rule: JsonObject, attributes: Partial<RequestAttributes>, allowed: boolean]> = {
    "allows what it names": [rule([""], ["pods"], ["get"]), {}, true],
    "does not allow another verb": [rule([""], ["pods"], ["list"]), {}, false],
    "allows every verb with a wildcard": [rule([""], ["pods"], ["*"]), { verb: "frobnicate" }, true],
    "does not allow another group": [rule(["apps"], ["pods"], ["get"]), {}, false],
    "allows every group with a wildcard": [rule(["*"], ["pods"], ["get"]), { group: "x.io" }, true],
    "without groups allows nothing": [rule([], ["pods"], ["get"]), {}, false],
    "does not allow another resource": [rule([""], ["services"], ["get"]), {}, false],
    "does not allow a subresource of a resource it names": [
      rule([""], ["pods"], ["get"]),
      { subresource: "log" },
      false,
    ],
    "allows a subresource it names": [rule([""], ["pods/log"], ["get"]), { subresource: "log" }, true],
    "naming a subresource does not allow the resource": [rule([""], ["pods/log"], ["get"]), {}, false],
    "with a wildcard allows subresources too": [rule([""], ["*"], ["get"]), { subresource: "log" }, true],
    "allows a subresource of all resources": [rule([""], ["*/log"], ["get"]), { subresource: "log" }, true],
    "for a subresource of all resources does not allow other subresources": [
      rule([""], ["*/log"], ["get"]),
      { subresource: "exec" },
      false,
    ],
    "for a subresource of all resources does not allow a longer one": [
      rule([""], ["*/og"], ["get"]),
      { subresource: "log" },
      false,
    ],
    "does not support wildcards behind a slash": [rule([""], ["pods/*"], ["get"]), { subresource: "log" }, false],
    "allows a name it lists": [rule([""], ["pods"], ["get"], ["db", "web"]), {}, true],
    "does not allow a name it does not list": [rule([""], ["pods"], ["get"], ["db"]), {}, false],
    "with names does not allow collections": [rule([""], ["pods"], ["get"], ["web"]), { name: "" }, false],
    "with an empty list of names allows all": [rule([""], ["pods"], ["get"], []), {}, true],
    "for URLs does not allow resources": [{ nonResourceURLs: ["*"], verbs: ["*"] }, {}, false],
    "that is malformed allows nothing": [{ apiGroups: "*", resources: ["*"], verbs: ["*"] }, {}, false],
  };
  for (const [name, [one, attributes, allowed]] of Object.entries(cases)) {
    it(name, async () => {
      const objects = new MemoryRbacObjects().put("root", role("r", one), binding("b", "Role", "r", user("alice")));
      expect((await decide(objects, attributes)).outcome).toBe(allowed ? "allow" : "none");
    });
  }
});

describe("a rule for URLs", () => {
  const cases: Record<string, [urls: string[], path: string, allowed: boolean]> = {
    "allows the path": [["/metrics"], "/metrics", true],
    "does not allow another path": [["/metrics"], "/metrics/slis", false],
    "allows all paths below with a wildcard": [["/healthz/*"], "/healthz/etcd", true],
    "does not allow the parent of a wildcard": [["/healthz/*"], "/healthz", false],
    "allows every path with a wildcard": [["*"], "/debug/pprof", true],
  };
  for (const [name, [nonResourceURLs, path, allowed]] of Object.entries(cases)) {
    it(name, async () => {
      const objects = new MemoryRbacObjects().put(
        "root",
        clusterRole("r", { nonResourceURLs, verbs: ["get"] }),
        clusterBinding("b", "r", group("devs")),
      );
      const attributes = { isResource: false, path, namespace: "", resource: "", name: "" };
      expect((await decide(objects, attributes)).outcome).toBe(allowed ? "allow" : "none");
    });
  }
});

describe("a binding", () => {
  const pods = rule([""], ["pods"], ["get"]);
  const robot: UserInfo = { ...alice, username: "system:serviceaccount:shop:robot", groups: [] };
  const cases: Record<
    string,
    [objects: JsonObject[], attributes: Partial<RequestAttributes>, reason: string | undefined]
  > = {
    "of a namespace to a user": [
      [role("r", pods), binding("b", "Role", "r", user("alice"))],
      {},
      'RoleBinding "b/shop" of Role "r" to User "alice"',
    ],
    "of a namespace to a cluster role": [
      [clusterRole("r", pods), binding("b", "ClusterRole", "r", group("devs"))],
      {},
      'RoleBinding "b/shop" of ClusterRole "r" to Group "devs"',
    ],
    "of the cluster": [
      [clusterRole("r", pods), clusterBinding("b", "r", user("bob"), user("alice"), group("devs"))],
      {},
      'ClusterRoleBinding "b" of ClusterRole "r" to User "alice"',
    ],
    "of the cluster applies to all namespaces": [
      [clusterRole("r", pods), clusterBinding("b", "r", user("alice"))],
      { namespace: "", name: "" },
      'ClusterRoleBinding "b" of ClusterRole "r" to User "alice"',
    ],
    "of a namespace does not apply to all namespaces": [
      [clusterRole("r", pods), binding("b", "ClusterRole", "r", user("alice"))],
      { namespace: "", name: "" },
      undefined,
    ],
    "of another namespace does not apply": [
      [clusterRole("r", pods), binding("b", "ClusterRole", "r", user("alice"))],
      { namespace: "other" },
      undefined,
    ],
    "to a service account of its own namespace": [
      [role("r", pods), binding("b", "Role", "r", account("robot"))],
      { user: robot },
      'RoleBinding "b/shop" of Role "r" to ServiceAccount "robot/shop"',
    ],
    "to a service account that names its namespace": [
      [clusterRole("r", pods), clusterBinding("b", "r", account("robot", "shop"))],
      { user: robot },
      'ClusterRoleBinding "b" of ClusterRole "r" to ServiceAccount "robot/shop"',
    ],
    "of the cluster to a service account of no namespace": [
      [clusterRole("r", pods), clusterBinding("b", "r", account("robot"))],
      { user: robot },
      undefined,
    ],
    "to an unknown kind of subject": [
      [clusterRole("r", pods), clusterBinding("b", "r", { kind: "Robot", name: "alice" })],
      {},
      undefined,
    ],
    "to a group with the name of a user": [
      [clusterRole("r", pods), clusterBinding("b", "r", group("alice"))],
      {},
      undefined,
    ],
    "without subjects": [[clusterRole("r", pods), clusterBinding("b", "r")], {}, undefined],
  };
  for (const [name, [objects, attributes, reason]] of Object.entries(cases)) {
    it(name, async () => {
      const decision = await decide(new MemoryRbacObjects().put("root", ...objects), attributes);
      expect(decision).toEqual(
        reason === undefined
          ? { outcome: "none", reason: "" }
          : { outcome: "allow", reason: `RBAC: allowed by ${reason}` },
      );
    });
  }

  it("to a missing role is reported in the rejection", async () => {
    const objects = new MemoryRbacObjects().put("root", clusterBinding("b", "gone", user("alice")));
    const decision = await decide(objects, {});
    expect(decision).toEqual({
      outcome: "none",
      reason: 'RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found',
    });
  });

  it("of several kinds to missing roles reports each once", async () => {
    const objects = new MemoryRbacObjects().put(
      "root",
      clusterBinding("b", "gone", user("alice")),
      clusterBinding("c", "gone", group("devs")),
      binding("d", "Role", "lost", user("alice")),
    );
    const missing =
      'clusterrole.rbac.authorization.k8s.io "gone" not found, role.rbac.authorization.k8s.io "lost" not found';
    expect((await decide(objects, {})).reason).toBe(`RBAC: [${missing}]`);
  });

  it("to a missing role does not prevent another binding from allowing the request", async () => {
    const objects = new MemoryRbacObjects().put(
      "root",
      clusterBinding("a", "gone", user("alice")),
      role("r", pods),
      binding("b", "Role", "r", user("alice")),
    );
    expect((await decide(objects, {})).outcome).toBe("allow");
  });
});

describe("the RBAC index", () => {
  const pods = rule([""], ["pods"], ["get"]);
  const toAlice = clusterBinding("b", "r", user("alice"));

  function opened(limits?: { planesMax: number }) {
    const objects = new MemoryRbacObjects();
    const policies = new PolicyIndex(objects, limits);
    const outcome = async (attributes: Partial<RequestAttributes> = {}) =>
      (await rbacAuthorizer(policies).authorize({ ...get, ...attributes }, signal)).outcome;
    return { objects, policies, outcome };
  }

  it("follows changes without listing again", async () => {
    const { objects, outcome } = opened();
    expect(await outcome()).toBe("none");
    objects.put("root", clusterRole("r", pods), toAlice);
    expect(await outcome()).toBe("allow");
    objects.put("root", clusterRole("r", rule([""], ["pods"], ["list"])));
    expect(await outcome()).toBe("none");
    objects.put("root", clusterRole("r", pods), clusterBinding("b", "r", user("bob")));
    expect(await outcome()).toBe("none");
    expect(await outcome({ user: { ...alice, username: "bob" } })).toBe("allow");
    objects.remove("root", toAlice);
    expect(await outcome({ user: { ...alice, username: "bob" } })).toBe("none");
    expect(objects.lists).toBe(1);
  });

  it("separates planes", async () => {
    const { objects, outcome } = opened();
    objects.put("root", clusterRole("r", pods), toAlice);
    expect(await outcome()).toBe("allow");
    expect(await outcome({ plane: "project-a" })).toBe("none");
  });

  it("evicts the least recently used plane, and lists it again", async () => {
    const { objects, outcome } = opened({ planesMax: 2 });
    objects.put("c", clusterRole("r", pods), toAlice);
    for (const plane of ["a", "b", "a", "c", "a"]) await outcome({ plane });
    expect(objects.lists).toBe(3);
    await outcome({ plane: "b" });
    expect(objects.lists).toBe(4);
    expect(await outcome({ plane: "c" })).toBe("allow");
  });

  it("stops watching", () => {
    const { objects, policies } = opened();
    expect(objects.watchers).toBe(1);
    policies.stop();
    expect(objects.watchers).toBe(0);
  });
});

describe("several authorizers", () => {
  it("allow masters regardless of roles", async () => {
    const policies = new PolicyIndex(new MemoryRbacObjects());
    const authorizer = unionAuthorizer([allowMasters, rbacAuthorizer(policies)]);
    const root = { ...alice, groups: ["system:masters"] };
    expect(await authorizer.authorize({ ...get, user: root }, signal)).toEqual({ outcome: "allow", reason: "" });
    expect(await authorizer.authorize(get, signal)).toEqual({ outcome: "none", reason: "" });
  });

  it("stop at the first denial, and join the reasons of those without opinion", async () => {
    const says = (outcome: "deny" | "none" | "allow", reason: string) => ({
      authorize: async () => ({ outcome, reason }),
    });
    const none = unionAuthorizer([says("none", "one"), says("none", ""), says("none", "two")]);
    expect(await none.authorize(get, signal)).toEqual({ outcome: "none", reason: "one\ntwo" });
    const denied = unionAuthorizer([says("none", "one"), says("deny", "never"), says("allow", "")]);
    expect(await denied.authorize(get, signal)).toEqual({ outcome: "deny", reason: "never" });
  });
});

describe("the answer to a forbidden request", () => {
  const cases: Record<string, [attributes: Partial<RequestAttributes>, reason: string, message: string]> = {
    "in a namespace": [
      {},
      "",
      'pods "web" is forbidden: User "alice" cannot get resource "pods" in API group "" in the namespace "shop"',
    ],
    "of a subresource in a group": [
      { group: "apps", resource: "deployments", subresource: "scale" },
      "",
      'deployments.apps "web" is forbidden: User "alice" cannot get resource "deployments/scale" in API group "apps" in the namespace "shop"',
    ],
    "at the scope of the cluster": [
      { verb: "list", namespace: "", name: "" },
      "",
      'pods is forbidden: User "alice" cannot list resource "pods" in API group "" at the cluster scope',
    ],
    "of a path": [
      { isResource: false, path: "/metrics", resource: "", namespace: "", name: "" },
      "",
      'forbidden: User "alice" cannot get path "/metrics"',
    ],
    "with a reason": [
      { verb: "list", namespace: "", name: "" },
      'RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found',
      'pods is forbidden: User "alice" cannot list resource "pods" in API group "" at the cluster scope: RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found',
    ],
    "of a user whose name contains markup": [
      { user: { ...alice, username: "<b>&" }, verb: "list", namespace: "", name: "" },
      "",
      'pods is forbidden: User "&lt;b&gt;&amp;" cannot list resource "pods" in API group "" at the cluster scope',
    ],
  };
  for (const [name, [attributes, reason, message]] of Object.entries(cases)) {
    it(name, () => {
      const status = forbiddenRequest({ ...get, ...attributes }, reason);
      expect(status).toMatchObject({ code: 403, reason: "Forbidden", message });
    });
  }

  it("names the resource in its details, and nothing for a path", () => {
    expect(forbiddenRequest({ ...get, group: "apps" }, "").details).toEqual({
      name: "web",
      group: "apps",
      kind: "pods",
    });
    const path = { ...get, isResource: false, resource: "", name: "", path: "/x" };
    expect(forbiddenRequest(path, "").details).toEqual({});
  });
});
