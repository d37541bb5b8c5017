import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { describe, expect, it } from "vitest";
import type { TriggerSchema } from "../../views/trigger-schemas.ts";
import { checkPolicyTypes } from "./policy-type-check.ts";

const schema: JsonObject = {
  type: "object",
  properties: {
    metadata: { type: "object", properties: { name: { type: "string" }, namespace: { type: "string" } } },
    spec: { type: "object", properties: { replicas: { type: "integer" }, size: { type: "string" } } },
  },
};
const builtIn: TriggerSchema = { schema, resolve: () => undefined, isCustom: false };
const custom: TriggerSchema = { ...builtIn, isCustom: true };

interface Given {
  readonly condition?: string;
  readonly amount?: string;
  readonly consumer?: string;
  readonly kind?: string;
  readonly label?: string;
}

function policy({
  condition = "true",
  amount = "1",
  consumer = "a",
  kind = "Deployment",
  label = "",
}: Given): JsonObject {
  return {
    apiVersion: "quota.miloapis.com/v1alpha1",
    kind: "ClaimCreationPolicy",
    metadata: { name: "p", labels: { label } },
    spec: {
      trigger: { resource: { apiVersion: "apps/v1", kind }, constraints: [{ expression: condition }] },
      target: {
        resourceClaimTemplate: {
          spec: {
            consumerRef: { kind: "Namespace", name: consumer },
            requests: [{ resourceType: "x", amountExpression: amount }],
          },
        },
      },
    },
  };
}

async function check(given: Given, found: TriggerSchema | "not served" = builtIn, before?: Given) {
  const change = { plane: "root", kind: "ClaimCreationPolicy", object: policy(given), old: before && policy(before) };
  const deps = { schemas: { of: async () => (found === "not served" ? undefined : found) }, report: () => undefined };
  const { issues, warnings } = await checkPolicyTypes(change, deps, new AbortController().signal);
  return { issues: issues.map(({ field, message }) => `${field}: ${message}`), warnings };
}

const typo = "trigger.metadata.namespce.startsWith('team-')";
const typoIssue =
  /spec\.trigger\.constraints\[0\]\.expression: .*undefined field 'namespce'; did you mean 'namespace'\?/s;

describe("a policy that is written", () => {
  it("is accepted if it fits the schema of its kind", async () => {
    const fits = { condition: "trigger.metadata.namespace == 'a'", amount: "trigger.spec.replicas" };
    expect(await check(fits)).toEqual({ issues: [], warnings: [] });
  });

  it("is rejected for a condition or an amount that cannot work for a built-in kind, with a caret", async () => {
    const { issues, warnings } = await check({ condition: typo, amount: "trigger.spec.size" });
    expect(issues).toEqual([
      expect.stringMatching(typoIssue),
      expect.stringMatching(/amountExpression: .*expected type 'int' but found 'string'/s),
    ]);
    expect(issues[0]).toMatch(/ \| \.+\^$/);
    expect(warnings).toEqual([]);
  });

  it("gets a warning if the kind is custom, because its schema may be a moment late", async () => {
    expect(await check({ condition: typo }, custom)).toEqual({
      issues: [],
      warnings: [expect.stringMatching(typoIssue)],
    });
  });

  it("gets a warning for a template, which rejects objects when it fails", async () => {
    const { issues, warnings } = await check({ consumer: "{{ trigger.spec.customer }}" });
    expect([issues, warnings]).toEqual([
      [],
      [expect.stringMatching(/consumerRef\.name: .*undefined field 'customer'/s)],
    ]);
  });

  it("is never rejected for an expression that it had before, but for a new one", async () => {
    const changed = { condition: typo, label: "new", amount: "2" };
    expect(await check(changed, builtIn, { condition: typo })).toEqual({ issues: [], warnings: [] });
    expect(
      (await check({ ...changed, amount: "trigger.spec.replica" }, builtIn, { condition: typo })).issues,
    ).toHaveLength(1);
  });

  it("is checked anew with another kind", async () => {
    expect((await check({ condition: typo }, builtIn, { condition: typo, kind: "StatefulSet" })).issues).toHaveLength(
      1,
    );
  });

  it("is not checked while the kind is not served, or the schema cannot be read", async () => {
    expect(await check({ condition: typo }, "not served")).toEqual({ issues: [], warnings: [] });
    const reported: string[] = [];
    const result = await checkPolicyTypes(
      { plane: "root", kind: "ClaimCreationPolicy", object: policy({ condition: typo }), old: undefined },
      {
        schemas: { of: () => Promise.reject(new Error("no answer")) },
        report: (where, error) => reported.push(`${where}: ${error}`),
      },
      new AbortController().signal,
    );
    expect(result).toEqual({ issues: [], warnings: [] });
    expect(reported).toEqual(["ClaimCreationPolicy in root, reading the schema of Deployment: Error: no answer"]);
  });
});
