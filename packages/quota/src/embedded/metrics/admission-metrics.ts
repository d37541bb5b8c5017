import type { AdmissionObserver } from "../../admission/admission-observer.ts";
import type { Enforcement } from "../../core/resources/enforcement.ts";
import type { MetricTable } from "../../telemetry/metric-declaration.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import type { Views } from "../../views/views.ts";

export const admissionMetrics = {
  results: {
    name: "milo_quota_admission_result_total",
    type: "counter",
    labels: ["result", "policy_name", "policy_namespace", "resource_group", "resource_kind"],
    help: "Results of claim policies for created and updated objects: granted; denied; policy_disabled; withdrawn (granted, but another policy rejected the request); undecided (no decision in time); misconfigured; exists (an object of the name exists); ignored (admitted without a decision because of failurePolicy: Ignore); shadow_granted and shadow_denied (policies in Shadow mode). Dry runs are not counted. policy_namespace is always empty.",
  },
  missingKeys: {
    name: "milo_quota_policy_missing_keys_total",
    type: "counter",
    labels: ["policy_name"],
    help: "Conditions that were false because they read a missing field or key.",
  },
  enforcement: {
    name: "milo_quota_enforcement",
    type: "gauge",
    labels: ["mode"],
    help: "1 for the enforcement mode of the system: Enforce, Shadow or Off.",
  },
} as const satisfies MetricTable;

export const policyMetrics = {
  events: {
    name: "milo_quota_policy_informer_events_total",
    type: "counter",
    labels: ["type"],
    help: "Informer events of claim policies, by type (add, update, delete, unknown).",
  },
  loads: {
    name: "milo_quota_policy_load_total",
    type: "counter",
    help: "How often a claim policy was loaded and compiled.",
  },
  active: { name: "milo_quota_policies_active", type: "gauge", help: "Claim policies in effect." },
} as const satisfies MetricTable;

export function measureAdmission(metrics: Metrics): AdmissionObserver {
  const results = metrics.counter(admissionMetrics.results);
  const missingKeys = metrics.counter(admissionMetrics.missingKeys);
  return {
    onDecided: ({ metadata }, { kind, dryRun }, result) => {
      if (dryRun) return;
      results.inc({
        result,
        policy_name: metadata.name ?? "",
        policy_namespace: "",
        resource_group: kind.group,
        resource_kind: kind.kind,
      });
    },
    onMissingKey: ({ metadata }) => missingKeys.inc({ policy_name: metadata.name ?? "" }),
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
    onAdd: () => loaded("add"),
    onUpdate: () => loaded("update"),
    onDelete: () => events.inc({ type: "delete" }),
  });
}

export function measurePolicyCount(metrics: Metrics, active: () => number): void {
  metrics.read(policyMetrics.active, active);
}
