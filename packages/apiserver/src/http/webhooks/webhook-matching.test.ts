import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { describe, expect, it } from "vitest";
import {
  alpha,
  beta,
  configMap,
  namespaceKind,
  objectOf,
  requestOf,
  webhookJson,
} from "../../../test/webhook-objects.ts";
import type { AdmissionRequest } from "../../registry/admission/admission-plugin.ts";
import { conditionProblem } from "./match-conditions.ts";
import { readConfiguration } from "./webhook-configuration.ts";
import { invocationOf } from "./webhook-invocation.ts";

const namespaces: Record<string, Record<string, string>> = { shop: { tier: "gold" }, other: {} };

function seen(webhook: JsonObject, request: Partial<AdmissionRequest> = {}): string {
  const [read] = readConfiguration({ metadata: { name: "c" }, webhooks: [webhookJson("w", webhook)] }, "validating");
  try {
    const invocation = invocationOf(read!, requestOf(request), {
      namespaceLabels: (_, namespace) => namespaces[namespace],
      versionsOf: (_, kind) => (kind.group === "x.io" ? [alpha, beta] : [kind]),
    });
    return invocation === undefined ? "no" : invocation.kind.version;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return `${error.status.code} ${error.message}`;
  }
}

describe("a webhook rule", () => {
  const rule = (more: JsonObject = {}): JsonObject => ({
    rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], ...more }],
  });
  const cases: Record<string, [rule: JsonObject, request: Partial<AdmissionRequest>, seen: string]> = {
    "matches what it names": [rule(), {}, "v1"],
    "does not match another operation": [rule(), { operation: "UPDATE" }, "no"],
    "matches every operation with a wildcard": [rule({ operations: ["*"] }), { operation: "DELETE" }, "v1"],
    "does not match another group": [rule({ apiGroups: ["apps"] }), {}, "no"],
    "matches every group with a wildcard": [rule({ apiGroups: ["*"] }), {}, "v1"],
    "does not match another version": [rule({ apiVersions: ["v2"] }), {}, "no"],
    "does not match another resource": [rule({ resources: ["secrets"] }), {}, "no"],
    "does not match subresources without a slash": [rule({ resources: ["*"] }), { subresource: "status" }, "no"],
    "matches a subresource": [rule({ resources: ["configmaps/status"] }), { subresource: "status" }, "v1"],
    "matches all subresources": [rule({ resources: ["configmaps/*"] }), { subresource: "status" }, "v1"],
    "for all subresources matches the resource too": [rule({ resources: ["configmaps/*"] }), {}, "v1"],
    "matches a subresource of all resources": [rule({ resources: ["*/status"] }), { subresource: "status" }, "v1"],
    "for a subresource of all resources does not match resources": [rule({ resources: ["*/status"] }), {}, "no"],
    "matches everything": [rule({ resources: ["*/*"] }), { subresource: "status" }, "v1"],
    "with scope Namespaced matches a namespaced request": [rule({ scope: "Namespaced" }), {}, "v1"],
    "with scope Namespaced does not match a cluster-scoped request": [
      rule({ scope: "Namespaced" }),
      { namespace: "" },
      "no",
    ],
    "with scope Cluster does not match a namespaced request": [rule({ scope: "Cluster" }), {}, "no"],
    "with scope Cluster matches a cluster-scoped request": [rule({ scope: "Cluster" }), { namespace: "" }, "v1"],
    "with scope Cluster matches namespaces": [
      rule({ scope: "Cluster", resources: ["namespaces"] }),
      { kind: namespaceKind, namespace: "", name: "shop" },
      "v1",
    ],
    "with scope Namespaced does not match namespaces": [
      rule({ scope: "Namespaced", resources: ["namespaces"] }),
      { kind: namespaceKind, namespace: "", name: "shop" },
      "no",
    ],
    "that is malformed matches nothing": [{ rules: [{ operations: "*" }, 7] }, {}, "no"],
  };
  for (const [name, [webhook, request, expected]] of Object.entries(cases)) {
    it(name, () => expect(seen(webhook, request)).toBe(expected));
  }
});

