import { issueText, type Parsed } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { describe, expect, it } from "vitest";
import { parseAllowanceBucket } from "./allowance-bucket.ts";
import { parseClaimCreationPolicy } from "./claim-creation-policy.ts";
import { parseEffectiveResourceGrant } from "./effective-resource-grant.ts";
import { parseGrantCreationPolicy } from "./grant-creation-policy.ts";
import { parseResourceClaim } from "./resource-claim.ts";
import { parseResourceGrant } from "./resource-grant.ts";
import { parseResourceRegistration } from "./resource-registration.ts";

type Json = Record<string, unknown>;

const absent = Symbol("absent");
const long = (length: number): string => "x".repeat(length);
const times = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, i) => make(i));

const head = (kind: string): Json => ({ apiVersion: "quota.miloapis.com/v1alpha1", kind, metadata: { name: "n" } });
const consumerRef = { apiGroup: "resourcemanager.miloapis.com", kind: "Organization", name: "acme" };
const condition = {
  type: "Active",
  status: "True",
  reason: "RegistrationActive",
  message: "",
  lastTransitionTime: "2026-01-01T00:00:00Z",
};
const trigger = { resource: { apiVersion: "v1", kind: "Pod" }, constraints: [{ expression: "true" }] };

/** The change of a valid object, and all issues that the parser then reports. */
type Case = readonly [path: string, value: unknown, ...issues: string[]];

const type = (path: string, wanted: string, actual: string): string =>
  `${path}: Invalid value: "${actual}": ${path} in body must be of type ${wanted}: "${actual}"`;
const match = (path: string, value: string, pattern: string): string =>
  `${path}: Invalid value: ${JSON.stringify(value)}: ${path} in body should match '${pattern}'`;
const least = (path: string, value: unknown, bound: number): string =>
  `${path}: Invalid value: ${value}: ${path} in body should be greater than or equal to ${bound}`;
const short = (path: string): string => `${path}: Invalid value: "": ${path} in body should be at least 1 chars long`;
const fewer = (path: string): string => `${path}: Invalid value: 0: ${path} in body should have at least 1 items`;

const early = (path: string, use: string): string => `${path}: Forbidden: unknown field; use ${use} instead`;

const groupPattern = "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?$";
const kindPattern = "^[A-Za-z][A-Za-z0-9]*$";
const typePattern = "^[!-~]+$";
const namePattern = "^([^/%.][^/%]*|[.][^/%.][^/%]*|[.][.][^/%]+)$";
const namespacePattern = "^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$";
const valuePattern = "^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$";
const versionPattern =
  "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[a-z0-9]([-a-z0-9]*[a-z0-9])?$";

