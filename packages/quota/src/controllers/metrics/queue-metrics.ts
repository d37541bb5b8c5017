import type { QueueListeners } from "@milo-quota/kubernetes/client/queue/queue-listener.ts";
import type { MetricTable } from "../../telemetry/metric-declaration.ts";
import type { Metrics } from "../../telemetry/metrics.ts";

/** Ten to the power of -8 and so on, as every Kubernetes controller has them. */
const durations = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10];

/** Under the names that controllers of Kubernetes use, so that its dashboards work. */
export const queueMetrics = {
  depth: { name: "workqueue_depth", type: "gauge", labels: ["name"], help: "Keys that wait to be worked on." },
  adds: {
    name: "workqueue_adds_total",
    type: "counter",
    labels: ["name"],
    help: "Keys that were asked for and did not wait yet.",
  },
  waited: {
    name: "workqueue_queue_duration_seconds",
    type: "histogram",
    labels: ["name"],
    buckets: durations,
    help: "How long keys waited before work on them began.",
  },
  worked: {
    name: "workqueue_work_duration_seconds",
    type: "histogram",
    labels: ["name"],
    buckets: durations,
    help: "How long work on a key took.",
  },
  retries: {
    name: "workqueue_retries_total",
    type: "counter",
    labels: ["name"],
    help: "Keys that are tried again because work on them failed.",
  },
} as const satisfies MetricTable;

export function measureQueues(metrics: Metrics): QueueListeners {
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
    for (const count of [own.depth, own.adds, own.retries]) count.inc(0); // seen before anything happens
    return {
      waiting: (by) => own.depth.inc(by),
      added: () => own.adds.inc(),
      started: (ms) => own.waited.observe(ms / 1_000),
      worked: (ms) => own.worked.observe(ms / 1_000),
      retried: () => own.retries.inc(),
    };
  };
}
