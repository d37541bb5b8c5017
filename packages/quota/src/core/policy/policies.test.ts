import { issueText, type Parsed } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { labelValue } from "@milo-quota/kubernetes/protocol/names.ts";
import { describe, expect, it } from "vitest";
import { parseClaimCreationPolicy } from "../resources/claim-creation-policy.ts";
import { labelText } from "../resources/fields/label-text.ts";
import { parseGrantCreationPolicy } from "../resources/grant-creation-policy.ts";
import { organizationOf } from "../resources/object-tenant.ts";
import { parseResourceClaim } from "../resources/resource-claim.ts";
import { parseResourceGrant } from "../resources/resource-grant.ts";
import {
  type ClaimInput,
  type ClaimRendering,
  claimManifest,
  compileClaimPolicy,
  type RenderedClaim,
} from "./claim-policy.ts";
import { compileGrantPolicy, type GrantRendering, grantManifest } from "./grant-policy.ts";
import { claimName } from "./rendered-names.ts";

type Json = Record<string, unknown>;

function parsed<Kind>(result: Parsed<Kind>): Kind {
  if (!result.ok) throw new Error(result.issues.map(issueText).join("\n"));
  return result.value;
}

const head = (kind: string): Json => ({
  apiVersion: "quota.miloapis.com/v1alpha1",
  kind,
  metadata: { name: "enforce" },
});

const project: JsonObject = {
  apiVersion: "resourcemanager.miloapis.com/v1alpha1",
  kind: "Project",
  metadata: { name: "web-app", labels: { env: "prod" } },
  spec: { type: "application", ownerRef: { name: "acme-corp" }, cpu: "1500m", replicas: 3, zone: "DFW" },
};

const input = (trigger: JsonObject = project, more: Partial<ClaimInput> = {}): ClaimInput => ({
  trigger,
  user: { name: "jane", uid: "u1", groups: ["dev"], extra: {} },
  requestInfo: {
    verb: "create",
    apiGroup: "resourcemanager.miloapis.com",
    apiVersion: "v1alpha1",
    resource: "projects",
    subresource: "",
    namespace: "",
    name: "web-app",
  },
  plane: "",
  tenantOf: () => undefined,
  bucketNamespace: (consumer) => `organization-${consumer.name}`,
  now: "2026-01-01T00:00:00Z",
  ...more,
});

const consumerRef = {
  apiGroup: "resourcemanager.miloapis.com",
  kind: "Organization",
  name: "{{ trigger.spec.ownerRef.name }}",
};
const triggerSpec = { resource: { apiVersion: "resourcemanager.miloapis.com/v1alpha1", kind: "Project" } };

function claimPolicy(template: Json, trigger: Json = {}): ReturnType<typeof compileClaimPolicy> {
  const spec = { trigger: { ...triggerSpec, ...trigger }, target: { resourceClaimTemplate: template } };
  return compileClaimPolicy(parsed(parseClaimCreationPolicy({ ...head("ClaimCreationPolicy"), spec })));
}

function evaluate(template: Json, trigger: Json = {}, given: ClaimInput = input()): ClaimRendering {
  const compiled = claimPolicy(template, trigger);
  if (!compiled.ok) throw new Error(compiled.issues.map(issueText).join("\n"));
  return compiled.policy.evaluate(given);
}

function claimOf(rendering: ClaimRendering): RenderedClaim {
  if (rendering.outcome !== "claim") throw new Error(JSON.stringify(rendering));
  return rendering.claim;
}

const oneProject = { spec: { consumerRef, requests: [{ resourceType: "projects", amount: 1 }] } };
const when = (...expressions: string[]): Json => ({ constraints: expressions.map((expression) => ({ expression })) });

