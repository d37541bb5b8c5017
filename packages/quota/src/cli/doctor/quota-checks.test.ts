import { issueText } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { expect, it } from "vitest";
import { parseResourceRegistration } from "../../core/resources/resource-registration.ts";
import { Units } from "../units.ts";
import { quotaChecks } from "./quota-checks.ts";

const madeMs = Date.UTC(2026, 0, 1);

/** What is found of a registration that is so old, and as it is born. */
function foundAfter(ms: number): readonly string[] {
  const parsed = parseResourceRegistration({
    apiVersion: "quota.miloapis.com/v1alpha1",
    kind: "ResourceRegistration",
    metadata: { name: "r", creationTimestamp: new Date(madeMs).toISOString() },
    spec: { resourceType: "t", type: "Entity", baseUnit: "one", consumerType: { apiGroup: "", kind: "Namespace" } },
  });
  if (!parsed.ok) throw new Error(parsed.issues.map(issueText).join("\n"));
  const registrations = [parsed.value];
  const nothing = { pages: [], grants: [], claims: [], grantPolicies: [], claimPolicies: [] };
  const findings = quotaChecks({
    ...nothing,
    registrations,
    units: new Units(registrations),
    nowMs: madeMs + ms,
    hidden: new Set(),
    isAll: true,
  });
  return findings.filter(({ state }) => state === "problem").map(({ message }) => message);
}

it("a registration that still says what it was born with was never looked at, and is given some time", () => {
  expect(foundAfter(29_000)).toEqual([]);
  expect(foundAfter(31_000)).toEqual(["ResourceRegistration r was never looked at"]);
});
