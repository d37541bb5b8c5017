// Misspells fields in policies, and checks that it is noticed where the policy is written.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { quota } from "../tenancy/tenant-world.ts";
import type { ApiResponse } from "./api-client.ts";
import { claimPolicies, ProgramWorld } from "./program-world.ts";

const apiVersion = "quota.miloapis.com/v1alpha1";
let world: ProgramWorld;

interface Given {
  readonly condition?: string;
  readonly amount?: string;
  readonly consumer?: string;
}

const policy = (name: string, resource: object, { condition = "true", amount = "1", consumer = "a" }: Given) => ({
  apiVersion,
  kind: "ClaimCreationPolicy",
  metadata: { name },
  spec: {
    trigger: { resource, constraints: [{ expression: condition }] },
    target: {
      resourceClaimTemplate: {
        spec: {
          consumerRef: { kind: "Namespace", name: consumer },
          requests: [{ resourceType: "example.com/things", amountExpression: amount }],
        },
      },
    },
  },
});

const deployments = { apiVersion: "apps/v1", kind: "Deployment" };
const widgets = { apiVersion: "example.com/v1", kind: "Widget" };

function widgetDefinition(properties: object): object {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", singular: "widget", kind: "Widget" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } },
          },
        },
      ],
    },
  };
}

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const create = (name: string, resource: object, given: Given): Promise<ApiResponse> =>
  world.admin.create(claimPolicies, policy(name, resource, given));
const typeChecked = (status: string) => (body: ApiResponse["body"]) =>
  (body.status?.conditions ?? []).some(
    (each: ApiResponse["body"]) => each.type === "TypeChecked" && each.status === status,
  );

beforeAll(async () => {
  world = await ProgramWorld.build();
  await world.start();
}, 60_000);
afterAll(() => world.remove());

describe("a policy with a misspelled field", () => {
  const rejected: Record<string, [given: Given, problem: string]> = {
    "in a condition": [
      { condition: 'trigger.metadata.namespce.startsWith("team-")' },
      "undefined field 'namespce'; did you mean 'namespace'?",
    ],
    "in has()": [{ condition: "has(trigger.spec.replica)" }, "undefined field 'replica'; did you mean 'replicas'?"],
    "in an amount": [{ amount: "trigger.spec.replica" }, "undefined field 'replica'; did you mean 'replicas'?"],
    "in a list": [{ condition: "trigger.spec.template.spec.containers.all(c, c.img != '')" }, "undefined field 'img'"],
    "of another type": [
      { condition: "trigger.spec.replicas == 'many'" },
      "no matching overload for '_==_' applied to '(int, string)'",
    ],
  };
  for (const [name, [given, problem]] of Object.entries(rejected)) {
    it(`is rejected for a built-in kind, ${name}`, async () => {
      const { code, body } = await create("typo", deployments, given);
      expect(code).toBe(422);
      expect(body.message).toContain(problem);
      expect((await world.admin.get(`${claimPolicies}/typo`)).code).toBe(404);
    });
  }

  const accepted: Record<string, Given> = {
    "labels and annotations": {
      condition: 'trigger.metadata.labels["a"] == "b"',
      amount: 'int(trigger.metadata.annotations["size"])',
    },
    quantities: {
      amount: "trigger.spec.template.spec.containers.map(c, quantity(c.resources.limits.cpu).asInteger()).sum()",
    },
    "int-or-string": { condition: "trigger.spec.strategy.rollingUpdate.maxSurge == 1" },
    "fields as map keys": { condition: '"paused" in trigger.spec && trigger.spec["paused"] == true' },
    times: { condition: 'trigger.metadata.creationTimestamp > "2026"' },
  };
  for (const [name, given] of Object.entries(accepted)) {
    it(`is not confused by ${name}`, async () => {
      const { code, text, warning } = await create("fits", deployments, given);
      expect(code, text).toBe(201);
      expect(warning).not.toContain("undefined");
      await world.admin.until(`${claimPolicies}/fits`, typeChecked("True"));
      await world.expectSuccess(world.admin.remove(`${claimPolicies}/fits`));
    });
  }

  it("gets a warning if it is in a template", async () => {
    const { code, warning } = await create("template", deployments, { consumer: "{{ trigger.spec.customer }}" });
    expect([code, warning]).toEqual([201, expect.stringContaining("undefined field 'customer'")]);
    await world.admin.until(`${claimPolicies}/template`, typeChecked("False"));
  });

  it("gets a warning if the kind is custom; the condition TypeChecked and doctor tell", async () => {
    await world.expectSuccess(world.admin.create(definitions, widgetDefinition({ size: { type: "integer" } })));
    await world.admin.until(`${definitions}/widgets.example.com`, ({ status }) =>
      (status?.conditions ?? []).some(
        (each: ApiResponse["body"]) => each.type === "Established" && each.status === "True",
      ),
    );
    await world.expectSuccess(create("fits", widgets, { amount: "trigger.spec.size" }));
    const { code, warning } = await create("custom", widgets, { amount: "trigger.spec.siez" });
    expect([code, warning]).toEqual([201, expect.stringContaining("undefined field 'siez'; did you mean 'size'?")]);
    await world.admin.until(`${claimPolicies}/custom`, typeChecked("False"));
    await world.admin.until(`${claimPolicies}/fits`, typeChecked("True"));
    const { stdout } = await world.command("doctor");
    expect(stdout).toContain("did you mean 'size'?");
  });

  it("can still be labelled when the schema of its kind has changed", async () => {
    await world.expectSuccess(
      world.admin.apply(`${definitions}/widgets.example.com`, widgetDefinition({ volume: { type: "integer" } })),
    );
    const path = `${claimPolicies}/fits`;
    await world.expectSuccess(world.admin.merge(path, { metadata: { labels: { team: "a" } } }));
    await world.expectSuccess(world.admin.merge(path, { spec: { failurePolicy: "Ignore" } }));
  });
});

describe("a grant policy with a misspelled field", () => {
  it("is rejected for a built-in kind", async () => {
    const { code, body } = await world.admin.create(`${quota}/grantcreationpolicies`, {
      apiVersion,
      kind: "GrantCreationPolicy",
      metadata: { name: "typo" },
      spec: {
        trigger: {
          resource: { apiVersion: "v1", kind: "Namespace" },
          constraints: [{ expression: 'trigger.metadata.nam.startsWith("team-")' }],
        },
        target: {
          resourceGrantTemplate: {
            spec: {
              consumerRef: { kind: "Namespace", name: "{{ trigger.metadata.name }}" },
              allowances: [{ resourceType: "example.com/things", buckets: [{ amount: 1 }] }],
            },
          },
        },
      },
    });
    expect([code, body.message]).toEqual([422, expect.stringContaining("did you mean 'name'?")]);
  });
});
