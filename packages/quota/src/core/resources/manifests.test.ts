import { issueText, type Parsed } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { parseAllowanceBucket } from "./allowance-bucket.ts";
import { parseClaimCreationPolicy } from "./claim-creation-policy.ts";
import { parseEffectiveResourceGrant } from "./effective-resource-grant.ts";
import { parseGrantCreationPolicy } from "./grant-creation-policy.ts";
import { parseResourceClaim } from "./resource-claim.ts";
import { parseResourceGrant } from "./resource-grant.ts";
import { parseResourceRegistration } from "./resource-registration.ts";

function read<Kind>(parser: (value: unknown) => Parsed<Kind>, yaml: string): Kind {
  const parsed = parser(parse(yaml, { intAsBigInt: true }));
  if (!parsed.ok) throw new Error(parsed.issues.map(issueText).join("\n"));
  return parsed.value;
}

const organization = {
  apiGroup: "resourcemanager.miloapis.com",
  kind: "Organization",
  namespace: "",
  name: "acme-corp",
};

describe("the short manifests", () => {
  it("a registration without display unit or conversion", () => {
    const registration = read(
      parseResourceRegistration,
      `
apiVersion: quota.miloapis.com/v1alpha1
kind: ResourceRegistration
metadata: { name: projects-per-organization }
spec:
  consumerType: { apiGroup: resourcemanager.miloapis.com, kind: Organization }
  type: Entity
  resourceType: resourcemanager.miloapis.com/projects
  baseUnit: project
  claimingResources:
  - { apiGroup: resourcemanager.miloapis.com, kind: Project }
`,
    );
    expect(registration).toMatchObject({
      resourceType: "resourcemanager.miloapis.com/projects",
      type: "Entity",
      consumerType: { apiGroup: "resourcemanager.miloapis.com", kind: "Organization" },
      unit: { baseUnit: "project", displayUnit: "project", factor: 1n },
      claimingResources: [{ apiGroup: "resourcemanager.miloapis.com", kind: "Project" }],
      dimensions: [],
    });
  });

  it("a grant", () => {
    const grant = read(
      parseResourceGrant,
      `
apiVersion: quota.miloapis.com/v1alpha1
kind: ResourceGrant
metadata: { name: acme-corp-project-quota }
spec:
  consumerRef: { apiGroup: resourcemanager.miloapis.com, kind: Organization, name: acme-corp }
  allowances:
  - resourceType: resourcemanager.miloapis.com/projects
    buckets:
    - amount: 50
`,
    );
    expect(grant).toMatchObject({
      consumer: organization,
      allowances: [
        { resourceType: "resourcemanager.miloapis.com/projects", buckets: [{ amount: 50n, requirements: [] }] },
      ],
      expiresAt: undefined,
    });
  });

  it("a claim, pending by default", () => {
    const claim = read(
      parseResourceClaim,
      `
apiVersion: quota.miloapis.com/v1alpha1
kind: ResourceClaim
metadata: { name: web-app-project-claim-abc123 }
spec:
  consumerRef: { apiGroup: resourcemanager.miloapis.com, kind: Organization, name: acme-corp }
  requests:
  - resourceType: resourcemanager.miloapis.com/projects
    amount: 1
  resourceRef: { apiGroup: resourcemanager.miloapis.com, kind: Project, name: web-app-project }
`,
    );
    expect(claim).toMatchObject({
      consumer: organization,
      requests: [
        { resourceType: "resourcemanager.miloapis.com/projects", amount: 1n, dimensions: {}, dimensionKey: "" },
      ],
      resource: { apiGroup: "resourcemanager.miloapis.com", kind: "Project", namespace: "", name: "web-app-project" },
      decision: { state: "pending" },
    });
    expect(claim.status.conditions?.[0]).toMatchObject({
      type: "Granted",
      status: "False",
      reason: "PendingEvaluation",
      lastTransitionTime: "1970-01-01T00:00:00Z",
    });
  });

  it("the status of a bucket", () => {
    const bucket = read(
      parseAllowanceBucket,
      `
apiVersion: quota.miloapis.com/v1alpha1
kind: AllowanceBucket
metadata: { name: b }
spec:
  consumerRef: { apiGroup: resourcemanager.miloapis.com, kind: Organization, name: acme-corp }
  resourceType: resourcemanager.miloapis.com/projects
status:
  limit: 100
  allocated: 25
  available: 75
  claimCount: 25
  grantCount: 2
  contributingGrantRefs:
  - { name: basic-quota-grant, amount: 50, lastObservedGeneration: 1 }
  - { name: bonus-quota-grant, amount: 50, lastObservedGeneration: 3 }
`,
    );
    expect(bucket).toMatchObject({ consumer: organization, dimensions: {}, status: { limit: 100n, available: 75n } });
  });

  it("a grant policy with constraints and CEL in its template", () => {
    const policy = read(
      parseGrantCreationPolicy,
      `
apiVersion: quota.miloapis.com/v1alpha1
kind: GrantCreationPolicy
metadata: { name: organization-project-quota }
spec:
  trigger:
    resource: { apiVersion: resourcemanager.miloapis.com/v1alpha1, kind: Organization }
    constraints:
    - expression: 'trigger.status.phase == "Active"'
  target:
    resourceGrantTemplate:
      spec:
        consumerRef:
          apiGroup: resourcemanager.miloapis.com
          kind: Organization
          name: '{{ trigger.metadata.name}}'
        allowances:
        - resourceType: resourcemanager.miloapis.com/projects
          buckets:
          - amount: 50
`,
    );
    expect(policy).toMatchObject({
      enabled: true,
      trigger: {
        kind: "Organization",
        constraintsField: "constraints",
        constraints: [{ expression: 'trigger.status.phase == "Active"' }],
      },
      parentContext: undefined,
      template: {
        metadata: { name: undefined, labels: {} },
        consumer: { kind: "Organization", name: "{{ trigger.metadata.name}}" },
        allowances: [{ buckets: [{ amount: { kind: "fixed", amount: 50n }, selector: {} }] }],
      },
    });
  });

  it("a claim policy without template metadata or resourceRef", () => {
    const policy = read(
      parseClaimCreationPolicy,
      `
apiVersion: quota.miloapis.com/v1alpha1
kind: ClaimCreationPolicy
metadata: { name: project-quota-enforcement }
spec:
  trigger:
    resource: { apiVersion: resourcemanager.miloapis.com/v1alpha1, kind: Project }
    constraints:
    - expression: 'trigger.spec.type == "application"'
  target:
    resourceClaimTemplate:
      spec:
        consumerRef:
          apiGroup: resourcemanager.miloapis.com
          kind: Organization
          name: '{{ trigger.spec.ownerRef.name }}'
        requests:
        - resourceType: resourcemanager.miloapis.com/projects
          amount: 1
`,
    );
    expect(policy).toMatchObject({
      enabled: true,
      mode: "Enforce",
      failurePolicy: "Fail",
      existingObjects: "Ignore",
      template: {
        consumer: { name: "{{ trigger.spec.ownerRef.name }}" },
        requests: [{ amount: { kind: "fixed", amount: 1n } }],
      },
    });
  });
});