describe("matchPolicy", () => {
  const only = (version: string, more: JsonObject = {}): JsonObject => ({
    rules: [{ operations: ["*"], apiGroups: ["x.io"], apiVersions: [version], resources: ["widgets"] }],
    ...more,
  });
  const cases: Record<string, [webhook: JsonObject, kind: typeof alpha, seen: string]> = {
    "a request in the version of the rule is sent unchanged": [only("v1alpha1"), alpha, "v1alpha1"],
    "a request in another version is sent in the version of the rule": [only("v1beta1"), alpha, "v1beta1"],
    "a webhook with matchPolicy Exact does not match other versions": [
      only("v1beta1", { matchPolicy: "Exact" }),
      alpha,
      "no",
    ],
    "a version that is not served does not match": [only("v2"), alpha, "no"],
  };
  for (const [name, [webhook, kind, expected]] of Object.entries(cases)) {
    it(name, () => expect(seen(webhook, { kind })).toBe(expected));
  }
});

describe("webhook selectors", () => {
  const gold = { matchLabels: { tier: "gold" } };
  const labelled = objectOf(configMap, { metadata: { name: "one", namespace: "shop", labels: { tier: "gold" } } });
  const namespaceNamed = (labels: JsonObject) => objectOf(namespaceKind, { metadata: { name: "new", labels } });
  const cases: Record<string, [webhook: JsonObject, request: Partial<AdmissionRequest>, seen: string]> = {
    "a namespace with the label matches": [{ namespaceSelector: gold }, {}, "v1"],
    "a namespace without the label does not match": [{ namespaceSelector: gold }, { namespace: "other" }, "no"],
    "a cluster-scoped object always matches": [{ namespaceSelector: gold }, { namespace: "" }, "v1"],
    "a missing namespace is an error": [
      { namespaceSelector: gold },
      { namespace: "gone" },
      '404 namespaces "gone" not found',
    ],
    "a missing namespace matches an empty selector": [{}, { namespace: "gone" }, "v1"],
    "a namespace being created matches by its own labels": [
      { namespaceSelector: gold },
      { kind: namespaceKind, namespace: "", name: "new", object: namespaceNamed({ tier: "gold" }) },
      "v1",
    ],
    "a namespace being created without the label does not match": [
      { namespaceSelector: gold },
      { kind: namespaceKind, namespace: "", name: "new", object: namespaceNamed({}) },
      "no",
    ],
    "a namespace being deleted matches by its stored labels": [
      { namespaceSelector: gold },
      { kind: namespaceKind, namespace: "", name: "shop", operation: "DELETE" },
      "v1",
    ],
    "an object with the label matches": [{ objectSelector: gold }, { object: labelled }, "v1"],
    "an object without the label does not match": [{ objectSelector: gold }, {}, "no"],
    "an object that loses its label matches": [
      { objectSelector: gold },
      { oldObject: labelled, operation: "UPDATE" },
      "v1",
    ],
    "an invalid selector is an error when rules match": [
      { objectSelector: { matchExpressions: [{ key: "a", operator: "Like" }] } },
      {},
      '500 Internal error occurred: objectSelector.matchExpressions[0].operator: Unsupported value: "Like": supported values: "In", "NotIn", "Exists", "DoesNotExist"',
    ],
    "an invalid selector is ignored when no rule matches": [
      { rules: [], objectSelector: { matchExpressions: [{ key: "a", operator: "Like" }] } },
      {},
      "no",
    ],
  };
  for (const [name, [webhook, request, expected]] of Object.entries(cases)) {
    it(name, () => expect(seen(webhook, request)).toBe(expected));
  }
});

