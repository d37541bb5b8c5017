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

/** Everything there is to see, in the order in which it is explained. */
export const metricSections: readonly MetricSection[] = [
  {
    title: "Admission",
    about: "What becomes of objects that are created or changed.",
    metrics: Object.values(admissionMetrics),
  },
  {
    title: "Waiting for claims",
    about:
      "Admission hears of decisions on streams of claims: one for each control plane in use, given up when nobody has used it for five minutes. As many should be connected as are desired.",
    metrics: Object.values(streamMetrics),
  },
  { title: "Policies", about: "The claim policies that admission goes by.", metrics: Object.values(policyMetrics) },
  {
    title: "Decisions",
    about: "Claims being decided, and buckets being kept.",
    metrics: Object.values(decisionMetrics),
  },
  { title: "Controllers", about: "How well the controllers see, and who acts.", metrics: Object.values(healthMetrics) },
  {
    title: "Work queues",
    about: "One for each controller, by `name`, under the names that controllers of Kubernetes use.",
    metrics: Object.values(queueMetrics),
  },
  {
    title: "Objects",
    about: `Objects of the quota API, read when somebody asks, at most ${stateObjectsMax} of each kind (\`milo_quota_state_truncated\` says when there are more; so many claims make about 9 MB of text and take over half a second of processor time, in small steps). \`component\` is always \`quota_system\`; \`resource_type\` is the quota that an object is about, or, for kinds whose objects may be about several, the plural of the kind; \`control_plane\` is left out for objects in the root. A field that is not set has no label, a figure that is not known no line. Conditions carry their reason: a claim that is pending and one that is denied are both \`status="False"\`.`,
    metrics: stateMetricDeclarations,
  },
  {
    title: "API server",
    about: "Requests to the embedded API server, under the names that a kube-apiserver uses.",
    metrics: Object.values(requestMetrics),
  },
  {
    title: "Storage",
    about: "What the embedded API server writes to its disk.",
    metrics: Object.values(storageMetrics),
  },
  { title: "Process", about: "What the process takes of its machine.", metrics: Object.values(processMetrics) },
];
