import { describe, expect, it } from "vitest";
import { parseClaimCreationPolicy } from "../../core/resources/claim-creation-policy.ts";
import { parseResourceRegistration } from "../../core/resources/resource-registration.ts";
import { deletionWarning, type EnforcedPolicy, removedKindIssues } from "./registration-use.ts";

const apiVersion = "quota.miloapis.com/v1alpha1";

function registration(...kinds: string[]) {
  const parsed = parseResourceRegistration({
    apiVersion,
    kind: "ResourceRegistration",
    metadata: { name: "maps" },
    spec: {
      resourceType: "core/maps",
      type: "Entity",
      baseUnit: "map",
      consumerType: { apiGroup: "", kind: "Namespace" },
      claimingResources: kinds.map((kind) => ({ kind })),
    },
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.value;
}

function policy(name: string, kind = "ConfigMap", resourceType = "core/maps"): EnforcedPolicy {
  const parsed = parseClaimCreationPolicy({
    apiVersion,
    kind: "ClaimCreationPolicy",
    metadata: { name },
    spec: {
      trigger: { resource: { apiVersion: "v1", kind } },
      target: { resourceClaimTemplate: { spec: { requests: [{ resourceType, amount: 1 }] } } },
    },
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return { plane: "root", policy: parsed.value, kind: { apiGroup: "", kind } };
}

const both = registration("ConfigMap", "Secret");

describe("a kind that a registration no longer lets claim", () => {
  const cases: Record<string, [kinds: readonly string[], policies: readonly EnforcedPolicy[], issues: RegExp[]]> = {
    "is kept for an enforced policy, which is named": [
      ["Secret"],
      [policy("a"), policy("b")],
      [/^Forbidden: ConfigMap cannot be removed while ClaimCreationPolicy "a", "b" claims for it: disable or delete/],
    ],
    "is removed if policies claim for another kind": [["Secret"], [policy("a", "Secret")], []],
    "is removed if policies claim another type": [["Secret"], [policy("a", "ConfigMap", "core/other")], []],
    "is not looked for when one is added": [["ConfigMap", "Secret", "Pod"], [policy("a")], []],
  };
  for (const [name, [kinds, policies, issues]] of Object.entries(cases)) {
    it(name, () => {
      const found = removedKindIssues(both, registration(...kinds), policies);
      expect(found.map(({ message }) => message)).toEqual(issues.map((each) => expect.stringMatching(each)));
    });
  }
});

describe("the deletion of a registration", () => {
  it("warns if enforced policies use it, and lists ten of them", () => {
    const policies = Array.from({ length: 12 }, (_, at) => policy(`p${at}`));
    expect(deletionWarning(both, policies.slice(0, 1))).toBe(
      'ClaimCreationPolicy "p0" claims core/maps: what it matches is rejected until the type is registered again',
    );
    expect(deletionWarning(both, policies)).toContain('"p8", "p9" and 2 more claims');
  });

  it("does not warn otherwise", () => {
    expect(deletionWarning(both, [policy("a", "ConfigMap", "core/other")])).toBeUndefined();
  });
});