describe("conditions", () => {
  const cases: Record<string, [expressions: string[], outcome: Json]> = {
    "none at all match everything": [[], { outcome: "claim" }],
    "all true": [['trigger.spec.type == "application"', 'object.metadata.name == "web-app"'], { outcome: "claim" }],
    "one false": [["true", 'trigger.spec.type == "system"'], { outcome: "differs", missingKeys: 0 }],
    "a missing field is false": [['trigger.spec.tier == "premium"'], { outcome: "differs", missingKeys: 1 }],
    "a missing key is false": [['trigger.metadata.labels["tier"] == "x"'], { outcome: "differs", missingKeys: 1 }],
    "a missing map is false": [['trigger.metadata.annotations["a"] == "x"'], { outcome: "differs", missingKeys: 1 }],
    "a missing key in a disjunction that is true": [
      ['trigger.metadata.labels["tier"] == "x" || trigger.spec.replicas == 3'],
      { outcome: "claim" },
    ],
    "the user": [['user.groups.exists(g, g == "dev")', 'user.name.startsWith("ja")'], { outcome: "claim" }],
    "the request": [['requestInfo.verb == "create"'], { outcome: "claim" }],
    "false before a failure": [["false", "1 / 0 == 1"], { outcome: "differs", missingKeys: 0 }],
    "any other failure": [
      ["1 / (trigger.spec.replicas - 3) == 1"],
      {
        outcome: "failed",
        message:
          'ClaimCreationPolicy "enforce": 1 / (trigger.spec.replicas - 3) == 1: division by zero (line 1, column 3)',
      },
    ],
    "a result that is no bool": [["trigger.spec.replicas"], { outcome: "failed" }],
  };
  for (const [name, [expressions, outcome]] of Object.entries(cases)) {
    it(name, () => expect(evaluate(oneProject, when(...expressions))).toMatchObject(outcome));
  }
});

describe("a rendered claim", () => {
  it("has all labels, annotations and references", () => {
    const { name, ...claim } = claimOf(
      evaluate({ metadata: { labels: { tier: "gold" }, annotations: { by: "{{ user.name }}" } }, ...oneProject }),
    );
    expect(name).toMatch(/^enforce-[a-z2-7]{20}$/);
    expect(claim).toEqual({
      namespace: "organization-acme-corp",
      labels: {
        tier: "gold",
        "quota.miloapis.com/auto-created": "true",
        "quota.miloapis.com/policy": "enforce",
        "quota.miloapis.com/gvk": "resourcemanager.miloapis.com.v1alpha1.Project",
      },
      annotations: {
        by: "jane",
        "quota.miloapis.com/created-by": "claim-creation-plugin",
        "quota.miloapis.com/created-at": "2026-01-01T00:00:00Z",
        "quota.miloapis.com/resource-name": "web-app",
        "quota.miloapis.com/policy": "enforce",
      },
      consumer: { apiGroup: "resourcemanager.miloapis.com", kind: "Organization", name: "acme-corp", namespace: "" },
      requests: [{ resourceType: "projects", amount: 1n, dimensions: {}, dimensionKey: "" }],
      resource: { apiGroup: "resourcemanager.miloapis.com", kind: "Project", name: "web-app", namespace: "" },
    });
  });

  it("is a claim that parses", () => {
    const template = {
      spec: {
        consumerRef,
        requests: [
          { resourceType: "projects", amount: 1 },
          { resourceType: "cpu", amount: 9223372036854775807n, dimensions: { zone: "{{ trigger.spec.zone }}" } },
        ],
      },
    };
    const claim = parsed(parseResourceClaim(claimManifest(claimOf(evaluate(template)))));
    expect(claim.requests).toEqual([
      { resourceType: "projects", amount: 1n, dimensions: {}, dimensionKey: "" },
      { resourceType: "cpu", amount: 9223372036854775807n, dimensions: { zone: "DFW" }, dimensionKey: "zone=DFW" },
    ]);
    expect(claim.resource?.name).toBe("web-app");
  });

  it("takes name and namespace from its template", () => {
    const claim = claimOf(
      evaluate({ metadata: { name: "{{.trigger.metadata.name}}-quota-claim", namespace: "claims" }, ...oneProject }),
    );
    expect([claim.name, claim.namespace]).toEqual(["web-app-quota-claim", "claims"]);
  });

  it("takes generateName as the start of its own name", () => {
    const claim = claimOf(evaluate({ metadata: { generateName: "{{ trigger.spec.type }}-claim-" }, ...oneProject }));
    expect(claim.name).toMatch(/^application-claim-[a-z2-7]{20}$/);
  });

  it("is in the namespace of its object", () => {
    const inNamespace: JsonObject = { ...project, metadata: { name: "web-app", namespace: "team-a" } };
    expect(claimOf(evaluate(oneProject, {}, input(inNamespace))).namespace).toBe("team-a");
    const empty = { metadata: { namespace: '{{ default "" .trigger.metadata.nothing }}' }, ...oneProject };
    expect(claimOf(evaluate(empty, {}, input(inNamespace))).namespace).toBe("team-a");
  });

  it("is for the tenant of its object when the template names no consumer", () => {
    const template = { spec: { requests: [{ resourceType: "secrets", amount: 1 }] } };
    const { consumer } = claimOf(evaluate(template, {}, input(project, { tenantOf: organizationOf })));
    expect(consumer).toEqual({ ...consumerRef, namespace: "", name: "acme-corp" });
    expect(evaluate(template)).toEqual({
      outcome: "failed",
      message:
        'ClaimCreationPolicy "enforce": names no consumerRef, and Project "web-app" belongs to no project or organization',
    });
  });

  it("is for the consumer that its template names, whatever tenant its object belongs to", () => {
    const tenantOf = () => ({ ...consumerRef, namespace: "", name: "other" });
    expect(claimOf(evaluate(oneProject, {}, input(project, { tenantOf }))).consumer.name).toBe("acme-corp");
  });
});

