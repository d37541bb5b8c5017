import { issueText, type Parsed } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { describe, expect, it } from "vitest";
import { parseResourceGrant, type ResourceGrant } from "../resource-grant.ts";
import { parseResourceRegistration, type ResourceRegistration } from "../resource-registration.ts";
import { grantActivity } from "./grant-activity.ts";
import type { RegistrationView } from "./registration-rules.ts";

type Json = Record<string, unknown>;

const apiVersion = "quota.miloapis.com/v1alpha1";
const organization = { apiGroup: "resourcemanager.miloapis.com", kind: "Organization" };
const noon = Date.UTC(2026, 0, 1, 12);

function parsed<Kind>(result: Parsed<Kind>): Kind {
  if (!result.ok) throw new Error(result.issues.map(issueText).join("\n"));
  return result.value;
}

function grant(spec: Json, metadata: Json = {}): ResourceGrant {
  const allowances = [{ resourceType: "projects", buckets: [{ amount: 3 }] }];
  const consumerRef = { ...organization, name: "acme" };
  const whole = { consumerRef, allowances, ...spec };
  return parsed(
    parseResourceGrant({ apiVersion, kind: "ResourceGrant", metadata: { name: "g", ...metadata }, spec: whole }),
  );
}

function registered(status: "True" | "False"): RegistrationView {
  const reason = status === "True" ? "RegistrationActive" : "ValidationFailed";
  const condition = { type: "Active", status, reason, message: "", lastTransitionTime: "2026-01-01T00:00:00Z" };
  const spec = { resourceType: "projects", type: "Entity", baseUnit: "project", consumerType: organization };
  const registration: ResourceRegistration = parsed(
    parseResourceRegistration({
      apiVersion,
      kind: "ResourceRegistration",
      metadata: { name: "projects" },
      spec,
      status: { conditions: [condition] },
    }),
  );
  return { byResourceType: (type) => (type === "projects" ? [registration] : []) };
}

const unregistered: RegistrationView = { byResourceType: () => [] };

describe("a grant", () => {
  const cases: Record<string, [ResourceGrant, RegistrationView, string]> = {
    "counts when its type is registered": [grant({}), registered("True"), "active"],
    "counts before it expires": [grant({ expiresAt: "2026-01-01T12:00:01Z" }), registered("True"), "active"],
    "has expired at its expiry": [grant({ expiresAt: "2026-01-01T12:00:00Z" }), registered("True"), "expired"],
    "has expired in any time zone": [grant({ expiresAt: "2026-01-01T13:30:00+01:30" }), registered("True"), "expired"],
    "has expired even if its type is not registered": [
      grant({ expiresAt: "2026-01-01T11:00:00Z" }),
      unregistered,
      "expired",
    ],
    "does not count while its type is not registered": [grant({}), unregistered, "invalid"],
    "does not count while its registration is not Active": [grant({}), registered("False"), "invalid"],
    "does not count once it is being deleted": [
      grant({}, { deletionTimestamp: "2026-01-01T00:00:00Z" }),
      registered("True"),
      "deleting",
    ],
  };
  for (const [name, [subject, view, state]] of Object.entries(cases)) {
    it(name, () => {
      expect(grantActivity(subject, view, noon).state).toBe(state);
    });
  }

  it("counts until its expiry", () => {
    const until = { state: "active", untilMs: noon + 1_500 };
    expect(grantActivity(grant({ expiresAt: "2026-01-01T12:00:01.5Z" }), registered("True"), noon)).toEqual(until);
    expect(grantActivity(grant({}), registered("True"), noon)).toEqual({ state: "active" });
  });

  it("has all issues reported with their paths", () => {
    const consumerRef = { kind: "Namespace", name: "acme" };
    const allowances = ["projects", "pods"].map((resourceType) => ({ resourceType, buckets: [{ amount: 1 }] }));
    const activity = grantActivity(grant({ consumerRef, allowances }), registered("True"), noon);
    expect(activity.state === "invalid" && activity.issues.map(({ field }) => field)).toEqual([
      "spec.consumerRef",
      "spec.allowances[1].resourceType",
    ]);
  });
});
