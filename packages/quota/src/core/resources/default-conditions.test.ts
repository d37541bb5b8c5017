import { issueText, type Parsed } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { describe, expect, it } from "vitest";
import { parseResourceGrant } from "./resource-grant.ts";
import { isPending, parseResourceRegistration, type ResourceRegistration } from "./resource-registration.ts";
import { requireRegistration } from "./rules/registration-rules.ts";

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
    "without a status is pending": [undefined, true],
    "with an empty status is pending": [{}, true],
    "with the default condition is pending": [active("False", "RegistrationPending"), true],
    "whose condition is Unknown is pending": [active("Unknown", "RegistrationPending"), true],
    "that is Active is not pending": [active("True", "RegistrationActive"), false],
    "that is invalid is not pending": [active("False", "ValidationFailed"), false],
  };
  for (const [name, [status, pending]] of Object.entries(cases)) {
    it(name, () => expect(isPending(registration(status))).toBe(pending));
  }

  it("is pending by default", () => {
    expect(registration(undefined).status.conditions).toMatchObject([
      { type: "Active", status: "False", reason: "RegistrationPending" },
    ]);
  });

  it("that is not validated yet is distinguished from an invalid one", () => {
    const because = (status: object | undefined) => {
      const found = requireRegistration({ byResourceType: () => [registration(status)] }, "t", "at");
      return "issue" in found ? issueText(found.issue) : "";
    };
    expect(because(undefined)).toContain('"r" is not Active: it is not validated yet');
    expect(because({})).toContain('"r" is not Active: it is not validated yet');
    expect(because(active("False", "ValidationFailed"))).toContain('"r" is not Active: so it is');
  });
});

describe("a grant", () => {
  it("is pending by default", () => {
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