describe("the name of a claim", () => {
  const name = (given: ClaimInput = input(), amount = 1, kind = "Organization"): string =>
    claimOf(
      evaluate(
        { spec: { consumerRef: { ...consumerRef, kind }, requests: [{ resourceType: "projects", amount }] } },
        {},
        given,
      ),
    ).name;

  it("is the same for every retry, in any API version of the object", () => {
    expect(name()).toBe(name());
    expect(name(input({ ...project, apiVersion: "resourcemanager.miloapis.com/v1" }))).toBe(name());
    expect(
      name(input(project, { now: "2027-01-01T00:00:00Z", user: { name: "joe", uid: "", groups: [], extra: {} } })),
    ).toBe(name());
  });

  it("differs for every other claim", () => {
    const named = (metadata: Json): JsonObject => ({ ...project, metadata: metadata as JsonObject });
    const names = [
      name(),
      name(input(project, { plane: "p1" })),
      name(input({ ...project, apiVersion: "other.io/v1" })),
      name(input({ ...project, kind: "Other" })),
      name(input(named({ name: "web-app2" }))),
      name(input(named({ name: "web-app", namespace: "team-a" }))),
      name(input({ ...project, spec: { ownerRef: { name: "other-corp" } } })),
      name(input(), 2),
      name(input(), 1, "Folder"),
    ];
    expect(new Set(names).size).toBe(names.length);
  });

  it("does not depend on the order of its requests", () => {
    const origin = { plane: "", policy: "p", group: "", kind: "K", namespace: "", name: "n" };
    const consumer = { apiGroup: "", kind: "Namespace", namespace: "", name: "a" };
    const request = (resourceType: string) => ({ resourceType, amount: 1n as never, dimensions: {}, dimensionKey: "" });
    expect(claimName("p", origin, consumer, [request("x"), request("y")])).toBe(
      claimName("p", origin, consumer, [request("y"), request("x")]),
    );
  });
});

describe("amounts", () => {
  const asking = (...requests: Json[]): ClaimRendering => evaluate({ spec: { consumerRef, requests } });

  it("come from expressions", () => {
    const claim = claimOf(
      asking(
        { resourceType: "cpu", amountExpression: "trigger.spec.replicas * 500" },
        { resourceType: "memory", amountExpression: 'quantity("2Gi").asInteger()' },
      ),
    );
    expect(claim.requests.map((request) => request.amount)).toEqual([1500n, 2147483648n]);
  });

  it("of 0 are dropped; with none left there is no claim", () => {
    const zero = { resourceType: "cpu", amountExpression: "trigger.spec.replicas - 3" };
    expect(
      claimOf(asking(zero, { resourceType: "projects", amount: 1 })).requests.map((request) => request.resourceType),
    ).toEqual(["projects"]);
    expect(asking(zero, { resourceType: "projects", amount: 0 })).toEqual({ outcome: "nothing" });
  });

  const path = "spec.target.resourceClaimTemplate.spec.requests[0].amountExpression";
  const failing: Record<string, string> = {
    "trigger.spec.replicas - 10": "trigger.spec.replicas - 10: evaluates to -7, which is below 0",
    "trigger.spec.missing": "trigger.spec.missing: no such key: missing",
    "trigger.spec.replicas * 9223372036854775807": "trigger.spec.replicas * 9223372036854775807: integer overflow",
    "trigger.spec.zone": "trigger.spec.zone: expected type 'int' but found 'string'",
  };
  for (const [amountExpression, message] of Object.entries(failing)) {
    it(`fail on ${amountExpression}`, () => {
      const rendering = asking({ resourceType: "cpu", amountExpression });
      expect(rendering).toMatchObject({
        outcome: "failed",
        message: expect.stringContaining(`ClaimCreationPolicy "enforce": ${path}: ${message}`),
      });
    });
  }
});