const suites: Record<string, [parser: (value: unknown) => Parsed<unknown>, fine: Json, cases: readonly Case[]]> = {
  ResourceRegistration: [
    parseResourceRegistration,
    {
      ...head("ResourceRegistration"),
      spec: {
        resourceType: "x/projects",
        type: "Entity",
        baseUnit: "project",
        consumerType: { apiGroup: "resourcemanager.miloapis.com", kind: "Organization" },
        claimingResources: [{ kind: "Project" }],
        dimensions: ["location"],
      },
      status: { conditions: [condition] },
    },
    [
      ["apiVersion", absent, "apiVersion: Required value"],
      [
        "apiVersion",
        "quota.miloapis.com/v1",
        'apiVersion: Invalid value: "quota.miloapis.com/v1": must be quota.miloapis.com/v1alpha1',
      ],
      ["kind", absent, "kind: Required value"],
      ["kind", "ResourceGrant", 'kind: Invalid value: "ResourceGrant": must be ResourceRegistration'],
      [
        "apiGroup",
        "quota.miloapis.com",
        "apiGroup: Forbidden: unknown field; use apiVersion: quota.miloapis.com/v1alpha1 instead",
      ],
      ["metadata", "n", type("metadata", "object", "string")],
      ["metadata.name", 1, type("metadata.name", "string", "integer")],
      ["metadata.labels", { a: 1 }, type("metadata.labels.a", "string", "integer")],
      ["metadata.finalizers", "f", type("metadata.finalizers", "array", "string")],
      [
        "metadata.ownerReferences",
        [{ kind: "K" }],
        ...["apiVersion", "name", "uid"].map((name) => `metadata.ownerReferences[0].${name}: Required value`),
      ],
      ["spec", absent, "spec: Required value"],
      ["spec", [], type("spec", "object", "array")],
      ["spec.resourceType", absent, "spec.resourceType: Required value"],
      ["spec.resourceType", "", short("spec.resourceType")],
      ["spec.resourceType", "with space", match("spec.resourceType", "with space", typePattern)],
      ["spec.resourceType", long(254), "spec.resourceType: Too long: may not be more than 253 bytes"],
      ["spec.resourceType", 7, type("spec.resourceType", "string", "integer")],
      ["spec.type", absent, "spec.type: Required value"],
      [
        "spec.type",
        "Thing",
        'spec.type: Unsupported value: "Thing": supported values: "Entity", "Allocation", "Feature"',
      ],
      [
        "spec.type",
        "Feature",
        "spec.claimingResources: Forbidden: a Feature cannot be claimed: remove claimingResources",
      ],
      ["spec.baseUnit", absent, "spec.baseUnit: Required value"],
      ["spec.baseUnit", "", short("spec.baseUnit")],
      ["spec.baseUnit", long(51), "spec.baseUnit: Too long: may not be more than 50 bytes"],
      ["spec.displayUnit", long(51), "spec.displayUnit: Too long: may not be more than 50 bytes"],
      ["spec.unitConversionFactor", 0, least("spec.unitConversionFactor", 0, 1)],
      [
        "spec.unitConversionFactor",
        0.001,
        type("spec.unitConversionFactor", "integer", "number"),
        least("spec.unitConversionFactor", 0.001, 1),
      ],
      ["spec.unitConversionFactor", 9223372036854775808n, type("spec.unitConversionFactor", "integer", "number")],
      ["spec.description", long(501), "spec.description: Too long: may not be more than 500 bytes"],
      [
        "spec.consumerType",
        absent,
        'spec.consumerType: Invalid value: "object": set exactly one of consumerType and consumerTypeRef, which are aliases (early manifests have ownerRef instead)',
      ],
      [
        "spec.consumerTypeRef",
        { apiGroup: "", kind: "Namespace" },
        'spec.consumerType: Invalid value: "object": set exactly one of consumerType and consumerTypeRef, which are aliases (early manifests have ownerRef instead)',
      ],
      ["spec.consumerType", { apiGroup: "" }, "spec.consumerType.kind: Required value"],
      ["spec.consumerType", { kind: "Namespace" }, "spec.consumerType.apiGroup: Required value"],
      ["spec.consumerType.kind", "", short("spec.consumerType.kind")],
      ["spec.consumerType.kind", long(64), "spec.consumerType.kind: Too long: may not be more than 63 bytes"],
      ["spec.consumerType.kind", "my-kind", match("spec.consumerType.kind", "my-kind", kindPattern)],
      ["spec.consumerType.apiGroup", "Milo.com", match("spec.consumerType.apiGroup", "Milo.com", groupPattern)],
      [
        "spec.claimingResources",
        times(21, () => ({ kind: "K" })),
        "spec.claimingResources: Too many: 21: must have at most 20 items",
      ],
      ["spec.claimingResources", [{}], "spec.claimingResources[0].kind: Required value"],
      ["spec.claimingResources", ["Project"], type("spec.claimingResources[0]", "object", "string")],
      ["spec.claimingResources", [null], type("spec.claimingResources[0]", "object", "null")],
      ["spec.dimensions", ["a", "b", "a"], 'spec.dimensions[2]: Duplicate value: "a"'],
      ["spec.dimensions", times(11, (i) => `d${i}`), "spec.dimensions: Too many: 11: must have at most 10 items"],
      ["spec.dimensions", [1], type("spec.dimensions[0]", "string", "integer")],
      [
        "spec.ownerRef",
        { kind: "Organization" },
        early(
          "spec.ownerRef",
          "consumerType for the kind that uses the quota, and claimingResources for the kinds that claim it",
        ),
      ],
      ["spec.resourceTypeName", "x/projects", early("spec.resourceTypeName", "resourceType")],
      [
        "status.conditions",
        [{ ...condition, status: "Yes" }],
        'status.conditions[0].status: Unsupported value: "Yes": supported values: "True", "False", "Unknown"',
      ],
      [
        "status.conditions",
        [{ ...condition, reason: "Because" }],
        'status.conditions: Invalid value: "array": the reason of condition Active must be one of RegistrationActive, ValidationFailed, RegistrationPending',
      ],
      ["status.conditions", [condition, condition], 'status.conditions[1]: Duplicate value: {"type":"Active"}'],
      [
        "status.conditions",
        [{ ...condition, lastTransitionTime: "now" }],
        'status.conditions[0].lastTransitionTime: Invalid value: "now": status.conditions[0].lastTransitionTime in body must be of type date-time: "now"',
      ],
      [
        "status.conditions",
        [{ type: "Active" }],
        ...["status", "reason", "message", "lastTransitionTime"].map(
          (name) => `status.conditions[0].${name}: Required value`,
        ),
      ],
    ],
  ],
  ResourceGrant: [
    parseResourceGrant,
    {
      ...head("ResourceGrant"),
      spec: {
        consumerRef,
        allowances: [
          {
            resourceType: "x",
            buckets: [
              { amount: 1, dimensionSelector: { matchExpressions: [{ key: "l", operator: "In", values: ["a"] }] } },
            ],
          },
        ],
      },
    },
    [
      ["spec.consumerRef", absent, "spec.consumerRef: Required value"],
      ["spec.consumerRef", {}, "spec.consumerRef.kind: Required value", "spec.consumerRef.name: Required value"],
      ["spec.consumerRef.name", "", short("spec.consumerRef.name")],
      ["spec.consumerRef.name", "a/b", match("spec.consumerRef.name", "a/b", namePattern)],
      ["spec.consumerRef.name", "..", match("spec.consumerRef.name", "..", namePattern)],
      ["spec.consumerRef.name", long(254), "spec.consumerRef.name: Too long: may not be more than 253 bytes"],
      ["spec.consumerRef.namespace", "A", match("spec.consumerRef.namespace", "A", namespacePattern)],
      ["spec.consumerRef.namespace", "a.b", match("spec.consumerRef.namespace", "a.b", namespacePattern)],
      ["spec.consumerRef.apiGroup", "a..b", match("spec.consumerRef.apiGroup", "a..b", groupPattern)],
      ["spec.consumerRef.apiGroup", null],
      ["spec.allowances", absent, "spec.allowances: Required value"],
      ["spec.allowances", [], fewer("spec.allowances")],
      ["spec.allowances", {}, type("spec.allowances", "array", "object")],
      [
        "spec.allowances",
        times(21, () => ({ resourceType: "x", buckets: [{ amount: 1 }] })),
        "spec.allowances: Too many: 21: must have at most 20 items",
      ],
      ["spec.allowances", [{ buckets: [{ amount: 1 }] }], "spec.allowances[0].resourceType: Required value"],
      ["spec.allowances", [{ resourceType: "x" }], "spec.allowances[0].buckets: Required value"],
      ["spec.allowances", [{ resourceType: "x", buckets: [] }], fewer("spec.allowances[0].buckets")],
      [
        "spec.allowances",
        [{ resourceType: "x", buckets: [{}] }],
        "spec.allowances[0].buckets[0].amount: Required value",
      ],
      [
        "spec.allowances",
        [{ resourceType: "x", buckets: times(21, () => ({ amount: 1 })) }],
        "spec.allowances[0].buckets: Too many: 21: must have at most 20 items",
      ],
      ["spec.allowances.0.buckets.0.amount", -1, least("spec.allowances[0].buckets[0].amount", -1, 0)],
      ["spec.allowances.0.buckets.0.amount", "1", type("spec.allowances[0].buckets[0].amount", "integer", "string")],
      ["spec.allowances.0.buckets.0.amount", 1.5, type("spec.allowances[0].buckets[0].amount", "integer", "number")],
      [
        "spec.allowances.0.buckets.0.amount",
        2n ** 63n,
        type("spec.allowances[0].buckets[0].amount", "integer", "number"),
      ],
      [
        "spec.allowances.0.buckets.0.dimensionSelector.matchExpressions.0.operator",
        "Equals",
        'spec.allowances[0].buckets[0].dimensionSelector.matchExpressions[0].operator: Unsupported value: "Equals": supported values: "In", "NotIn", "Exists", "DoesNotExist"',
      ],
      [
        "spec.allowances.0.buckets.0.dimensionSelector.matchExpressions.0.operator",
        "Exists",
        'spec.allowances[0].buckets[0].dimensionSelector.matchExpressions[0].values: Invalid value: "object": In and NotIn need values; Exists and DoesNotExist take none',
      ],
      [
        "spec.allowances.0.buckets.0.dimensionSelector.matchExpressions.0.values",
        absent,
        'spec.allowances[0].buckets[0].dimensionSelector.matchExpressions[0].values: Invalid value: "object": In and NotIn need values; Exists and DoesNotExist take none',
      ],
      [
        "spec.allowances.0.buckets.0.dimensionSelector.matchExpressions.0.key",
        "",
        short("spec.allowances[0].buckets[0].dimensionSelector.matchExpressions[0].key"),
      ],
      [
        "spec.allowances.0.buckets.0.dimensionSelector.matchLabels",
        { l: "a b" },
        match("spec.allowances[0].buckets[0].dimensionSelector.matchLabels.l", "a b", valuePattern),
      ],
      [
        "spec.expiresAt",
        "tomorrow",
        'spec.expiresAt: Invalid value: "tomorrow": spec.expiresAt in body must be of type date-time: "tomorrow"',
      ],
      ["spec.ownerRef", consumerRef, early("spec.ownerRef", "consumerRef")],
      [
        "spec",
        { ownerRef: consumerRef, allowances: [{ resourceTypeName: "x", amount: 1, dimensionSelector: {} }] },
        early("spec.ownerRef", "consumerRef"),
        early("spec.allowances[0].resourceTypeName", "resourceType"),
        early("spec.allowances[0].amount", "buckets[].amount"),
        early("spec.allowances[0].dimensionSelector", "buckets[].dimensionSelector"),
        "spec.allowances[0].resourceType: Required value",
        "spec.allowances[0].buckets: Required value",
        "spec.consumerRef: Required value",
      ],
      [
        "status.conditions",
        [{ ...condition, reason: "GrantActivated" }],
        'status.conditions: Invalid value: "array": the reason of condition Active must be one of GrantActive, ValidationFailed, GrantPending, GrantExpired',
      ],
    ],
  ],
  ResourceClaim: [
    parseResourceClaim,
    {
      ...head("ResourceClaim"),
      spec: { consumerRef, requests: [{ resourceType: "x", amount: 1 }], resourceRef: { kind: "Project", name: "p" } },
    },
    [
      ["spec.consumerRef", absent, "spec.consumerRef: Required value"],
      ["spec.requests", absent, "spec.requests: Required value"],
      ["spec.requests", [], fewer("spec.requests")],
      [
        "spec.requests",
        times(21, (i) => ({ resourceType: `x${i}`, amount: 1 })),
        "spec.requests: Too many: 21: must have at most 20 items",
      ],
      ["spec.requests.0.amount", absent, "spec.requests[0].amount: Required value"],
      ["spec.requests.0.amount", -5, least("spec.requests[0].amount", -5, 0)],
      ["spec.requests.0.amount", true, type("spec.requests[0].amount", "integer", "boolean")],
      [
        "spec.requests.0.amount",
        -(2n ** 63n) - 1n,
        type("spec.requests[0].amount", "integer", "number"),
        least("spec.requests[0].amount", -(2n ** 63n) - 1n, 0),
      ],
      ["spec.requests.0.resourceType", absent, "spec.requests[0].resourceType: Required value"],
      ["spec.requests.0.resourceType", "a\tb", match("spec.requests[0].resourceType", "a\tb", typePattern)],
      [
        "spec.requests.0.dimensions",
        Object.fromEntries(times(11, (i) => [`d${i}`, "v"])),
        "spec.requests[0].dimensions: Too many: 11: must have at most 10 items",
      ],
      ["spec.requests.0.dimensions", { l: 1 }, type("spec.requests[0].dimensions.l", "string", "integer")],
      [
        "spec.requests.0.dimensions",
        { l: long(64) },
        "spec.requests[0].dimensions.l: Too long: may not be more than 63 bytes",
      ],
      ["spec.requests.0.dimensions", { l: "-x" }, match("spec.requests[0].dimensions.l", "-x", valuePattern)],
      [
        "spec.requests",
        [
          { resourceType: "x", amount: 1 },
          { resourceType: "x", amount: 2 },
        ],
        'spec.requests: Invalid value: "array": a resourceType can be requested only once for each set of dimensions',
      ],
      [
        "spec.requests",
        [
          { resourceType: "x", amount: 1, dimensions: { l: "a" } },
          { resourceType: "x", amount: 2, dimensions: { l: "a" } },
        ],
        'spec.requests: Invalid value: "array": a resourceType can be requested only once for each set of dimensions',
      ],
      ["spec.requests.0.resourceTypeName", "x", early("spec.requests[0].resourceTypeName", "resourceType")],
      ["spec.ownerRef", {}, early("spec.ownerRef", "consumerRef")],
      ["spec.resourceRef", { kind: "Project" }, "spec.resourceRef.name: Required value"],
      ["spec.resourceRef.kind", "a b", match("spec.resourceRef.kind", "a b", kindPattern)],
      ["spec.resourceRef.namespace", "-", match("spec.resourceRef.namespace", "-", namespacePattern)],
      [
        "status.allocations",
        [{ resourceType: "x", status: "Maybe", lastTransitionTime: "2026-01-01T00:00:00Z" }],
        'status.allocations[0].status: Unsupported value: "Maybe": supported values: "Granted", "Denied", "Pending"',
      ],
      [
        "status.allocations",
        [{ resourceType: "x" }],
        "status.allocations[0].status: Required value",
        "status.allocations[0].lastTransitionTime: Required value",
      ],
      [
        "status.conditions",
        [{ ...condition, type: "Granted" }],
        'status.conditions: Invalid value: "array": the reason of condition Granted must be one of QuotaAvailable, QuotaExceeded, ValidationFailed, PendingEvaluation',
      ],
    ],
  ],
  AllowanceBucket: [
    parseAllowanceBucket,
    {
      ...head("AllowanceBucket"),
      spec: { consumerRef, resourceType: "x" },
      status: { limit: 1, allocated: 0, available: 1, claimCount: 0, grantCount: 1 },
    },
    [
      ["spec.consumerRef", absent, "spec.consumerRef: Required value"],
      ["spec.resourceType", absent, "spec.resourceType: Required value"],
      ["spec.resourceTypeName", "x", early("spec.resourceTypeName", "resourceType")],
      ["spec.dimensions", { l: "a/b" }, match("spec.dimensions.l", "a/b", valuePattern)],
      [
        "status",
        {},
        ...["limit", "allocated", "available", "claimCount", "grantCount"].map(
          (name) => `status.${name}: Required value`,
        ),
      ],
      ["status.limit", -1, least("status.limit", -1, 0)],
      ["status.available", -1, least("status.available", -1, 0)],
      [
        "status.claimCount",
        2147483648,
        "status.claimCount: Invalid value: 2147483648: status.claimCount in body should be less than or equal to 2147483647",
      ],
      [
        "status.reservations",
        [{ amount: 1 }],
        "status.reservations[0].reservedBy: Required value",
        "status.reservations[0].set: Required value",
      ],
      [
        "status.reservations",
        times(129, () => ({ reservedBy: { uid: "u" }, amount: 1, set: "s" })),
        "status.reservations: Too many: 129: must have at most 128 items",
      ],
      [
        "status.reservations",
        [{ reservedBy: {}, amount: 1, set: "s" }],
        "status.reservations[0].reservedBy.uid: Required value",
      ],
      [
        "status.contributingGrantRefs",
        [{ name: "g" }],
        "status.contributingGrantRefs[0].amount: Required value",
        "status.contributingGrantRefs[0].lastObservedGeneration: Required value",
      ],
      [
        "status.contributingGrantRefs",
        times(51, (i) => ({ name: `g${i}`, amount: 1, lastObservedGeneration: 1 })),
        "status.contributingGrantRefs: Too many: 51: must have at most 50 items",
      ],
      ["status.lastReconciliation", 0, type("status.lastReconciliation", "date-time", "int64")],
    ],
  ],
  EffectiveResourceGrant: [
    parseEffectiveResourceGrant,
    { ...head("EffectiveResourceGrant"), spec: { consumerRef, resourceType: "x" } },
    [
      ["spec", {}, "spec.consumerRef: Required value", "spec.resourceType: Required value"],
      ["spec.resourceTypeName", "x", early("spec.resourceTypeName", "resourceType")],
      ["status.totalLimit", "10", type("status.totalLimit", "integer", "string")],
      ["status.allowanceBucketRefs", [{}], "status.allowanceBucketRefs[0].name: Required value"],
    ],
  ],
  GrantCreationPolicy: [
    parseGrantCreationPolicy,
    {
      ...head("GrantCreationPolicy"),
      spec: {
        trigger,
        target: {
          parentContext: {
            apiGroup: "resourcemanager.miloapis.com",
            kind: "Organization",
            nameExpression: "trigger.metadata.name",
          },
          resourceGrantTemplate: {
            spec: {
              consumerRef: { kind: "Namespace", name: "{{ trigger.metadata.name }}" },
              allowances: [{ resourceType: "x", buckets: [{ amount: 1 }] }],
            },
          },
        },
      },
    },
    [
      ["spec.trigger", absent, "spec.trigger: Required value"],
      ["spec.target", absent, "spec.target: Required value"],
      ["spec.target.resourceGrantTemplate", absent, "spec.target.resourceGrantTemplate: Required value"],
      [
        "spec.target.resourceGrantTemplate.spec",
        {},
        "spec.target.resourceGrantTemplate.spec.consumerRef: Required value",
        "spec.target.resourceGrantTemplate.spec.allowances: Required value",
      ],
      [
        "spec.target.resourceGrantTemplate.spec.allowances.0.buckets.0",
        {},
        'spec.target.resourceGrantTemplate.spec.allowances[0].buckets[0].amount: Invalid value: "object": set exactly one of amount and amountExpression',
      ],
      [
        "spec.target.resourceGrantTemplate.metadata",
        { labels: { a: "b c" } },
        match("spec.target.resourceGrantTemplate.metadata.labels.a", "b c", valuePattern),
      ],
      [
        "spec.target.resourceGrantTemplate.metadata",
        { name: long(1025) },
        "spec.target.resourceGrantTemplate.metadata.name: Too long: may not be more than 1024 bytes",
      ],
      ["spec.target.parentContext.apiGroup", absent, "spec.target.parentContext.apiGroup: Required value"],
      ["spec.target.parentContext.apiGroup", "", short("spec.target.parentContext.apiGroup")],
      [
        "spec.target.parentContext.kind",
        long(64),
        "spec.target.parentContext.kind: Too long: may not be more than 63 bytes",
      ],
      [
        "spec.target.parentContext.nameExpression",
        long(513),
        "spec.target.parentContext.nameExpression: Too long: may not be more than 512 bytes",
      ],
      [
        "status.conditions",
        [{ ...condition, type: "ParentContextReady", reason: "Fine" }],
        'status.conditions: Invalid value: "array": the reason of condition ParentContextReady must be one of ParentContextResolved, ParentContextUnresolved, ParentContextNotRequired',
      ],
    ],
  ],
  ClaimCreationPolicy: [
    parseClaimCreationPolicy,
    {
      ...head("ClaimCreationPolicy"),
      spec: { trigger, target: { resourceClaimTemplate: { spec: { requests: [{ resourceType: "x", amount: 1 }] } } } },
    },
    [
      ["spec.enabled", "true", type("spec.enabled", "boolean", "string")],
      [
        "spec",
        {
          disabled: false,
          enabled: true,
          trigger,
          target: { resourceClaimTemplate: { spec: { requests: [{ resourceType: "x", amount: 1 }] } } },
        },
        "spec.enabled: Forbidden: set only one of disabled and enabled, which are aliases",
      ],
      ["spec.mode", "Dream", 'spec.mode: Unsupported value: "Dream": supported values: "Enforce", "Shadow"'],
      [
        "spec.failurePolicy",
        "Retry",
        'spec.failurePolicy: Unsupported value: "Retry": supported values: "Fail", "Ignore"',
      ],
      [
        "spec.existingObjects",
        "Keep",
        'spec.existingObjects: Unsupported value: "Keep": supported values: "Ignore", "Adopt"',
      ],
      ["spec.trigger.resource", absent, "spec.trigger.resource: Required value"],
      [
        "spec.trigger.resource",
        {},
        "spec.trigger.resource.apiVersion: Required value",
        "spec.trigger.resource.kind: Required value",
      ],
      ["spec.trigger.resource.apiVersion", "a/b/c", match("spec.trigger.resource.apiVersion", "a/b/c", versionPattern)],
      [
        "spec.trigger.resource.apiVersion",
        "apps/V1",
        match("spec.trigger.resource.apiVersion", "apps/V1", versionPattern),
      ],
      [
        "spec.trigger.conditions",
        [{ expression: "true" }],
        "spec.trigger.conditions: Forbidden: set only one of constraints and conditions, which are aliases",
      ],
      [
        "spec.trigger.constraints",
        times(11, () => ({ expression: "true" })),
        "spec.trigger.constraints: Too many: 11: must have at most 10 items",
      ],
      ["spec.trigger.constraints", [{}], "spec.trigger.constraints[0].expression: Required value"],
      ["spec.trigger.constraints", [{ expression: "" }], short("spec.trigger.constraints[0].expression")],
      [
        "spec.trigger.constraints",
        [{ expression: long(1025) }],
        "spec.trigger.constraints[0].expression: Too long: may not be more than 1024 bytes",
      ],
      [
        "spec.trigger.constraints",
        [{ expression: "true", message: long(257) }],
        "spec.trigger.constraints[0].message: Too long: may not be more than 256 bytes",
      ],
      ["spec.target.resourceClaimTemplate", absent, "spec.target.resourceClaimTemplate: Required value"],
      ["spec.target.resourceClaimTemplate.spec.requests", [], fewer("spec.target.resourceClaimTemplate.spec.requests")],
      [
        "spec.target.resourceClaimTemplate.spec.requests.0",
        { resourceType: "x", amount: 1, amountExpression: "1" },
        'spec.target.resourceClaimTemplate.spec.requests[0].amount: Invalid value: "object": set exactly one of amount and amountExpression',
      ],
      [
        "spec.target.resourceClaimTemplate.spec.requests.0",
        { amount: 1 },
        "spec.target.resourceClaimTemplate.spec.requests[0].resourceType: Required value",
      ],
      [
        "spec.target.resourceClaimTemplate.spec.requests.0.amount",
        -1,
        least("spec.target.resourceClaimTemplate.spec.requests[0].amount", -1, 0),
      ],
      [
        "spec.target.resourceClaimTemplate.spec.consumerRef",
        { kind: "Organization" },
        "spec.target.resourceClaimTemplate.spec.consumerRef.name: Required value",
      ],
      [
        "spec.target.resourceClaimTemplate.spec.consumerRef",
        { kind: "Organization", name: "" },
        short("spec.target.resourceClaimTemplate.spec.consumerRef.name"),
      ],
      [
        "spec.target.resourceClaimTemplate.metadata",
        { annotations: { a: 1 } },
        type("spec.target.resourceClaimTemplate.metadata.annotations.a", "string", "integer"),
      ],
      [
        "status.conditions",
        [{ ...condition, type: "Ready", reason: "Fine" }],
        'status.conditions: Invalid value: "array": the reason of condition Ready must be one of PolicyReady, ValidationFailed, PolicyDisabled',
      ],
    ],
  ],
};

