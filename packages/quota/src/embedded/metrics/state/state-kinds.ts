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
    help: "The version of its spec that its status is about.",
    path: ["status", "observedGeneration"],
    as: "number",
  },
  {
    suffix: "current_generation",
    help: "The version of its spec.",
    path: ["metadata", "generation"],
    as: "number",
  },
];

const enabled: StateFigure = {
  suffix: "enabled",
  help: "1 for a policy that is switched on, 0 for one that is switched off.",
  path: ["status", "enabled"],
  as: "switch",
};

const consumer = {
  consumer_api_group: [["spec", "consumerRef", "apiGroup"]],
  consumer_kind: [["spec", "consumerRef", "kind"]],
  consumer_name: [["spec", "consumerRef", "name"]],
} satisfies StateKind["info"];

/** The status says it whichever way the spec spells it, but not from the first moment on. */
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
  info: consumer,
  hasConditions: false,
  figures: [
    amount("limit", "What all Active grants give, in base units."),
    amount("allocated", "What granted claims hold, in base units."),
    amount("available", "What one more claim could get, in base units: neither allocated nor promised. Never below 0."),
    amount("claim_count", "How many granted claims hold from a bucket.", "claimCount"),
    amount("grant_count", "How many Active grants give to a bucket.", "grantCount"),
    {
      suffix: "last_reconciliation_timestamp",
      help: "When the figures of a bucket last changed, in seconds since 1970. Nothing is written while they stay: for how current they are, see milo_quota_bucket_freshness_seconds.",
      path: ["status", "lastReconciliation"],
      as: "time",
    },
    ...generations,
  ],
};

export const stateKinds: readonly StateKind[] = [registrations, claimPolicies, grantPolicies, grants, claims, buckets];