describe("a template that cannot be rendered", () => {
  const template = "spec.target.resourceClaimTemplate";
  const cases: Record<string, [Json, string]> = {
    "no consumer": [
      {
        spec: {
          consumerRef: { kind: "Organization", name: "{{ trigger.spec.organization }}" },
          requests: [{ resourceType: "x", amount: 1 }],
        },
      },
      `${template}.spec.consumerRef.name: {{ trigger.spec.organization }}: no such key: organization`,
    ],
    "a consumer that cannot be": [
      {
        spec: {
          consumerRef: { kind: "Organization", name: "a/{{ trigger.kind }}" },
          requests: [{ resourceType: "x", amount: 1 }],
        },
      },
      `${template}.spec.consumerRef.name: "a/Project": may not contain '/' or '%'`,
    ],
    "a consumer that leads elsewhere": [
      {
        spec: {
          consumerRef: { kind: "Organization", name: "{{ '..' }}" },
          requests: [{ resourceType: "x", amount: 1 }],
        },
      },
      `${template}.spec.consumerRef.name: "..": may not be '..'`,
    ],
    "a consumer whose namespace cannot be": [
      {
        spec: {
          consumerRef: { kind: "Organization", name: "{{ 'Bad Name' }}" },
          requests: [{ resourceType: "x", amount: 1 }],
        },
      },
      'namespace "organization-Bad Name": a lowercase RFC 1123 label',
    ],
    "a text without end": [
      {
        metadata: { name: "{{ trigger.metadata.name.replace('', 'Xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx') }}" },
        ...oneProject,
      },
      '"…: ',
    ],
    "an illegal name": [
      { metadata: { name: "{{ trigger.kind }}" }, ...oneProject },
      `${template}.metadata.name: "Project": a lowercase RFC 1123 subdomain`,
    ],
    "an illegal namespace": [
      { metadata: { namespace: "{{ trigger.metadata.name + '.x' }}" }, ...oneProject },
      `${template}.metadata.namespace: "web-app.x": must not contain dots`,
    ],
    "an illegal dimension": [
      {
        spec: {
          consumerRef,
          requests: [{ resourceType: "x", amount: 1, dimensions: { zone: "{{ trigger.spec.zone }} !" } }],
        },
      },
      `${template}.spec.requests[0].dimensions[zone]: "DFW !": a valid label must be`,
    ],
    "two requests that turn out to be one": [
      {
        spec: {
          consumerRef,
          requests: [
            { resourceType: "x", amount: 1, dimensions: { zone: "DFW" } },
            { resourceType: "x", amount: 1, dimensions: { zone: "{{ trigger.spec.zone }}" } },
          ],
        },
      },
      "two requests for x have the dimensions zone=DFW",
    ],
  };
  for (const [name, [given, message]] of Object.entries(cases)) {
    it(name, () =>
      expect(evaluate(given)).toMatchObject({ outcome: "failed", message: expect.stringContaining(message) }),
    );
  }
});

