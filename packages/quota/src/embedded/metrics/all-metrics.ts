import { decisionMetrics } from "../../controllers/metrics/decision-metrics.ts";
import { healthMetrics } from "../../controllers/metrics/health-metrics.ts";
import { queueMetrics } from "../../controllers/metrics/queue-metrics.ts";
import type { MetricSection } from "../../telemetry/metric-declaration.ts";
import { processMetrics } from "../../telemetry/process-metrics.ts";
import { admissionMetrics, policyMetrics } from "./admission-metrics.ts";
import { requestMetrics } from "./request-metrics.ts";
import { stateMetricDeclarations, stateObjectsMax } from "./state/state-metrics.ts";
import { storageMetrics } from "./storage-metrics.ts";
import { streamMetrics } from "./stream-metrics.ts";

/** All metrics, in the order of the reference page. */
export const metricSections: readonly MetricSection[] = [
  {
    title: "Admission",
    about: "Decisions on objects that are created or updated.",
    metrics: Object.values(admissionMetrics),
  },
  {
    title: "Waiting for claims",
    about:
      "Admission learns of decisions from watch streams of claims: one for each control plane in use, closed after five idle minutes. As many streams should be connected as are desired.",
    metrics: Object.values(streamMetrics),
  },
  { title: "Policies", about: "The claim policies that admission evaluates.", metrics: Object.values(policyMetrics) },
  {
    title: "Decisions",
    about: "Decisions on claims, and writes of buckets.",
    metrics: Object.values(decisionMetrics),
  },
  { title: "Controllers", about: "Health of informers, and leadership.", metrics: Object.values(healthMetrics) },
  {
    title: "Work queues",
    about: "One queue for each controller, by `name`. The metric names are those of Kubernetes controllers.",
    metrics: Object.values(queueMetrics),
  },
  {
    title: "Objects",
    about: `Objects of the quota API, listed for each scrape, at most ${stateObjectsMax} of each kind (\`milo_quota_state_truncated\` tells when there are more; that many claims make about 9 MB of text and take more than half a second of CPU time, in small steps). \`component\` is always \`quota_system\`; \`resource_type\` is the resource type of the object, or the plural of the kind if its objects can have several; \`control_plane\` is omitted for objects in the root. Unset fields have no label, and unknown figures no sample. Conditions have their reason as a label, because a pending claim and a denied one are both \`status="False"\`.`,
    metrics: stateMetricDeclarations,
  },
  {
    title: "API server",
    about: "Requests to the embedded API server. The metric names are those of kube-apiserver.",
    metrics: Object.values(requestMetrics),
  },
  {
    title: "Storage",
    about: "Disk writes of the embedded API server.",
    metrics: Object.values(storageMetrics),
  },
  { title: "Process", about: "Resource usage of the process.", metrics: Object.values(processMetrics) },
];
