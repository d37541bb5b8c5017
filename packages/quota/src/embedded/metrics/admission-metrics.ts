import type { AdmissionListener } from "../../admission/admission-listener.ts";
import type { Enforcement } from "../../core/resources/enforcement.ts";
import type { MetricTable } from "../../telemetry/metric-declaration.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import type { Views } from "../../views/views.ts";

export const admissionMetrics = {
  results: {
    name: "milo_quota_admission_result_total",
    type: "counter",
    labels: ["result", "policy_name", "policy_namespace", "resource_group", "resource_kind"],
    help: "What policies came to for objects being created or changed: granted, denied, policy_disabled; withdrawn (there was enough, but another policy refused), undecided (nobody could decide in time), misconfigured, exists (there is an object of the name), ignored (let in undecided, as the policy says), shadow_granted and shadow_denied (the policy only watches). Dry runs are not counted. Policies are in no namespace.",
  },
  missingKeys: {
    name: "milo_quota_policy_missing_keys_total",
    type: "counter",
    labels: ["policy_name"],
    help: "Conditions that asked for a field or key which was not there, and so did not hold.",
  },
  enforcement: {
    name: "milo_quota_enforcement",
    type: "gauge",
    labels: ["mode"],
    help: "1 for the way in which quota is enforced as a whole: Enforce, Shadow or Off.",
  },
} as const satisfies MetricTable;

export const policyMetrics = {
  events: {
    name: "milo_quota_policy_informer_events_total",
    type: "counter",
    labels: ["type"],
    help: "Events about claim policies, by type (add, update, delete, unknown).",
  },
  loads: {
    name: "milo_quota_policy_load_total",
    type: "counter",
    help: "How often a claim policy was taken in, compiled and judged.",
  },
  active: { name: "milo_quota_policies_active", type: "gauge", help: "Claim policies at work." },
} as const satisfies MetricTable;

export function measureAdmission(metrics: Metrics): AdmissionListener {
  const results = metrics.counter(admissionMetrics.results);
  const missingKeys = metrics.counter(admissionMetrics.missingKeys);
  return {
    decided: ({ metadata }, { kind, dryRun }, result) => {
      if (dryRun) return;
      results.inc({
        result,
        policy_name: metadata.name ?? "",
        policy_namespace: "",
        resource_group: kind.group,
        resource_kind: kind.kind,
      });
    },
    missingKey: ({ metadata }) => missingKeys.inc({ policy_name: metadata.name ?? "" }),
  };
}

export function measureEnforcement(metrics: Metrics, enforcement: () => Enforcement): void {
  metrics.readEach(admissionMetrics.enforcement, (set) => set({ mode: enforcement() }, 1));
}

export function measurePolicies(metrics: Metrics, policies: Pick<Views["claimPolicies"], "subscribe">): void {
  const events = metrics.counter(policyMetrics.events);
  const loads = metrics.counter(policyMetrics.loads);
  const loaded = (type: "add" | "update"): void => {
    events.inc({ type });
    loads.inc();
  };
  policies.subscribe({
    added: () => loaded("add"),
    changed: () => loaded("update"),
    removed: () => events.inc({ type: "delete" }),
  });
}

export function measurePolicyCount(metrics: Metrics, active: () => number): void {
  metrics.read(policyMetrics.active, active);
}