describe("an invalid policy", () => {
  it("has all its issues reported at once, each with line, column and a caret", () => {
    const compiled = claimPolicy(
      {
        metadata: { name: "Bad Name", labels: { "bad key!": "x" }, annotations: { a: "{{ nope }}" } },
        spec: {
          consumerRef: { kind: "Organization", name: "{{ trigger.name " },
          requests: [
            { resourceType: "{{trigger.kind}}", amountExpression: '"one"' },
            { resourceType: "x", amount: 1, dimensions: { zone: "a b" } },
            { resourceType: "x", amount: 2, dimensions: { zone: "a b" } },
          ],
        },
      },
      when("trigger.spec.replicas +", '"yes"', "unknown.x == 1 && whatever(2)"),
    );
    const issues = compiled.ok ? [] : compiled.issues.map(issueText);
    expect(issues.map((issue) => issue.slice(0, issue.indexOf(": ")))).toEqual([
      "spec.trigger.constraints[0].expression",
      "spec.trigger.constraints[1].expression",
      "spec.trigger.constraints[2].expression",
      "spec.trigger.constraints[2].expression",
      "spec.target.resourceClaimTemplate.metadata.labels",
      "spec.target.resourceClaimTemplate.metadata.name",
      "spec.target.resourceClaimTemplate.metadata.annotations[a]",
      "spec.target.resourceClaimTemplate.spec.consumerRef.name",
      "spec.target.resourceClaimTemplate.spec.requests[0].resourceType",
      "spec.target.resourceClaimTemplate.spec.requests[0].amountExpression",
      "spec.target.resourceClaimTemplate.spec.requests[1].dimensions[zone]",
      "spec.target.resourceClaimTemplate.spec.requests[2]",
      "spec.target.resourceClaimTemplate.spec.requests[2].dimensions[zone]",
    ]);
    expect(issues[1]).toBe(
      `spec.trigger.constraints[1].expression: Invalid value: "\\"yes\\"": ERROR: <input>:1:1: expected type 'bool' but found 'string'\n | "yes"\n | ^`,
    );
    expect(issues[9]).toContain("expected type 'int' but found 'string'");
  });

  it("is one that claims for claims", () => {
    const resource = { apiVersion: "quota.miloapis.com/v1alpha1", kind: "ResourceGrant" };
    const compiled = claimPolicy(oneProject, { resource });
    expect(compiled.ok ? [] : compiled.issues.map(issueText)).toEqual([
      "spec.trigger.resource.apiVersion: Forbidden: claims cannot be created for objects of quota.miloapis.com",
    ]);
  });

  it("fails for what is no valid object", () => {
    const nameless: JsonObject = { ...project, metadata: { generateName: "web-" } };
    expect(evaluate(oneProject, {}, input(nameless))).toEqual({
      outcome: "failed",
      message: 'ClaimCreationPolicy "enforce": the object\'s metadata.name "": must not be empty',
    });
    const { kind: _, ...kindless } = project;
    expect(evaluate(oneProject, {}, input(kindless))).toMatchObject({
      message: expect.stringContaining('the object\'s kind "": must be letters and digits'),
    });
  });

  it("has issues at the alias that was used", () => {
    const compiled = claimPolicy(oneProject, { conditions: [{ expression: "nope" }] });
    expect(compiled.ok ? [] : compiled.issues.map((issue) => issue.field)).toEqual([
      "spec.trigger.conditions[0].expression",
    ]);
  });
});

