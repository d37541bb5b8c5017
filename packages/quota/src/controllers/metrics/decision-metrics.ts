import type { MetricTable } from "../../telemetry/metric-declaration.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import type { DecisionListener } from "../writer/writer-deps.ts";

export const decisionMetrics = {
  decisions: {
    name: "milo_quota_claim_decisions_total",
    type: "counter",
    labels: ["result"],
    help: "Claims that were decided, by result (granted, denied).",
  },
  batches: {
    name: "milo_quota_decision_batch_size",
    type: "histogram",
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
    help: "How many claims of one consumer were decided together, with one write for each bucket.",
  },
  writes: {
    name: "milo_quota_bucket_writes_total",
    type: "counter",
    labels: ["result"],
    help: "Writes of buckets, by result: written, or overtaken by somebody else's write.",
  },
  recounts: {
    name: "milo_quota_bucket_recounts_total",
    type: "counter",
    help: "How often the buckets of a consumer were read and its claims counted anew.",
  },
  audits: {
    name: "milo_quota_audits_total",
    type: "counter",
    help: "How often all claims were added up from scratch, to be compared with what was kept count of.",
  },
  drift: {
    name: "milo_quota_drift",
    type: "gauge",
    labels: ["resource_type"],
    help: "By how much counts were wrong in the last audit, in base units. They were put right; there should be none.",
  },
  forced: {
    name: "milo_quota_forced_claims_total",
    type: "counter",
    labels: ["reason"],
    help: "Claims that were granted whatever the limit, for objects that are there: older than the policy (adopted), stored past it (repaired), or grown past it (grown).",
  },
} as const satisfies MetricTable;

export function measureDecisions(metrics: Metrics): DecisionListener {
  const decisions = metrics.counter(decisionMetrics.decisions);
  const batches = metrics.histogram(decisionMetrics.batches);
  const writes = metrics.counter(decisionMetrics.writes);
  const recounts = metrics.counter(decisionMetrics.recounts);
  const audits = metrics.counter(decisionMetrics.audits);
  const drift = metrics.gauge(decisionMetrics.drift);
  const forced = metrics.counter(decisionMetrics.forced);
  // Seen before anything happens, so that the first time shows as an increase.
  for (const result of ["granted", "denied"]) decisions.inc({ result }, 0);
  for (const result of ["written", "overtaken"]) writes.inc({ result }, 0);
  for (const reason of ["adopted", "repaired", "grown"]) forced.inc({ reason }, 0);
  return {
    decided: (_, result) => decisions.inc({ result }),
    batched: (claims) => batches.observe(claims),
    swapped: (result) => writes.inc({ result }),
    recounted: () => recounts.inc(),
    audited: () => {
      audits.inc();
      drift.reset();
    },
    drifted: (resource_type, by) => drift.inc({ resource_type }, Number(by)),
    forced: (reason) => forced.inc({ reason }),
  };
}
