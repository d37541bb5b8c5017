import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";
import { describe, expect, it } from "vitest";
import { MemoryRbacObjects } from "../../../../test/memory-rbac-objects.ts";
import { allowMasters, type RequestAttributes, resourceAttributes, unionAuthorizer } from "../authorizer.ts";
import { confirmNoEscalation, type RbacWrite } from "./escalation.ts";
import { rbacAuthorizer } from "./rbac-authorizer.ts";
import { PolicyIndex } from "./rules-by-subject.ts";

const signal = new AbortController().signal;
const group = "rbac.authorization.k8s.io";
const alice: UserInfo = { username: "alice", uid: "", groups: ["devs", "system:authenticated"], extra: {} };

/** A user with `rules` in namespace `shop`. */
function holding(...rules: JsonObject[]): MemoryRbacObjects {
  return new MemoryRbacObjects().put(
    "root",
    { kind: "ClusterRole", metadata: { name: "held" }, rules },
    {
      kind: "ClusterRoleBinding",
      metadata: { name: "held" },
      roleRef: { apiGroup: group, kind: "ClusterRole", name: "held" },
      subjects: [{ kind: "User", name: "alice" }],
    },
  );
}

async function rejection(objects: MemoryRbacObjects, write: RbacWrite): Promise<string | undefined> {
  const policies = new PolicyIndex(objects);
  const authorizer = unionAuthorizer([allowMasters, rbacAuthorizer(policies)]);
  try {
    await confirmNoEscalation(write, { policies, authorizer }, signal);
    return undefined;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return `${error.status.code} ${error.message}`;
  } finally {
    policies.stop();
  }
}

function request(resource: string, more: Partial<RequestAttributes> = {}): RequestAttributes {
  const namespace = resource.startsWith("cluster") ? "" : "shop";
  return { ...resourceAttributes(alice, { verb: "create", plane: "root", group, resource, namespace }), ...more };
}

const pods = { apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] };
const newRole = (...rules: JsonObject[]): JsonObject => ({ kind: "Role", metadata: { name: "new" }, rules });
const newBinding = (kind: string, name: string): JsonObject => ({
  kind: "RoleBinding",
  metadata: { name: "new" },
  roleRef: { apiGroup: group, kind, name },
});

const attempt =
  'user "alice" (groups=["devs" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n';

describe("writing a role", () => {
  const write = (object: JsonObject): RbacWrite => ({ request: request("roles"), object, old: undefined });

  const cases: Record<string, [held: JsonObject[], wanted: JsonObject[], missing: string | undefined]> = {
    "is allowed when the user holds all its permissions": [[pods], [pods], undefined],
    "is allowed when it grants nothing": [[], [], undefined],
    "lists missing permissions, grouped by verbs": [
      [{ ...pods, verbs: ["list"] }],
      [{ ...pods, verbs: ["get", "list", "watch"] }],
      '{APIGroups:[""], Resources:["pods"], Verbs:["get" "watch"]}',
    ],
    "lists each missing resource in order": [
      [],
      [{ apiGroups: ["apps", ""], resources: ["b", "a"], verbs: ["get"] }],
      '{APIGroups:[""], Resources:["a"], Verbs:["get"]}\n{APIGroups:[""], Resources:["b"], Verbs:["get"]}\n' +
        '{APIGroups:["apps"], Resources:["a"], Verbs:["get"]}\n{APIGroups:["apps"], Resources:["b"], Verbs:["get"]}',
    ],
    "is allowed with wildcard verbs, groups and resources": [
      [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }],
      [{ ...pods, resources: ["pods/exec"] }],
      undefined,
    ],
    "is rejected for a wildcard that the user does not hold": [
      [pods],
      [{ ...pods, verbs: ["*"] }],
      '{APIGroups:[""], Resources:["pods"], Verbs:["*"]}',
    ],
    "is covered by a subresource of all resources": [
      [{ ...pods, resources: ["*/scale"] }],
      [{ ...pods, resources: ["deployments/scale"] }],
      undefined,
    ],
    "with one name is covered by all names": [[pods], [{ ...pods, resourceNames: ["web"] }], undefined],
    "with all names is not covered by one": [
      [{ ...pods, verbs: ["get"], resourceNames: ["web"] }],
      [{ ...pods, verbs: ["get"] }],
      '{APIGroups:[""], Resources:["pods"], Verbs:["get"]}',
    ],
    "with another name is not covered": [
      [{ ...pods, resourceNames: ["web"] }],
      [{ ...pods, verbs: ["get"], resourceNames: ["web", "db"] }],
      '{APIGroups:[""], Resources:["pods"], ResourceNames:["db"], Verbs:["get"]}',
    ],
    "with a URL below a held wildcard is covered": [
      [{ nonResourceURLs: ["/logs/*"], verbs: ["get"] }],
      [{ nonResourceURLs: ["/logs/a"], verbs: ["get"] }],
      undefined,
    ],
    "with another URL is not covered": [
      [{ nonResourceURLs: ["/logs/*"], verbs: ["get"] }],
      [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }],
      '{NonResourceURLs:["/metrics"], Verbs:["get"]}',
    ],
  };
  for (const [name, [held, wanted, missing]] of Object.entries(cases)) {
    it(name, async () => {
      const expected =
        missing === undefined ? undefined : `403 roles.${group} "new" is forbidden: ${attempt}${missing}`;
      expect(await rejection(holding(...held), write(newRole(...wanted)))).toBe(expected);
    });
  }

  it("is allowed with the verb escalate, and for masters", async () => {
    const escalate = { apiGroups: [group], resources: ["roles"], verbs: ["escalate"] };
    expect(await rejection(holding(escalate), write(newRole(pods)))).toBeUndefined();
    const masters = { ...alice, groups: ["system:masters"] };
    const byMaster = { ...write(newRole(pods)), request: request("roles", { user: masters }) };
    expect(await rejection(holding(), byMaster)).toBeUndefined();
  });

  it("is allowed when only owners, finalizers or managed fields change", async () => {
    const old = { ...newRole(pods), metadata: { name: "new", finalizers: ["a"], ownerReferences: [] } };
    const update = (object: JsonObject): RbacWrite => ({ request: request("roles", { verb: "update" }), object, old });
    expect(await rejection(holding(), update(newRole(pods)))).toBeUndefined();
    const renamed = { ...newRole(pods), metadata: { name: "new", labels: { a: "b" } } };
    expect(await rejection(holding(), update(renamed))).toMatch(/not currently held/);
  });

  it("reports roles that could not be found", async () => {
    const objects = holding().put("root", {
      kind: "ClusterRoleBinding",
      metadata: { name: "dangling" },
      roleRef: { apiGroup: group, kind: "ClusterRole", name: "gone" },
      subjects: [{ kind: "Group", name: "devs" }],
    });
    expect(await rejection(objects, write(newRole({ ...pods, verbs: ["get"] })))).toBe(
      `403 roles.${group} "new" is forbidden: ${attempt}{APIGroups:[""], Resources:["pods"], Verbs:["get"]}` +
        `; resolution errors: [roles.${group} "gone" not found]`,
    );
  });

  it("with an aggregation rule requires all permissions", async () => {
    const object = {
      kind: "ClusterRole",
      metadata: { name: "new" },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] },
    };
    const create: RbacWrite = { request: request("clusterroles"), object, old: undefined };
    expect(await rejection(holding(pods), create)).toBe(
      `403 clusterroles.${group} "new" is forbidden: must have cluster-admin privileges to use the aggregationRule`,
    );
    const removal: RbacWrite = { ...create, object: { ...object, aggregationRule: null }, old: object };
    expect(await rejection(holding(pods), removal)).toMatch(/must have cluster-admin privileges/);
    const everything = [
      { apiGroups: ["*"], resources: ["*"], verbs: ["*"] },
      { nonResourceURLs: ["*"], verbs: ["*"] },
    ];
    expect(await rejection(holding(...everything), create)).toBeUndefined();
  });

  it("of excessive size is rejected without expanding its rules", async () => {
    const many = Array.from({ length: 400 }, (_, index) => `r${index}`);
    const huge = { apiGroups: many, resources: many, verbs: ["get"] };
    expect(await rejection(holding(), write(newRole(huge)))).toMatch(/at most 100000 permissions/);
  });
});