describe("manifests with every field, by the other alias", () => {
  const conditions = (type: string, reason: string): string =>
    `{ type: ${type}, status: "True", reason: ${reason}, message: "", lastTransitionTime: "2026-01-01T00:00:00Z", observedGeneration: 2 }`;

  it("a registration", () => {
    const registration = read(
      parseResourceRegistration,
      `
apiVersion: quota.miloapis.com/v1alpha1
kind: ResourceRegistration
metadata: { name: cpu, labels: { quota.miloapis.com/consumer-kind: Project } }
spec:
  baseUnit: millicore
  consumerTypeRef: { apiGroup: resourcemanager.miloapis.com, kind: Project }
  displayUnit: core
  resourceType: compute_cpu
  type: Allocation
  unitConversionFactor: 1000
  claimingResources:
  - { apiGroup: "", kind: Pod }
  - { kind: Namespace }
  description: CPU of pods
status:
  observedGeneration: 2
  conditions: [${conditions("Active", "RegistrationActive")}]
`,
    );
    expect(registration).toMatchObject({
      consumerType: { kind: "Project" },
      unit: { baseUnit: "millicore", displayUnit: "core", factor: 1000n },
      claimingResources: [
        { apiGroup: "", kind: "Pod" },
        { apiGroup: "", kind: "Namespace" },
      ],
      status: { conditions: [{ reason: "RegistrationActive" }] },
    });
  });

  it("a grant", () => {
    const grant = read(
      parseResourceGrant,
      `
apiVersion: quota.miloapis.com/v1alpha1
kind: ResourceGrant
metadata: { name: g, namespace: organization-acme-corp }
spec:
  allowances:
  - resourceType: storage.volumes
    buckets: [{ amount: 2048000 }, { amount: 0 }]
  consumerRef: { apiGroup: resourcemanager.miloapis.com, kind: Project, name: web, namespace: organization-acme-corp }
status:
  observedGeneration: 1
  conditions: [${conditions("Active", "GrantActive")}]
`,
    );
    expect(grant.consumer.namespace).toBe("organization-acme-corp");
    expect(grant.allowances[0]?.buckets.map((bucket) => bucket.amount)).toEqual([2048000n, 0n]);
  });

  it("a granted claim", () => {
    const claim = read(
      parseResourceClaim,
      `
apiVersion: quota.miloapis.com/v1alpha1
kind: ResourceClaim
metadata: { name: c, namespace: organization-acme-corp }
spec:
  consumerRef: { apiGroup: resourcemanager.miloapis.com, kind: Organization, name: acme-corp, namespace: "" }
  requests:
  - { resourceType: custom-service-quota, amount: 9223372036854775807 }
  resourceRef: { apiGroup: resourcemanager.miloapis.com, kind: Project, name: web, namespace: acme-corp }
status:
  observedGeneration: 1
  allocations:
  - lastTransitionTime: "2026-01-01T00:00:00Z"
    resourceType: custom-service-quota
    status: Granted
    allocatedAmount: 9223372036854775807
    allocatingBucket: organization-acme-corp-custom-service-quota-x
    message: Allocated
    reason: QuotaAvailable
  conditions: [${conditions("Granted", "QuotaAvailable")}]
`,
    );
    expect(claim.decision).toEqual({
      state: "granted",
      allocations: [{ resourceType: "custom-service-quota", dimensionKey: "", amount: 9223372036854775807n }],
    });
  });

  it("a bucket", () => {
    const bucket = read(
      parseAllowanceBucket,
      `
apiVersion: quota.miloapis.com/v1alpha1
kind: AllowanceBucket
metadata: { name: b, namespace: milo-system }
spec:
  consumerRef: { apiGroup: iam.miloapis.com, kind: User, name: john.doe, namespace: project-web-app }
  resourceType: compute_cpu
status:
  allocated: 1
  available: 2
  claimCount: 1
  grantCount: 1
  limit: 3
  contributingGrantRefs: [{ amount: 3, lastObservedGeneration: 4, name: g }]
  lastReconciliation: "2026-01-01T00:00:00Z"
  observedGeneration: 1
`,
    );
    expect(bucket.consumer).toEqual({
      apiGroup: "iam.miloapis.com",
      kind: "User",
      name: "john.doe",
      namespace: "project-web-app",
    });
  });

  it("a grant policy", () => {
    const policy = read(
      parseGrantCreationPolicy,
      `
apiVersion: quota.miloapis.com/v1alpha1
kind: GrantCreationPolicy
metadata: { name: p }
spec:
  enabled: false
  target:
    parentContext:
      apiGroup: resourcemanager.miloapis.com
      kind: Organization
      nameExpression: object.metadata.labels["parent-org"]
    resourceGrantTemplate:
      metadata:
        name: "{{.trigger.metadata.name}}-quota"
        generateName: "{{.trigger.spec.type}}-grant-"
        namespace: '{{default "milo-system" .trigger.metadata.namespace}}'
        labels: { tier: premium }
        annotations: { trigger-kind: "{{.trigger.kind}}" }
      spec:
        consumerRef: { apiGroup: resourcemanager.miloapis.com, kind: Project, name: "{{.trigger.metadata.name}}", namespace: "" }
        allowances:
        - { resourceType: iam.miloapis.com/users, buckets: [{ amount: 100 }] }
  trigger:
    resource: { apiVersion: v1, kind: Namespace }
    conditions:
    - { expression: 'object.spec.tier == "premium"', message: premium only }
status:
  observedGeneration: 1
  conditions: [${conditions("Ready", "PolicyReady")}, ${conditions("ParentContextReady", "ParentContextResolved")}]
`,
    );
    expect(policy).toMatchObject({
      enabled: false,
      trigger: { constraintsField: "conditions", constraints: [{ message: "premium only" }] },
      parentContext: { kind: "Organization", nameExpression: 'object.metadata.labels["parent-org"]' },
      template: { metadata: { name: "{{.trigger.metadata.name}}-quota", labels: { tier: "premium" } } },
    });
  });

  it("a claim policy", () => {
    const policy = read(
      parseClaimCreationPolicy,
      `
apiVersion: quota.miloapis.com/v1alpha1
kind: ClaimCreationPolicy
metadata: { name: p }
spec:
  enabled: true
  target:
    resourceClaimTemplate:
      metadata:
        name: "{{.trigger.metadata.name}}-quota-claim"
        annotations: { requested-by: "{{.user.name}}" }
      spec:
        consumerRef: { apiGroup: resourcemanager.miloapis.com, kind: Organization, name: "{{.trigger.spec.organization}}" }
        requests: [{ resourceType: compute_cpu, amount: 1000 }]
        resourceRef: { apiGroup: "", kind: Pod, name: "{{.trigger.metadata.name}}", namespace: "{{.trigger.metadata.namespace}}" }
  trigger:
    resource: { apiVersion: apps/v1, kind: Deployment }
    conditions: [{ expression: 'user.groups.exists(g, g == "admin")' }]
status:
  observedGeneration: 1
  conditions: [${conditions("Ready", "PolicyReady")}]
`,
    );
    expect(policy).toMatchObject({ enabled: true, trigger: { apiVersion: "apps/v1", constraintsField: "conditions" } });
  });
});