function changed(value: unknown, path: readonly string[], to: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return to;
  if (Array.isArray(value))
    return value.map((item, index) => (String(index) === step ? changed(item, rest, to) : item));
  const copy = { ...(value as Json) };
  const next = changed(copy[step], rest, to);
  if (next === absent) delete copy[step];
  else copy[step] = next;
  return copy;
}

describe.each(Object.entries(suites))("%s", (_kind, [parser, fine, cases]) => {
  const issuesOf = (value: unknown): string[] => {
    const parsed = parser(value);
    return parsed.ok ? [] : parsed.issues.map(issueText);
  };

  it("accepts the sample", () => expect(issuesOf(fine)).toEqual([]));

  for (const [path, value, ...issues] of cases) {
    const shown =
      value === absent
        ? "left out"
        : String(JSON.stringify(value, (_, v) => (typeof v === "bigint" ? `${v}` : v))).slice(0, 60);
    it(`${path} ${shown}`, () => expect(issuesOf(changed(fine, path.split("."), value))).toEqual(issues));
  }
});

describe("a value that is not an object", () => {
  it.each([
    ["null", null],
    ["array", []],
    ["string", "x"],
    ["integer", 3],
  ])("%s", (name, value) => {
    const parsed = parseResourceClaim(value);
    expect(parsed.ok ? [] : parsed.issues.map(issueText)).toEqual([
      `: Invalid value: "${name}": must be of type object: "${name}"`,
    ]);
  });
});

it("covers at least 120 cases", () => {
  const count = Object.values(suites).flatMap(([, , cases]) => cases.filter((each) => each.length > 2)).length;
  expect(count).toBeGreaterThanOrEqual(120);
});
