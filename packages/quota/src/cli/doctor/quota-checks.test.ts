import { issueText } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { expect, it } from "vitest";
import { parseResourceRegistration } from "../../core/resources/resource-registration.ts";
import { Units } from "../units.ts";
import { quotaChecks } from "./quota-checks.ts";

const createdMs = Date.UTC(2026, 0, 1);

/** The problems of a registration of this age that no controller has reconciled. */
function problemsAfter(ms: number): readonly string[] {
  const parsed = parseResourceRegistration({
    apiVersion: "quota.miloapis.com/v1alpha1",
    kind: "ResourceRegistration",
    metadata: { name: "r", creationTimestamp: new Date(createdMs).toISOString() },
    spec: { resourceType: "t", type: "Entity", baseUnit: "one", consumerType: { apiGroup: "", kind: "Namespace" } },
  });
  if (!parsed.ok) throw new Error(parsed.issues.map(issueText).join("\n"));
  const registrations = [parsed.value];
  const noObjects = { ledgerBuckets: [], grants: [], claims: [], grantPolicies: [], claimPolicies: [] };
  const findings = quotaChecks({
    ...noObjects,
    registrations,
    units: new Units(registrations),
    nowMs: createdMs + ms,
    forbidden: new Set(),
    isComplete: true,
  });
  return findings.filter(({ state }) => state === "problem").map(({ message }) => message);
}

it("reports a registration that is still not reconciled after some time", () => {
  expect(problemsAfter(29_000)).toEqual([]);
  expect(problemsAfter(31_000)).toEqual(["ResourceRegistration r has not been reconciled"]);
});
