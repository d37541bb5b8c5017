import { issueText, type Parsed } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { describe, expect, it } from "vitest";
import { parseResourceGrant } from "./resource-grant.ts";
import { isPending, parseResourceRegistration, type ResourceRegistration } from "./resource-registration.ts";
import { lookUp } from "./rules/registration-rules.ts";

const apiVersion = "quota.miloapis.com/v1alpha1";
const consumer = { apiGroup: "", kind: "Namespace" };

function parsed<Kind>(result: Parsed<Kind>): Kind {
  if (!result.ok) throw new Error(result.issues.map(issueText).join("\n"));
  return result.value;
}

function registration(status: object | undefined): ResourceRegistration {
  return parsed(
    parseResourceRegistration({
      apiVersion,
      kind: "ResourceRegistration",
      metadata: { name: "r" },
      spec: { resourceType: "t", type: "Entity", baseUnit: "one", consumerType: consumer },
      ...(status === undefined ? {} : { status }),
    }),
  );
}

const active = (status: string, reason: string) => ({
  conditions: [{ type: "Active", status, reason, message: "so it is", lastTransitionTime: "2026-01-01T00:00:00Z" }],
});

describe("a registration", () => {
  const cases: Record<string, [status: object | undefined, pending: boolean]> = {
    "without a status was not looked at": [undefined, true],
    "with an empty one was not": [{}, true],
    "that says so was not": [active("False", "RegistrationPending"), true],
    "of which nobody knows was not": [active("Unknown", "RegistrationPending"), true],
    "that is Active was": [active("True", "RegistrationActive"), false],
    "that something is wrong with was": [active("False", "ValidationFailed"), false],
  };
  for (const [name, [status, pending]] of Object.entries(cases)) {
    it(name, () => expect(isPending(registration(status))).toBe(pending));
  }

  it("is born saying that nobody has looked at it", () => {
    expect(registration(undefined).status.conditions).toMatchObject([
      { type: "Active", status: "False", reason: "RegistrationPending" },
    ]);
  });

  it("that was not looked at is told apart from one that something is wrong with", () => {
    const because = (status: object | undefined) => {
      const found = lookUp({ byResourceType: () => [registration(status)] }, "t", "at");
      return "issue" in found ? issueText(found.issue) : "";
    };
    expect(because(undefined)).toContain('"r" is not Active: it was not looked at yet');
    expect(because({})).toContain('"r" is not Active: it was not looked at yet');
    expect(because(active("False", "ValidationFailed"))).toContain('"r" is not Active: so it is');
  });
});

describe("a grant", () => {
  it("is born saying that nobody knows whether it counts", () => {
    const { status } = parsed(
      parseResourceGrant({
        apiVersion,
        kind: "ResourceGrant",
        metadata: { name: "g", namespace: "n" },
        spec: {
          consumerRef: { kind: "Namespace", name: "n" },
          allowances: [{ resourceType: "t", buckets: [{ amount: 1 }] }],
        },
      }),
    );
    expect(status.conditions).toMatchObject([{ type: "Active", status: "Unknown", reason: "GrantPending" }]);
  });
});
