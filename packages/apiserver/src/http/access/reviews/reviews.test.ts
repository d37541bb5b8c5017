import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";
import { describe, expect, it } from "vitest";
import { MemoryRbacObjects } from "../../../../test/memory-rbac-objects.ts";
import type { TokenAuthenticator } from "../authentication/token-authenticator.ts";
import { tokenTable } from "../authentication/token-table.ts";
import { allowMasters, unionAuthorizer } from "../authorizer.ts";
import { bootstrapClusterRoleBindings, bootstrapClusterRoles } from "../rbac/bootstrap-policy.ts";
import { rbacAuthorizer } from "../rbac/rbac-authorizer.ts";
import { PolicyIndex } from "../rbac/rules-by-subject.ts";
import type { ReviewContext, ReviewDeps } from "./review-context.ts";
import { reviewKinds } from "./review-kinds.ts";

const signal = new AbortController().signal;
const alice: UserInfo = { username: "alice", uid: "2", groups: ["devs", "system:authenticated"], extra: {} };

const objects = new MemoryRbacObjects().put(
  "root",
  ...bootstrapClusterRoles(),
  ...bootstrapClusterRoleBindings(),
  {
    kind: "Role",
    metadata: { name: "r", namespace: "shop" },
    rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"], resourceNames: ["web"] }],
  },
  {
    kind: "RoleBinding",
    metadata: { name: "b", namespace: "shop" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" },
    subjects: [{ kind: "User", name: "alice" }],
  },
  {
    kind: "RoleBinding",
    metadata: { name: "b", namespace: "broken" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "gone" },
    subjects: [{ kind: "User", name: "alice" }],
  },
);
const policies = new PolicyIndex(objects);
const forMany: TokenAuthenticator = {
  authenticateToken: async (token) =>
    token === "many" ? { user: alice, audiences: ["vault", "https://milo"] } : undefined,
};
const table = tokenTable([{ token: "alicetoken", user: { ...alice, groups: ["devs"], extra: { scopes: ["a"] } } }]);
const deps: ReviewDeps = {
  authorizer: unionAuthorizer([allowMasters, rbacAuthorizer(policies)]),
  policies,
  tokens: {
    authenticateToken: async (token) =>
      (await table.authenticateToken(token, signal)) ?? (await forMany.authenticateToken(token, signal)),
  },
  audiences: ["https://milo"],
  clock: { now: () => Date.parse("2026-11-16T01:54:14.750Z"), after: () => ({ stop: () => undefined }) },
};

async function send(
  resource: string,
  body: unknown,
  context: Partial<ReviewContext> = {},
): Promise<JsonObject | string> {
  const review = reviewKinds.find((kind) => kind.resource === resource);
  if (review === undefined) throw new Error(`no review ${resource}`);
  try {
    return await review.review(body, { user: alice, plane: "root", namespace: "", ...context }, deps, signal);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return `${error.status.code} ${error.message}`;
  }
}

const invalid = '422 .authorization.k8s.io "" is invalid: ';

describe("access reviews", () => {
  const pods = { verb: "get", resource: "pods", namespace: "shop", name: "web" };
  const allowedByRole = 'RBAC: allowed by RoleBinding "b/shop" of Role "r" to User "alice"';
  const cases: Record<
    string,
    [resource: string, spec: JsonObject, status: JsonObject, context?: Partial<ReviewContext>]
  > = {
    "allow with a reason": [
      "selfsubjectaccessreviews",
      { resourceAttributes: pods },
      { allowed: true, reason: allowedByRole },
    ],
    deny: ["selfsubjectaccessreviews", { resourceAttributes: { ...pods, name: "db" } }, { allowed: false }],
    "deny with a reason": [
      "selfsubjectaccessreviews",
      { resourceAttributes: { ...pods, namespace: "broken" } },
      { allowed: false, reason: 'RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found' },
    ],
    "apply to the plane they are created in": [
      "selfsubjectaccessreviews",
      { resourceAttributes: pods },
      { allowed: false },
      { plane: "other" },
    ],
    "check paths": [
      "selfsubjectaccessreviews",
      { nonResourceAttributes: { verb: "get", path: "/apis" } },
      {
        allowed: true,
        reason:
          'RBAC: allowed by ClusterRoleBinding "system:discovery" of ClusterRole "system:discovery" to Group "system:authenticated"',
      },
    ],
    "check other users": [
      "subjectaccessreviews",
      { user: "alice", resourceAttributes: pods },
      { allowed: true, reason: allowedByRole },
    ],
    "check groups": [
      "subjectaccessreviews",
      { groups: ["system:masters"], resourceAttributes: pods },
      { allowed: true },
    ],
    "do not use the requester's permissions for other users": [
      "subjectaccessreviews",
      { user: "bob", resourceAttributes: pods },
      { allowed: false },
      { user: { ...alice, groups: ["system:masters"] } },
    ],
    "check a single namespace": [
      "localsubjectaccessreviews",
      { user: "alice", resourceAttributes: pods },
      { allowed: true, reason: allowedByRole },
      { namespace: "shop" },
    ],
    "report selectors that cannot be parsed": [
      "selfsubjectaccessreviews",
      {
        resourceAttributes: {
          verb: "list",
          resource: "pods",
          fieldSelector: { rawSelector: "a=b=c,," },
          labelSelector: { rawSelector: "a in (" },
        },
      },
      {
        allowed: false,
        evaluationError:
          "spec.resourceAttributes.fieldSelector ignored due to parse error; spec.resourceAttributes.labelSelector ignored due to parse error",
      },
    ],
    "report selectors that can be parsed partially": [
      "selfsubjectaccessreviews",
      {
        resourceAttributes: {
          verb: "list",
          fieldSelector: {
            requirements: [
              { key: "a", operator: "In", values: ["1"] },
              { key: "a", operator: "Exists" },
            ],
          },
          labelSelector: {
            requirements: [
              { key: "a", operator: "Exists" },
              { key: "b", operator: "Gt", values: ["1"] },
            ],
          },
        },
      },
      {
        allowed: false,
        evaluationError:
          "spec.resourceAttributes.fieldSelector partially ignored due to parse error; spec.resourceAttributes.labelSelector partially ignored due to parse error",
      },
    ],
  };
  for (const [name, [resource, spec, status, context]] of Object.entries(cases)) {
    it(name, async () => {
      const kind = reviewKinds.find((each) => each.resource === resource)?.kind;
      const metadata = context?.namespace === undefined ? {} : { namespace: context.namespace };
      expect(await send(resource, { spec: { ...spec, unknown: 1 } }, context)).toEqual({
        kind,
        apiVersion: "authorization.k8s.io/v1",
        metadata,
        spec,
        status,
      });
    });
  }

  const both = { resourceAttributes: { verb: "get" }, nonResourceAttributes: { path: "/x", verb: "get" } };
  const rejections: Record<
    string,
    [resource: string, body: unknown, rejection: string, context?: Partial<ReviewContext>]
  > = {
    "that specify no attributes": [
      "selfsubjectaccessreviews",
      {},
      `${invalid}spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified`,
    ],
    "that specify both attributes and have a name": [
      "selfsubjectaccessreviews",
      { metadata: { name: "x", labels: {} }, spec: both },
      `${invalid}[spec.nonResourceAttributes: Invalid value: {"path":"/x","verb":"get"}: cannot be specified in combination with resourceAttributes, metadata: Invalid value: {"labels":{},"name":"x"}: must be empty]`,
    ],
    "without a subject": [
      "subjectaccessreviews",
      { spec: { resourceAttributes: { verb: "get" } } },
      `${invalid}spec.user: Invalid value: "": at least one of user or group must be specified`,
    ],
    "with invalid label requirements": [
      "selfsubjectaccessreviews",
      {
        spec: {
          resourceAttributes: {
            fieldSelector: {},
            labelSelector: {
              rawSelector: "a=b",
              requirements: [
                { key: "a", operator: "In" },
                { key: "b", operator: "Foo", values: ["x"] },
                { key: "a", operator: "Exists", values: ["y"] },
              ],
            },
          },
        },
      },
      `${invalid}[spec.resourceAttributes.fieldSelector.requirements: Required value: when spec.resourceAttributes.fieldSelector is specified, requirements or rawSelector is required, spec.resourceAttributes.labelSelector.rawSelector: Invalid value: "a=b": may not specified at the same time as requirements, spec.resourceAttributes.labelSelector.requirements[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn', spec.resourceAttributes.labelSelector.requirements[2].values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist']`,
    ],
    "with invalid field requirements": [
      "selfsubjectaccessreviews",
      {
        spec: {
          resourceAttributes: {
            fieldSelector: {
              requirements: [
                { key: "", operator: "In" },
                { key: "z", operator: "New" },
              ],
            },
          },
        },
      },
      `${invalid}[spec.resourceAttributes.fieldSelector.requirements[0].key: Required value: must be specified, spec.resourceAttributes.fieldSelector.requirements[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn']`,
    ],
    "of a namespace with invalid attributes": [
      "localsubjectaccessreviews",
      {
        metadata: { namespace: "shop", name: "q" },
        spec: { user: "alice", resourceAttributes: { namespace: "other" }, nonResourceAttributes: { path: "/x" } },
      },
      `${invalid}[spec.nonResourceAttributes: Invalid value: {"path":"/x","verb":""}: cannot be specified in combination with resourceAttributes, metadata: Invalid value: {"name":"q","namespace":"shop"}: must be empty except for namespace, spec.resourceAttributes.namespace: Invalid value: "other": must match metadata.namespace, spec.nonResourceAttributes: Invalid value: {"path":"/x","verb":""}: disallowed on this kind of request]`,
      { namespace: "shop" },
    ],
    "of another namespace than their path": [
      "localsubjectaccessreviews",
      { metadata: { namespace: "other" }, spec: {} },
      "400 the namespace of the provided object does not match the namespace sent on the request",
      { namespace: "shop" },
    ],
  };
  for (const [name, [resource, body, rejection, context]] of Object.entries(rejections)) {
    it(`${name} are rejected`, async () => expect(await send(resource, body, context)).toBe(rejection));
  }

  it("omit name and kind from the object in an error", async () => {
    const review = reviewKinds[0]?.review({}, { user: alice, plane: "root", namespace: "" }, deps, signal);
    await expect(review).rejects.toMatchObject({
      status: {
        details: {
          group: "authorization.k8s.io",
          causes: [
            {
              reason: "FieldValueInvalid",
              message:
                "Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified",
              field: "spec.resourceAttributes",
            },
          ],
        },
      },
    });
    await review?.catch((error: StatusError) =>
      expect(Object.keys(error.status.details ?? {})).toEqual(["group", "causes"]),
    );
  });

  const unreadable = 'SubjectAccessReview in version "v1" cannot be handled as a SubjectAccessReview: ';
  const misshapen: Record<string, [spec: unknown, rejection: string]> = {
    "a list": [[], "spec: expected object, got array"],
    "a user that is a number": [{ user: 4 }, "spec.user: expected string, got number"],
    "groups that are text": [{ groups: "a" }, "spec.groups: expected array, got string"],
    "a group that is a number": [{ groups: [1] }, "spec.groups[0]: expected string, got number"],
    "an extra value that is text": [{ extra: { a: "b" } }, "spec.extra.a: expected array, got string"],
    "extra values that are a number": [{ extra: 4 }, "spec.extra: expected object, got number"],
    "attributes that are text": [{ resourceAttributes: "x" }, "spec.resourceAttributes: expected object, got string"],
    "a boolean verb": [
      { resourceAttributes: { verb: true } },
      "spec.resourceAttributes.verb: expected string, got boolean",
    ],
    "a label that is a number": [
      { resourceAttributes: { labelSelector: { requirements: [{ key: 4 }] } } },
      "spec.resourceAttributes.labelSelector.requirements.key: expected string, got number",
    ],
  };
  for (const [name, [spec, rejection]] of Object.entries(misshapen)) {
    it(`with ${name} are rejected`, async () => {
      expect(await send("subjectaccessreviews", { spec })).toBe(`400 ${unreadable}${rejection}`);
    });
  }

  it("of another kind are rejected", async () => {
    expect(await send("subjectaccessreviews", [])).toMatch(
      /^400 the object provided is unrecognized \(must be of type SubjectAccessReview\)/,
    );
    expect(await send("subjectaccessreviews", { kind: "Foo" })).toBe(
      '400 Foo in version "v1" cannot be handled as a SubjectAccessReview: no kind "Foo" is registered for version "authorization.k8s.io/v1"',
    );
    expect(await send("subjectaccessreviews", { metadata: 4 })).toBe(
      `400 ${unreadable}metadata: expected object, got number`,
    );
  });
});

describe("a SelfSubjectRulesReview", () => {
  it("lists all permissions in a namespace", async () => {
    const answer = await send("selfsubjectrulesreviews", { spec: { namespace: "shop" } });
    expect(answer).toMatchObject({
      kind: "SelfSubjectRulesReview",
      spec: {},
      status: {
        resourceRules: expect.arrayContaining([
          { verbs: ["create"], apiGroups: ["authentication.k8s.io"], resources: ["selfsubjectreviews"] },
          { verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: ["web"] },
        ]),
        nonResourceRules: expect.arrayContaining([
          { verbs: ["get"], nonResourceURLs: ["/healthz", "/livez", "/readyz", "/version", "/version/"] },
        ]),
        incomplete: false,
      },
    });
  });

  it("reports missing roles", async () => {
    expect(await send("selfsubjectrulesreviews", { spec: { namespace: "broken" } })).toMatchObject({
      status: { evaluationError: 'clusterrole.rbac.authorization.k8s.io "gone" not found' },
    });
  });

  it("needs a namespace", async () => {
    expect(await send("selfsubjectrulesreviews", { spec: {} })).toBe("400 no namespace on request");
  });
});

describe("a SelfSubjectReview", () => {
  it("returns the user and a creation timestamp", async () => {
    expect(await send("selfsubjectreviews", { metadata: { name: "ignored" } })).toEqual({
      kind: "SelfSubjectReview",
      apiVersion: "authentication.k8s.io/v1",
      metadata: { creationTimestamp: "2026-11-16T01:54:14Z" },
      status: { userInfo: { username: "alice", uid: "2", groups: ["devs", "system:authenticated"] } },
    });
  });
});

describe("a TokenReview", () => {
  const known = { username: "alice", uid: "2", groups: ["devs", "system:authenticated"], extra: { scopes: ["a"] } };
  const unknown = { user: {}, error: "invalid bearer token" };
  const cases: Record<string, [spec: JsonObject, status: JsonObject]> = {
    "returns the user of the token": [
      { token: "alicetoken" },
      { authenticated: true, user: known, audiences: ["https://milo"] },
    ],
    "is unauthenticated for an unknown token": [{ token: "nope" }, unknown],
    "returns the matching audiences": [
      { token: "alicetoken", audiences: ["x", "https://milo"] },
      { authenticated: true, user: known, audiences: ["https://milo"] },
    ],
    "is unauthenticated for another audience": [{ token: "alicetoken", audiences: ["x"] }, unknown],
    "returns the audiences of a token for another server": [
      { token: "many", audiences: ["vault"] },
      { authenticated: true, user: { username: "alice", uid: "2", groups: alice.groups }, audiences: ["vault"] },
    ],
  };
  for (const [name, [spec, status]] of Object.entries(cases)) {
    it(name, async () =>
      expect(await send("tokenreviews", { spec })).toMatchObject({ kind: "TokenReview", spec, status }),
    );
  }

  it("needs a token, and no namespace", async () => {
    expect(await send("tokenreviews", { spec: {} })).toBe("400 token is required for TokenReview in authentication");
    expect(await send("tokenreviews", { spec: {} }, { namespace: "shop" })).toBe(
      "400 namespace is not allowed on this type: shop",
    );
  });
});