describe("writing a binding", () => {
  const shopRole = { kind: "Role", metadata: { name: "local", namespace: "shop" }, rules: [pods] };
  const write = (resource: string, kind: string, name: string): RbacWrite => ({
    request: request(resource),
    object: newBinding(kind, name),
    old: undefined,
  });

  const cases: Record<string, [held: JsonObject[], write: RbacWrite, rejection: RegExp | undefined]> = {
    "is allowed when the user holds the role's permissions": [
      [pods],
      write("rolebindings", "Role", "local"),
      undefined,
    ],
    "is rejected when the user does not hold them": [
      [{ ...pods, verbs: ["get"] }],
      write("rolebindings", "Role", "local"),
      /^403 rolebindings\.rbac\.authorization\.k8s\.io "new" is forbidden: user "alice" .* not currently held:\n\{APIGroups:\[""\], Resources:\["pods"\], Verbs:\["list"\]\}$/,
    ],
    "is allowed with the verb bind on that role": [
      [{ apiGroups: [group], resources: ["roles"], verbs: ["bind"], resourceNames: ["local"] }],
      write("rolebindings", "Role", "local"),
      undefined,
    ],
    "is rejected with the verb bind on another role": [
      [{ apiGroups: [group], resources: ["roles"], verbs: ["bind"], resourceNames: ["other"] }],
      write("rolebindings", "Role", "local"),
      /not currently held/,
    ],
    "to a missing role reports it": [
      [],
      write("rolebindings", "ClusterRole", "gone"),
      /^404 rolebindings\.rbac\.authorization\.k8s\.io "gone" not found$/,
    ],
    "in a ClusterRoleBinding does not resolve roles of a namespace": [
      [],
      write("clusterrolebindings", "Role", "local"),
      /^404 clusterrolebindings\.rbac\.authorization\.k8s\.io "local" not found$/,
    ],
  };
  for (const [name, [held, one, expected]] of Object.entries(cases)) {
    it(name, async () => {
      const answer = await rejection(holding(...held).put("root", shopRole), one);
      if (expected === undefined) expect(answer).toBeUndefined();
      else expect(answer).toMatch(expected);
    });
  }

  it("of another group or kind is not checked", async () => {
    expect(await rejection(holding(), { request: request("pods"), object: {}, old: undefined })).toBeUndefined();
    const elsewhere = { request: { ...request("roles"), group: "iam.x.io" }, object: newRole(pods), old: undefined };
    expect(await rejection(holding(), elsewhere)).toBeUndefined();
  });
});
