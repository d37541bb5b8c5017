import type { MetricTable } from "../../telemetry/metric-declaration.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import type { DecisionObserver } from "../writer/writer-deps.ts";

export const decisionMetrics = {
  decisions: {
    name: "milo_quota_claim_decisions_total",
    type: "counter",
    labels: ["result"],
    help: "Decided claims by result (granted, denied).",
  },
  batches: {
    name: "milo_quota_decision_batch_size",
    type: "histogram",
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
    help: "Claims of one consumer that were decided together, with one write for each bucket.",
  },
  writes: {
    name: "milo_quota_bucket_writes_total",
    type: "counter",
    labels: ["result"],
    help: "Bucket writes by result: written, or overtaken by the write of another client.",
  },
  recounts: {
    name: "milo_quota_bucket_recounts_total",
    type: "counter",
    help: "Recounts: the buckets of a consumer were read and its claims counted again.",
  },
  driftChecks: {
    name: "milo_quota_audits_total",
    type: "counter",
    help: "Drift checks: all claims were added up from scratch and compared with the ledgers.",
  },
  drift: {
    name: "milo_quota_drift",
    type: "gauge",
    labels: ["resource_type"],
    help: "Difference between ledger and claims in the last drift check, in base units. It has been repaired; expected to be absent.",
  },
  forced: {
    name: "milo_quota_forced_claims_total",
    type: "counter",
    labels: ["reason"],
    help: "Claims granted without checking the limit, for objects that already exist: older than the policy (adopted), stored without a claim (repaired), or larger than their claims (grown).",
  },
} as const satisfies MetricTable;

export function measureDecisions(metrics: Metrics): DecisionObserver {
  const decisions = metrics.counter(decisionMetrics.decisions);
  const batches = metrics.histogram(decisionMetrics.batches);
  const writes = metrics.counter(decisionMetrics.writes);
  const recounts = metrics.counter(decisionMetrics.recounts);
  const driftChecks = metrics.counter(decisionMetrics.driftChecks);
  const drift = metrics.gauge(decisionMetrics.drift);
  const forced = metrics.counter(decisionMetrics.forced);
  // Exported as 0 from the start, so that the first event shows as an increase.
  for (const result of ["granted", "denied"]) decisions.inc({ result }, 0);
  for (const result of ["written", "overtaken"]) writes.inc({ result }, 0);
  for (const reason of ["adopted", "repaired", "grown"]) forced.inc({ reason }, 0);
  return {
    onDecided: (_, result) => decisions.inc({ result }),
    onBatch: (claims) => batches.observe(claims),
    onBucketWrite: (result) => writes.inc({ result }),
    onRecount: () => recounts.inc(),
    onDriftCheck: () => {
      driftChecks.inc();
      drift.reset();
    },
    onDrift: (resource_type, by) => drift.inc({ resource_type }, Number(by)),
    onForced: (reason) => forced.inc({ reason }),
  };
}
