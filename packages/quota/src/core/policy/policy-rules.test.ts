import { issueText } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { describe, expect, it } from "vitest";
import { type ClaimCreationPolicy, parseClaimCreationPolicy } from "../resources/claim-creation-policy.ts";
import type { GroupKind } from "../resources/fields/consumer-ref.ts";
import { parseResourceRegistration, type ResourceRegistration } from "../resources/resource-registration.ts";
import { claimPolicyRules } from "./policy-rules.ts";

const apiVersion = "quota.miloapis.com/v1alpha1";
const group = "resourcemanager.miloapis.com";
const [project, organization] = [
  { apiGroup: group, kind: "Project" },
  { apiGroup: group, kind: "Organization" },
];
const active = {
  type: "Active",
  status: "True",
  reason: "RegistrationActive",
  message: "",
  lastTransitionTime: "2026-01-01T00:00:00Z",
};

function registration(resourceType: string, consumerType: GroupKind): ResourceRegistration {
  const claimingResources = [{ kind: "Secret" }];
  const parsed = parseResourceRegistration({
    apiVersion,
    kind: "ResourceRegistration",
    metadata: { name: resourceType },
    spec: { resourceType, type: "Entity", baseUnit: "one", consumerType, claimingResources },
    status: { conditions: [active] },
  });
  if (!parsed.ok) throw new Error(parsed.issues.map(issueText).join("\n"));
  return parsed.value;
}

const registrations = [
  registration("of-projects", project),
  registration("of-organizations", organization),
  registration("of-namespaces", { apiGroup: "", kind: "Namespace" }),
];

/** A policy about Secrets that leaves its consumer to them. */
function policy(resourceTypes: readonly string[]): ClaimCreationPolicy {
  const requests = resourceTypes.map((resourceType) => ({ resourceType, amount: 1 }));
  const parsed = parseClaimCreationPolicy({
    apiVersion,
    kind: "ClaimCreationPolicy",
    metadata: { name: "p" },
    spec: {
      trigger: { resource: { apiVersion: "v1", kind: "Secret" } },
      target: { resourceClaimTemplate: { spec: { requests } } },
    },
  });
  if (!parsed.ok) throw new Error(parsed.issues.map(issueText).join("\n"));
  return parsed.value;
}

describe("a claim policy that names no consumer", () => {
  const both = [project, organization];
  const needed = "spec.target.resourceClaimTemplate.spec.consumerRef: Required value";
  const cases: Record<string, [tenants: readonly GroupKind[], asked: readonly string[], issues: readonly string[]]> = {
    "is valid if the tenant is the consumer of the requested quota": [[project], ["of-projects"], []],
    "is valid if one of the possible tenants is the consumer": [both, ["of-organizations"], []],
    "needs one if the objects belong to no tenant": [
      [],
      ["of-projects"],
      [`${needed}: no Secret that this policy applies to belongs to a project or organization`],
    ],
    "needs one if no tenant is the consumer": [
      both,
      ["of-namespaces"],
      [
        `${needed}: the default is Project.${group} or Organization.${group}, but the consumer of the requested quota is Namespace`,
      ],
    ],
    "needs one if no single tenant is the consumer of all requests": [
      both,
      ["of-projects", "of-organizations"],
      [
        `${needed}: the default is Project.${group} or Organization.${group}, but the consumer of the requested quota is Project.${group} and Organization.${group}`,
      ],
    ],
    "has only one issue for an unregistered resource type": [
      both,
      ["unregistered"],
      [
        'spec.target.resourceClaimTemplate.spec.requests[0].resourceType: Invalid value: "unregistered": no ResourceRegistration has this resourceType: register it first',
      ],
    ],
  };
  for (const [name, [tenants, asked, issues]] of Object.entries(cases)) {
    it(name, () => {
      const view = {
        byResourceType: (type: string) => registrations.filter(({ resourceType }) => resourceType === type),
      };
      const rules = claimPolicyRules(() => tenants, view);
      expect(rules.issues(policy(asked), "root").map(issueText)).toEqual(issues);
    });
  }
});