describe("manifests with optional features", () => {
  it("dimensions, selectors and an expiry", () => {
    const grant = read(
      parseResourceGrant,
      `
apiVersion: quota.miloapis.com/v1alpha1
kind: ResourceGrant
metadata: { name: g }
spec:
  consumerRef: { kind: Namespace, name: team-a }
  expiresAt: "2027-01-01T00:00:00Z"
  allowances:
  - resourceType: compute.datumapis.com/instances/cpu
    buckets:
    - amount: 100000
      dimensionSelector: { matchExpressions: [{ key: networking.datumapis.com/location, operator: Exists }] }
    - amount: 500000
      dimensionSelector: { matchLabels: { networking.datumapis.com/location: DLS } }
`,
    );
    expect(grant.allowances[0]?.buckets.map((bucket) => bucket.requirements)).toEqual([
      [{ key: "networking.datumapis.com/location", operator: "Exists", values: [] }],
      [{ key: "networking.datumapis.com/location", operator: "In", values: ["DLS"] }],
    ]);
  });

  it("one resource type twice, with different dimensions", () => {
    const claim = read(
      parseResourceClaim,
      `
apiVersion: quota.miloapis.com/v1alpha1
kind: ResourceClaim
metadata: { name: c }
spec:
  consumerRef: { kind: Namespace, name: team-a }
  requests:
  - { resourceType: memory, amount: 68719476736, dimensions: {} }
  - { resourceType: memory, amount: 34359738368, dimensions: { location: DFW, type: d1 } }
`,
    );
    expect(claim.requests.map((request) => request.dimensionKey)).toEqual(["", "location=DFW,type=d1"]);
    expect(claim.resource).toBeUndefined();
  });

  it("a granted claim of an early version, whose allocations follow its requests and name no dimensions", () => {
    const claim = read(
      parseResourceClaim,
      `
apiVersion: quota.miloapis.com/v1alpha1
kind: ResourceClaim
metadata: { name: c }
spec:
  consumerRef: { kind: Namespace, name: team-a }
  requests:
  - { resourceType: memory, amount: 2, dimensions: { location: DFW }, dimensionKey: location=DFW }
  - { resourceType: memory, amount: 3, dimensions: { location: LHR }, dimensionKey: location=LHR }
status:
  allocations:
  - { resourceType: memory, dimensionKey: location=DFW, status: Granted, allocatedAmount: 2, lastTransitionTime: 2026-01-01T00:00:00Z }
  - { resourceType: memory, dimensionKey: location=LHR, status: Granted, allocatedAmount: 1, lastTransitionTime: 2026-01-01T00:00:00Z }
  conditions:
  - { type: Granted, status: "True", reason: QuotaAvailable, message: "", lastTransitionTime: 2026-01-01T00:00:00Z }
`,
    );
    expect(claim.decision).toEqual({
      state: "granted",
      allocations: [
        { resourceType: "memory", dimensionKey: "location=DFW", amount: 2n },
        { resourceType: "memory", dimensionKey: "location=LHR", amount: 1n },
      ],
    });
  });

  it("a policy without a consumer, with an amount expression, in shadow", () => {
    const policy = read(
      parseClaimCreationPolicy,
      `
apiVersion: quota.miloapis.com/v1alpha1
kind: ClaimCreationPolicy
metadata: { name: p }
spec:
  disabled: true
  mode: Shadow
  failurePolicy: Ignore
  existingObjects: Adopt
  trigger: { resource: { apiVersion: v1, kind: PersistentVolumeClaim } }
  target:
    resourceClaimTemplate:
      spec:
        requests:
        - resourceType: storage
          amountExpression: quantity(trigger.spec.resources.requests.storage).asInteger()
          dimensions: { class: "{{ trigger.spec.storageClassName }}" }
`,
    );
    expect(policy).toMatchObject({
      enabled: false,
      mode: "Shadow",
      failurePolicy: "Ignore",
      existingObjects: "Adopt",
      template: {
        consumer: undefined,
        requests: [{ amount: { kind: "expression" }, dimensions: { class: "{{ trigger.spec.storageClassName }}" } }],
      },
    });
  });

  it("an effective grant", () => {
    const total = read(
      parseEffectiveResourceGrant,
      `
apiVersion: quota.miloapis.com/v1alpha1
kind: EffectiveResourceGrant
metadata: { name: t }
spec:
  consumerRef: { kind: Namespace, name: team-a }
  resourceType: compute.datumapis.com/instances/cpu
status:
  totalLimit: 120000
  totalAllocated: 30000
  totalReserved: 0
  available: 90000
  overage: 0
  allowanceBucketRefs:
  - { name: cpu-dfw, observedGeneration: 2, allocated: 8000 }
  - { name: cpu-lhr, observedGeneration: 1, allocated: 22000 }
`,
    );
    expect(total.status.allowanceBucketRefs).toHaveLength(2);
  });

  it("final and pending outcomes of claims", () => {
    const decision = (reason: string): unknown =>
      read(
        parseResourceClaim,
        `
apiVersion: quota.miloapis.com/v1alpha1
kind: ResourceClaim
metadata: { name: c }
spec: { consumerRef: { kind: Namespace, name: a }, requests: [{ resourceType: x, amount: 1 }] }
status: { conditions: [{ type: Granted, status: "False", reason: ${reason}, message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }] }
`,
      ).decision;
    expect(decision("QuotaExceeded")).toEqual({ state: "denied" });
    expect(decision("ValidationFailed")).toEqual({ state: "invalid" });
    expect(decision("PendingEvaluation")).toEqual({ state: "pending" });
  });
});