describe("match conditions", () => {
  const when = (...expressions: string[]): JsonObject => ({
    matchConditions: expressions.map((expression, index) => ({ name: `c${index}`, expression })),
  });
  const missing = "expression 'object.data.foo == 'x'' resulted in error: no such key: data";
  const cases: Record<string, [webhook: JsonObject, request: Partial<AdmissionRequest>, seen: string]> = {
    "that are true match": [when("object.metadata.name == 'one'", "oldObject == null"), {}, "v1"],
    "of which one is false do not match": [when("true", "request.operation == 'UPDATE'"), {}, "no"],
    "read the user": [when("request.userInfo.username == 'alice' && 'devs' in request.userInfo.groups"), {}, "v1"],
    "read the request": [
      when("request.resource.resource == 'configmaps' && request.kind.kind == 'ConfigMap' && !request.dryRun"),
      {},
      "v1",
    ],
    "read the options": [when("request.options.kind == 'CreateOptions'"), {}, "v1"],
    "read no object on a delete": [
      when("object == null && oldObject.metadata.name == 'one'"),
      { operation: "DELETE", object: undefined as never, oldObject: objectOf(configMap) },
      "v1",
    ],
    "that fail reject the request": [
      when("object.data.foo == 'x'"),
      {},
      `403 configmaps "one" is forbidden: ${missing}`,
    ],
    "that fail are all reported": [
      when("object.data.foo == 'x'", "request.subResource == ''"),
      {},
      `403 configmaps "one" is forbidden: [${missing}, expression 'request.subResource == ''' resulted in error: no such key: subResource]`,
    ],
    "that fail are ignored when another is false": [when("object.data.foo == 'x'", "false"), {}, "no"],
    "that fail skip a webhook with failurePolicy Ignore": [
      { ...when("object.data.foo == 'x'"), failurePolicy: "Ignore" },
      {},
      "no",
    ],
    "that use the authorizer are rejected by name": [
      when("authorizer.group('').resource('pods').check('get').allowed()"),
      {},
      `403 configmaps "one" is forbidden: compilation error: the variable 'authorizer' is not supported by this server`,
    ],
  };
  for (const [name, [webhook, request, expected]] of Object.entries(cases)) {
    it(name, () => expect(seen(webhook, request)).toBe(expected));
  }

  it("stop when they exceed the cost limit", () => {
    const data = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`k${index}`, "x"]));
    const expensive = "object.data.all(a, object.data.all(b, object.data.all(c, a != 'none')))";
    const answer = seen(when(expensive, expensive, expensive, "false"), { object: objectOf(configMap, { data }) });
    expect(answer).toMatch(/^403 configmaps "one" is forbidden: /);
    expect(answer).toMatch(/running out of cost budget, no further validation rules will be run/);
  });

  const problems: Record<string, string | undefined> = {
    "object.metadata.name == 'x'": undefined,
    "foo.bar":
      "compilation failed: ERROR: <input>:1:1: undeclared reference to 'foo' (in container '')\n | foo.bar\n | ^",
    "1": "must evaluate to bool but got int",
    "authorizer.path('/x').check('get').allowed()": "the variable 'authorizer' is not supported by this server",
  };
  for (const [expression, problem] of Object.entries(problems)) {
    it(`validates ${expression}`, () => expect(conditionProblem(expression)).toBe(problem));
  }
});

describe("a webhook configuration", () => {
  it("is read with defaults for missing fields", () => {
    const [read] = readConfiguration({ metadata: { name: "c" }, webhooks: [{ name: "w" }] }, "mutating");
    expect(read).toMatchObject({
      id: "c/w/0",
      configuration: "c",
      failurePolicy: "Fail",
      matchPolicy: "Equivalent",
      timeoutSeconds: 10,
      reinvocationPolicy: "Never",
      address: { kind: "nowhere" },
    });
  });

  it("distinguishes webhooks of the same name", () => {
    const webhooks = [{ name: "w" }, { name: "v" }, { name: "w" }];
    const ids = readConfiguration({ metadata: { name: "c" }, webhooks }, "mutating").map(({ id }) => id);
    expect(ids).toEqual(["c/w/0", "c/v/0", "c/w/1"]);
  });

  it("reads addresses, and limits timeouts to 30 seconds", () => {
    const service = { namespace: "ns", name: "svc", path: "/p" };
    const caBundle = Buffer.from("PEM").toString("base64");
    const webhooks = [{ name: "w", timeoutSeconds: 90, clientConfig: { service, caBundle } }];
    expect(readConfiguration({ metadata: {}, webhooks }, "mutating")[0]).toMatchObject({
      timeoutSeconds: 30,
      address: { kind: "service", service: { ...service, port: 443 }, caBundle: "PEM" },
    });
  });

  it("that is malformed has no webhooks", () => {
    expect(readConfiguration({}, "mutating")).toEqual([]);
    expect(readConfiguration({ webhooks: [null, 3, "x"] }, "mutating")).toEqual([]);
  });
});
