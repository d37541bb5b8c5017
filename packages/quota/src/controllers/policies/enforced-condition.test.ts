import { describe, expect, it } from "vitest";
import type { EnforcedGeneration } from "../../core/policy/enforced-generation.ts";
import { parseClaimCreationPolicy } from "../../core/resources/claim-creation-policy.ts";
import { enforcements } from "../../core/resources/enforcement.ts";
import { enforcedCondition } from "./enforced-condition.ts";

type Indexed = Parameters<typeof enforcedCondition>[0];

function indexed(state: "ready" | "disabled" | "invalid", spec: object = {}, enforced?: Partial<EnforcedGeneration>) {
  const parsed = parseClaimCreationPolicy({
    apiVersion: "quota.miloapis.com/v1alpha1",
    kind: "ClaimCreationPolicy",
    metadata: { name: "p", generation: 3 },
    spec: {
      trigger: { resource: { apiVersion: "v1", kind: "ConfigMap" } },
      target: { resourceClaimTemplate: { spec: { requests: [{ resourceType: "maps", amount: 1 }] } } },
      ...spec,
    },
    ...(enforced && { status: { enforced: { generation: 3, since: "2026-01-01T00:00:00Z", spec: {}, ...enforced } } }),
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return { verdict: { state, issues: [] }, policy: parsed.value } as unknown as Indexed;
}

describe("the Enforced condition of a policy", () => {
  const cases: Record<string, [policy: Indexed, status: string, reason: string, message: RegExp]> = {
    "that is ready": [indexed("ready"), "True", "PolicyEnforced", /^Generation 3 decides$/],
    "in Shadow mode": [indexed("ready", { mode: "Shadow" }), "True", "PolicyEnforced", /in mode Shadow it warns/],
    "that is disabled": [indexed("disabled"), "False", "PolicyDisabled", /rejects nothing/],
    "that was never ready": [indexed("invalid"), "False", "NotReady", /rejects nothing: fix the problems of Ready/],
    "that another object broke": [indexed("invalid", {}, {}), "True", "PolicyBroken", /are rejected as misconfigured/],
    "that another object broke, with failurePolicy Ignore": [
      indexed("invalid", { failurePolicy: "Ignore" }, {}),
      "True",
      "PolicyBroken",
      /admitted with a warning until the problems of Ready are fixed, and counted afterwards$/,
    ],
    "whose edit is not ready": [
      indexed("invalid", {}, { generation: 2 }),
      "True",
      "EarlierGenerationEnforced",
      /^Generation 2 decides until generation 3 is ready/,
    ],
  };
  for (const [name, [policy, status, reason, message]] of Object.entries(cases)) {
    it(`of a policy ${name}`, () => {
      const condition = enforcedCondition(policy, "Enforce");
      expect(condition).toMatchObject({ type: "Enforced", status, reason });
      expect(condition.message).toMatch(message);
    });
  }

  it("is False whatever the policy, while the system does not enforce", () => {
    const of = enforcements.map((enforcement) => enforcedCondition(indexed("ready"), enforcement));
    expect(of.map(({ status, reason }) => `${status} ${reason}`)).toEqual([
      "True PolicyEnforced",
      "False SystemShadow",
      "False SystemOff",
    ]);
  });
});
