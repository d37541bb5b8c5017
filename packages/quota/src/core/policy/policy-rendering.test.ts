import { issueText } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { sentMetadataIssues } from "@milo-quota/kubernetes/protocol/metadata/metadata-rules.ts";
import { dnsSubdomain } from "@milo-quota/kubernetes/protocol/names.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseClaimCreationPolicy } from "../resources/claim-creation-policy.ts";
import { parseGrantCreationPolicy } from "../resources/grant-creation-policy.ts";
import { bucketNamespace } from "../resources/object-names.ts";
import { parseResourceClaim } from "../resources/resource-claim.ts";
import { parseResourceGrant } from "../resources/resource-grant.ts";
import { claimFaults } from "../resources/rules/claim-faults.ts";
import { type ClaimInput, claimManifest, compileClaimPolicy } from "./claim-policy.ts";
import { compileGrantPolicy, grantManifest } from "./grant-policy.ts";

/** Texts as tenants send them: legal, illegal, long, empty, or not texts at all. */
const wild = fc.oneof(
  { weight: 4, arbitrary: fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,8}[a-z0-9])?$/) },
  fc.string({ unit: "grapheme" }),
  fc.constantFrom<(string | number | null | object)[]>("..", ".", "", "a/b", "x".repeat(300), 7, null, {}, []),
);

const trigger: fc.Arbitrary<JsonObject> = fc
  .record({
    name: wild,
    namespace: wild,
    owner: wild,
    zone: wild,
    size: fc.oneof(fc.integer(), wild),
    annotation: wild,
  })
  .map(({ name, namespace, owner, zone, size, annotation }) => ({
    apiVersion: "example.io/v1",
    kind: "Thing",
    metadata: { name, namespace },
    spec: { owner, zone, size, annotation },
  })) as fc.Arbitrary<JsonObject>;

const template = (inside: string): fc.Arbitrary<string> =>
  fc.constantFrom(`{{ trigger.spec.${inside} }}`, `x-{{ .trigger.spec.${inside} | toString }}`, "plain");

const head = (kind: string): JsonObject => ({
  apiVersion: "quota.miloapis.com/v1alpha1",
  kind,
  metadata: { name: "p" },
});
const resource = { apiVersion: "example.io/v1", kind: "Thing" };

const input = (object: JsonObject): ClaimInput => ({
  trigger: object,
  user: { name: "u", uid: "", groups: [], extra: {} },
  requestInfo: {
    verb: "create",
    apiGroup: "",
    apiVersion: "v1",
    resource: "things",
    subresource: "",
    namespace: "",
    name: "",
  },
  plane: "",
  tenantOf: () => undefined,
  bucketNamespace: (consumer) => bucketNamespace(consumer, () => true),
  now: "2026-01-01T00:00:00Z",
});

const texts = fc.record({
  name: fc.option(template("owner"), { nil: undefined }),
  namespace: fc.option(template("zone"), { nil: undefined }),
  consumer: template("owner"),
  consumerNamespace: template("zone"),
  zone: template("zone"),
  annotation: template("annotation"),
});

const inNamespaces = {
  group: "quota.miloapis.com",
  isCustom: true,
  scope: "Namespaced",
  nameRule: dnsSubdomain,
} as const;

describe("every rendering of a policy", () => {
  it("is a valid claim", () => {
    let rendered = 0;
    fc.assert(
      fc.property(trigger, texts, (object, { name, namespace, consumer, consumerNamespace, zone, annotation }) => {
        const consumerRef = {
          apiGroup: "resourcemanager.miloapis.com",
          kind: "Organization",
          name: consumer,
          namespace: consumerNamespace,
        };
        const requests = [{ resourceType: "x", amountExpression: "trigger.spec.size", dimensions: { zone } }];
        const metadata = { ...(name && { name }), ...(namespace && { namespace }), annotations: { a: annotation } };
        const spec = {
          trigger: { resource },
          target: { resourceClaimTemplate: { metadata, spec: { consumerRef, requests } } },
        };
        const policy = parseClaimCreationPolicy({ ...head("ClaimCreationPolicy"), spec });
        const compiled = policy.ok ? compileClaimPolicy(policy.value) : undefined;
        const rendering = compiled?.ok === true ? compiled.policy.evaluate(input(object)) : undefined;
        if (rendering?.outcome !== "claim") return;
        rendered += 1;
        const parsed = parseResourceClaim(claimManifest(rendering.claim));
        const issues = parsed.ok
          ? [...sentMetadataIssues(parsed.value.metadata, inNamespaces), ...claimFaults(parsed.value)]
          : parsed.issues;
        expect(issues.map(issueText)).toEqual([]);
      }),
      { numRuns: 3000 },
    );
    expect(rendered).toBeGreaterThan(100);
  });

  it("is a valid grant", () => {
    let rendered = 0;
    fc.assert(
      fc.property(trigger, texts, (object, { name, namespace, consumer, consumerNamespace, zone, annotation }) => {
        const consumerRef = { kind: "Organization", name: consumer, namespace: consumerNamespace };
        const buckets = [{ amountExpression: "trigger.spec.size", dimensionSelector: { matchLabels: { zone } } }];
        const metadata = { ...(name && { name }), ...(namespace && { namespace }), annotations: { a: annotation } };
        const grant = { metadata, spec: { consumerRef, allowances: [{ resourceType: "x", buckets }] } };
        const policy = parseGrantCreationPolicy({
          ...head("GrantCreationPolicy"),
          spec: { trigger: { resource }, target: { resourceGrantTemplate: grant } },
        });
        const compiled = policy.ok ? compileGrantPolicy(policy.value) : undefined;
        const rendering = compiled?.ok === true ? compiled.policy.evaluate(input(object)) : undefined;
        if (rendering?.outcome !== "grant") return;
        rendered += 1;
        const parsed = parseResourceGrant(grantManifest(rendering.grant));
        const issues = parsed.ok ? sentMetadataIssues(parsed.value.metadata, inNamespaces) : parsed.issues;
        expect(issues.map(issueText)).toEqual([]);
      }),
      { numRuns: 3000 },
    );
    expect(rendered).toBeGreaterThan(100);
  });
});
