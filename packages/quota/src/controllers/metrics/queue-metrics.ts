import type { QueueObservers } from "@milo-quota/kubernetes/client/queue/queue-observer.ts";
import type { MetricTable } from "../../telemetry/metric-declaration.ts";
import type { Metrics } from "../../telemetry/metrics.ts";

/** The buckets of client-go: powers of ten from 1e-8. */
const durations = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10];

/** The metric names of client-go, so that existing dashboards work. */
export const queueMetrics = {
  depth: { name: "workqueue_depth", type: "gauge", labels: ["name"], help: "Keys waiting in the work queue." },
  adds: {
    name: "workqueue_adds_total",
    type: "counter",
    labels: ["name"],
    help: "Keys added to the work queue.",
  },
  waited: {
    name: "workqueue_queue_duration_seconds",
    type: "histogram",
    labels: ["name"],
    buckets: durations,
    help: "Seconds that keys waited in the queue before they were processed.",
  },
  worked: {
    name: "workqueue_work_duration_seconds",
    type: "histogram",
    labels: ["name"],
    buckets: durations,
    help: "Seconds that processing a key took.",
  },
  retries: {
    name: "workqueue_retries_total",
    type: "counter",
    labels: ["name"],
    help: "Keys requeued because processing them failed.",
  },
} as const satisfies MetricTable;

export function measureQueues(metrics: Metrics): QueueObservers {
  const depth = metrics.gauge(queueMetrics.depth);
  const adds = metrics.counter(queueMetrics.adds);
  const waited = metrics.histogram(queueMetrics.waited);
  const worked = metrics.histogram(queueMetrics.worked);
  const retries = metrics.counter(queueMetrics.retries);
  return (name) => {
    const own = {
      depth: depth.labels({ name }),
      adds: adds.labels({ name }),
      waited: waited.labels({ name }),
      worked: worked.labels({ name }),
      retries: retries.labels({ name }),
    };
    for (const count of [own.depth, own.adds, own.retries]) count.inc(0); // exported as 0 from the start
    return {
      onDepthChanged: (by) => own.depth.inc(by),
      onAdded: () => own.adds.inc(),
      onStarted: (ms) => own.waited.observe(ms / 1_000),
      onFinished: (ms) => own.worked.observe(ms / 1_000),
      onRetried: () => own.retries.inc(),
    };
  };
}
