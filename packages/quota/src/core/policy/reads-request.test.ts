import { describe, expect, it } from "vitest";
import { parseClaimCreationPolicy } from "../resources/claim-creation-policy.ts";
import { compileClaimPolicy, readsRequest } from "./claim-policy.ts";

interface Written {
  readonly constraint?: string;
  readonly name?: string;
  readonly consumer?: string;
  readonly amountExpression?: string;
  readonly dimension?: string;
}

function policyOf({
  constraint = "true",
  name = "c",
  consumer = "acme",
  amountExpression = "1",
  dimension = "x",
}: Written) {
  const parsed = parseClaimCreationPolicy({
    apiVersion: "quota.miloapis.com/v1alpha1",
    kind: "ClaimCreationPolicy",
    metadata: { name: "p" },
    spec: {
      trigger: { resource: { apiVersion: "v1", kind: "ConfigMap" }, constraints: [{ expression: constraint }] },
      target: {
        resourceClaimTemplate: {
          metadata: { name },
          spec: {
            consumerRef: { kind: "Organization", name: consumer },
            requests: [{ resourceType: "cpu", amountExpression, dimensions: { zone: dimension } }],
          },
        },
      },
    },
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.value;
}

const cases: Readonly<Record<string, readonly [Written, boolean]>> = {
  "an object alone": [{ constraint: 'trigger.metadata.name == "a"', name: "{{ object.metadata.name }}" }, false],
  "a condition on who asks": [{ constraint: '"admins" in user.groups' }, true],
  "a condition on what is asked": [{ constraint: 'requestInfo.verb == "create"' }, true],
  "a name made of who asks": [{ name: "{{ .user.name | lower }}" }, true],
  "a consumer that is who asks": [{ consumer: "{{ user.name }}" }, true],
  "an amount by who asks": [{ amountExpression: "size(user.groups)" }, true],
  "a dimension by what is asked": [{ dimension: "{{ requestInfo.namespace }}" }, true],
  "a field of that name": [{ constraint: 'trigger.spec.user == "user"' }, false],
  "a variable of that name": [{ constraint: "trigger.spec.users.all(user, user.active)" }, false],
};

describe("a policy reads the request", () => {
  it.each(Object.entries(cases))("%s", (_, [written, reads]) => {
    const policy = policyOf(written);
    expect(compileClaimPolicy(policy).ok).toBe(true);
    expect(readsRequest(policy)).toBe(reads);
  });
});
