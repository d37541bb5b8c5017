import {
  bucketsType,
  claimPoliciesType,
  claimsType,
  grantPoliciesType,
  grantsType,
  registrationsType,
} from "../../../views/quota-types.ts";
import type { Path, StateFigure, StateKind } from "./state-kind.ts";

const generations: readonly StateFigure[] = [
  {
    suffix: "observed_generation",
    help: "Generation of the spec that the status reflects.",
    path: ["status", "observedGeneration"],
    as: "number",
  },
  {
    suffix: "current_generation",
    help: "Generation of the spec.",
    path: ["metadata", "generation"],
    as: "number",
  },
];

const enabled: StateFigure = {
  suffix: "enabled",
  help: "1 for an enabled policy, 0 for a disabled one.",
  path: ["status", "enabled"],
  as: "switch",
};

const consumer = {
  consumer_api_group: [["spec", "consumerRef", "apiGroup"]],
  consumer_kind: [["spec", "consumerRef", "kind"]],
  consumer_name: [["spec", "consumerRef", "name"]],
} satisfies StateKind["info"];

/** The status has it for both aliases of the spec, but only after the first reconcile. */
function consumerType(part: string): readonly Path[] {
  return ["status.consumerType", "spec.consumerType", "spec.consumerTypeRef"].map((path) => [...path.split("."), part]);
}

function amount(suffix: string, help: string, field: string = suffix): StateFigure {
  return { suffix, help, path: ["status", field], as: "number" };
}

const registrations: StateKind = {
  type: registrationsType,
  reach: "root",
  prefix: "milo_quota_registration",
  noun: "registration",
  resourceType: ["spec", "resourceType"],
  info: {
    description: [["spec", "description"]],
    consumer_api_group: consumerType("apiGroup"),
    consumer_kind: consumerType("kind"),
    registration_type: [["spec", "type"]],
    base_unit: [["spec", "baseUnit"]],
    display_unit: [
      ["spec", "displayUnit"],
      ["spec", "baseUnit"],
    ],
    unit_conversion_factor: [["spec", "unitConversionFactor"], "1"],
  },
  hasConditions: true,
  figures: generations,
};

const claimPolicies: StateKind = {
  type: claimPoliciesType,
  reach: "everywhere",
  prefix: "milo_quota_claim_policy",
  noun: "claim policy",
  info: {
    target_api_version: [["spec", "trigger", "resource", "apiVersion"]],
    target_kind: [["spec", "trigger", "resource", "kind"]],
    enabled: [["status", "enabled"]],
  },
  hasConditions: true,
  figures: [enabled, ...generations],
};

const grantPolicies: StateKind = {
  type: grantPoliciesType,
  reach: "everywhere",
  prefix: "milo_quota_grant_policy",
  noun: "grant policy",
  info: {
    trigger_api_version: [["spec", "trigger", "resource", "apiVersion"]],
    trigger_kind: [["spec", "trigger", "resource", "kind"]],
    parent_context_api_group: [["spec", "target", "parentContext", "apiGroup"]],
    parent_context_kind: [["spec", "target", "parentContext", "kind"]],
    enabled: [["status", "enabled"]],
  },
  hasConditions: true,
  figures: [enabled, ...generations],
};

const grants: StateKind = {
  type: grantsType,
  reach: "everywhere",
  prefix: "milo_quota_grant",
  noun: "grant",
  info: consumer,
  hasConditions: true,
  figures: generations,
};

const claims: StateKind = {
  type: claimsType,
  reach: "everywhere",
  prefix: "milo_quota_claim",
  noun: "claim",
  info: {
    ...consumer,
    triggering_resource_api_group: [["spec", "resourceRef", "apiGroup"]],
    triggering_resource_kind: [["spec", "resourceRef", "kind"]],
    triggering_resource_name: [["spec", "resourceRef", "name"]],
    triggering_resource_namespace: [["spec", "resourceRef", "namespace"]],
  },
  hasConditions: true,
  figures: generations,
};

const buckets: StateKind = {
  type: bucketsType,
  reach: "everywhere",
  prefix: "milo_quota_bucket",
  noun: "bucket",
  resourceType: ["spec", "resourceType"],
  dimensions: ["spec", "dimensions"],
  info: consumer,
  hasConditions: false,
  figures: [
    amount("limit", "Sum of all Active grants, in base units."),
    amount("allocated", "Amount held by granted claims, in base units."),
    amount("available", "Amount that is neither allocated nor reserved, in base units. Never below 0."),
    amount("claim_count", "Number of granted claims that draw from a bucket.", "claimCount"),
    amount("grant_count", "Number of Active grants that contribute to a bucket.", "grantCount"),
    {
      suffix: "last_reconciliation_timestamp",
      help: "Time of the last change of a bucket's figures, in seconds since 1970. Unchanged figures are not written again: see milo_quota_bucket_freshness_seconds for how current they are.",
      path: ["status", "lastReconciliation"],
      as: "time",
    },
    ...generations,
  ],
};

export const stateKinds: readonly StateKind[] = [registrations, claimPolicies, grantPolicies, grants, claims, buckets];