describe("a grant policy", () => {
  const grantSpec = {
    consumerRef: { ...consumerRef, name: "{{ trigger.metadata.name }}" },
    allowances: [
      {
        resourceType: "projects",
        buckets: [
          { amount: 50 },
          {
            amountExpression: "trigger.spec.replicas * 10",
            dimensionSelector: {
              matchLabels: { zone: "{{ trigger.spec.zone }}" },
              matchExpressions: [
                { key: "tier", operator: "In", values: ["a", "{{ trigger.spec.type }}"] },
                { key: "x", operator: "Exists" },
              ],
            },
          },
        ],
      },
    ],
  };

  function compileGrant(template: Json, target: Json = {}, trigger: Json = {}): ReturnType<typeof compileGrantPolicy> {
    const spec = { trigger: { ...triggerSpec, ...trigger }, target: { ...target, resourceGrantTemplate: template } };
    return compileGrantPolicy(parsed(parseGrantCreationPolicy({ ...head("GrantCreationPolicy"), spec })));
  }

  function grantOf(
    template: Json,
    target: Json = {},
    trigger: Json = {},
    object: JsonObject = project,
  ): GrantRendering {
    const compiled = compileGrant(template, target, trigger);
    if (!compiled.ok) throw new Error(compiled.issues.map(issueText).join("\n"));
    return compiled.policy.evaluate({ trigger: object, plane: "", bucketNamespace: () => "milo-system" });
  }

  it("renders a grant that parses", () => {
    const rendering = grantOf({ metadata: { annotations: { kind: "{{.trigger.kind}}" } }, spec: grantSpec });
    if (rendering.outcome !== "grant") throw new Error(JSON.stringify(rendering));
    const { grant } = rendering;
    expect(grant.name).toMatch(/^enforce-[a-z2-7]{20}$/);
    expect(grant.labels).toEqual({ "quota.miloapis.com/auto-created": "true", "quota.miloapis.com/policy": "enforce" });
    expect(grant.annotations).toEqual({
      kind: "Project",
      "quota.miloapis.com/policy": "enforce",
      "quota.miloapis.com/resource-name": "web-app",
    });
    expect(grant.parent).toBeUndefined();
    const stored = parsed(parseResourceGrant(grantManifest(grant)));
    expect(stored.metadata.namespace).toBe("milo-system");
    expect(stored.consumer.name).toBe("web-app");
    expect(stored.allowances[0]?.buckets).toMatchObject([
      { amount: 50n, selector: {} },
      {
        amount: 30n,
        selector: {
          matchLabels: { zone: "DFW" },
          matchExpressions: [
            { key: "tier", operator: "In", values: ["a", "application"] },
            { key: "x", operator: "Exists" },
          ],
        },
      },
    ]);
  });

  it("keeps the name of its grant when what it grants changes", () => {
    const name = (object: JsonObject): string => {
      const rendering = grantOf({ metadata: { generateName: "g-" }, spec: grantSpec }, {}, {}, object);
      return rendering.outcome === "grant" ? rendering.grant.name : "";
    };
    expect(name(project)).toMatch(/^g-[a-z2-7]{20}$/);
    expect(name({ ...project, spec: { replicas: 9, zone: "LHR", type: "x" } })).toBe(name(project));
    expect(name({ ...project, metadata: { name: "other" } })).not.toBe(name(project));
  });

  it("renders nothing while its conditions are false", () => {
    expect(grantOf({ spec: grantSpec }, {}, when('trigger.status.phase == "Active"'))).toEqual({
      outcome: "differs",
      missingKeys: 1,
    });
    expect(grantOf({ spec: grantSpec }, {}, when("trigger.spec.replicas > 5"))).toEqual({
      outcome: "differs",
      missingKeys: 0,
    });
  });

  it("can render a grant for another control plane", () => {
    const parentContext = {
      apiGroup: "resourcemanager.miloapis.com",
      kind: "Organization",
      nameExpression: "object.spec.ownerRef.name",
    };
    expect(grantOf({ spec: grantSpec }, { parentContext })).toMatchObject({
      outcome: "grant",
      grant: { parent: { apiGroup: "resourcemanager.miloapis.com", kind: "Organization", name: "acme-corp" } },
    });
    const path = "spec.target.parentContext.nameExpression";
    const fails = (nameExpression: string): unknown =>
      grantOf({ spec: grantSpec }, { parentContext: { ...parentContext, nameExpression } });
    expect(fails("trigger.spec.parent")).toEqual({
      outcome: "failed",
      message: `GrantCreationPolicy "enforce": ${path}: trigger.spec.parent: no such key: parent`,
    });
    expect(fails('""')).toMatchObject({ message: expect.stringContaining(`${path}: "": must not be empty`) });
    expect(fails('"../../projects/victim"')).toMatchObject({
      message: expect.stringContaining(`${path}: "../../projects/victim": may not contain '/' or '%'`),
    });
  });

  it("sees the object, but no request", () => {
    const compiled = compileGrant(
      { metadata: { name: "{{ user.name }}" }, spec: grantSpec },
      { parentContext: { apiGroup: "a.io", kind: "K", nameExpression: "1 + 1" } },
      when('requestInfo.verb == "create"'),
    );
    const issues = compiled.ok ? [] : compiled.issues.map((issue) => [issue.field, issue.message.split("\n")[0]]);
    expect(issues).toEqual([
      ["spec.trigger.constraints[0].expression", expect.stringContaining("undeclared reference to 'requestInfo'")],
      ["spec.target.resourceGrantTemplate.metadata.name", expect.stringContaining("undeclared reference to 'user'")],
      ["spec.target.parentContext.nameExpression", expect.stringContaining("expected type 'string' but found 'int'")],
    ]);
  });
});

describe("the text of a label", () => {
  it("is unchanged if it is valid", () => expect(labelText("core.v1.Pod")).toBe("core.v1.Pod"));

  it("is truncated and made unique otherwise", () => {
    const long = "a".repeat(100);
    expect(labelText(long)).not.toBe(labelText(`${long}b`));
    for (const text of [long, "---", "ä b", `${"x".repeat(52)}.${"y".repeat(20)}`, "-".repeat(70)]) {
      expect([text, labelValue(labelText(text))]).toEqual([text, []]);
    }
  });
});
