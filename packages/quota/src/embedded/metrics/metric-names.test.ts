import { describe, expect, it } from "vitest";
import { metricSections } from "./all-metrics.ts";

const declared = new Map(metricSections.flatMap(({ metrics }) => metrics.map((metric) => [metric.name, metric])));

const admission = "milo_quota_admission";

/** Existing dashboards and alerts rely on these names, labels and buckets. */
const implementation: Record<string, [type: string, labels: readonly string[], buckets?: readonly number[]]> = {
  [`${admission}_result_total`]: [
    "counter",
    ["result", "policy_name", "policy_namespace", "resource_group", "resource_kind"],
  ],
  [`${admission}_watch_managers_created_total`]: ["counter", []],
  [`${admission}_watch_managers_stopped_total`]: ["counter", []],
  [`${admission}_watch_managers_active`]: ["gauge", []],
  [`${admission}_watch_streams_desired`]: ["gauge", []],
  [`${admission}_watch_streams_connected`]: ["gauge", []],
  [`${admission}_watch_restarts_total`]: ["counter", ["status_code"]],
  [`${admission}_watch_restart_duration_seconds`]: ["histogram", [], [0.001, 0.01, 0.1, 0.5, 1, 2, 5, 10, 30, 60]],
  [`${admission}_watch_stream_lifetime_seconds`]: [
    "histogram",
    ["reason"],
    [1, 10, 30, 60, 300, 600, 1800, 3600, 7200, 14400, 28800, 86400],
  ],
  [`${admission}_watch_stream_max_uptime_seconds`]: ["gauge", []],
  [`${admission}_watch_bookmark_max_age_seconds`]: ["gauge", []],
  [`${admission}_watch_events_received_total`]: ["counter", ["event_type"]],
  [`${admission}_watch_events_processed_total`]: ["counter", ["result"]],
  [`${admission}_waiter_registrations_total`]: ["counter", []],
  [`${admission}_waiter_completions_total`]: ["counter", ["result"]],
  [`${admission}_waiters_current`]: ["gauge", []],
  [`${admission}_waiter_duration_seconds`]: [
    "histogram",
    ["result"],
    [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 30, 60],
  ],
  [`${admission}_ttl_resets_total`]: ["counter", []],
  [`${admission}_ttl_expirations_total`]: ["counter", []],
  milo_quota_policy_informer_events_total: ["counter", ["type"]],
  milo_quota_policy_load_total: ["counter", []],
  milo_quota_policies_active: ["gauge", []],
};

describe("operational metrics", () => {
  it.each(Object.entries(implementation))(
    "include %s with its documented labels and buckets",
    (name, [type, labels, buckets]) => {
      const metric = declared.get(name);
      expect([metric?.type, metric?.labels ?? [], metric?.buckets]).toEqual([type, labels, buckets]);
    },
  );
});

const consumer = ["consumer_api_group", "consumer_kind", "consumer_name"];
const triggering = ["api_group", "kind", "name", "namespace"].map((part) => `triggering_resource_${part}`);
const units = ["base_unit", "display_unit", "unit_conversion_factor"];
const condition = ["type", "status"];

const state: Record<string, readonly string[]> = {
  registration_info: [
    "uid",
    "name",
    "description",
    "consumer_api_group",
    "consumer_kind",
    "resource_type",
    "registration_type",
    ...units,
  ],
  registration_status_condition: condition,
  registration_observed_generation: [],
  registration_current_generation: [],
  claim_policy_info: ["uid", "name", "target_api_version", "target_kind", "enabled"],
  claim_policy_status_condition: condition,
  claim_policy_enabled: [],
  claim_policy_observed_generation: [],
  claim_policy_current_generation: [],
  grant_policy_info: [
    "uid",
    "name",
    "trigger_api_version",
    "trigger_kind",
    "parent_context_api_group",
    "parent_context_kind",
    "enabled",
  ],
  grant_policy_status_condition: condition,
  grant_policy_enabled: [],
  grant_policy_observed_generation: [],
  grant_policy_current_generation: [],
  grant_info: ["uid", "name", "namespace", ...consumer],
  grant_status_condition: condition,
  grant_observed_generation: [],
  grant_current_generation: [],
  claim_info: ["uid", "name", "namespace", ...consumer, ...triggering],
  claim_status_condition: condition,
  claim_observed_generation: [],
  claim_current_generation: [],
  bucket_info: ["uid", "name", "namespace", ...consumer, "resource_type"],
  bucket_limit: [],
  bucket_allocated: [],
  bucket_available: [],
  bucket_claim_count: [],
  bucket_grant_count: [],
  bucket_last_reconciliation_timestamp: [],
  bucket_observed_generation: [],
  bucket_current_generation: [],
};

describe("metrics of objects", () => {
  it.each(Object.entries(state))("include milo_quota_%s with its documented labels", (name, labels) => {
    const metric = declared.get(`milo_quota_${name}`);
    expect(metric?.type).toBe("gauge");
    expect(metric?.labels).toEqual(expect.arrayContaining([...labels, "component", "resource_type"]));
    const added = ["uid", "name", "namespace", "component", "resource_type", "control_plane", "dimensions", "reason"];
    const others = metric?.labels?.filter((label) => !labels.includes(label) && !added.includes(label));
    expect(others).toEqual([]);
  });
});
