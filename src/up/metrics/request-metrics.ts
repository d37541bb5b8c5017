import type { AnsweredRequest, RequestListener, RequestSubject } from "../../apiserver/http/observed-api.ts";
import type { MetricTable } from "../../telemetry/metric-declaration.ts";
import type { Metrics } from "../../telemetry/metrics.ts";

const subject = ["verb", "group", "version", "resource", "subresource", "scope"] as const;

/** Under the names that a kube-apiserver uses, so that its dashboards work. */
export const requestMetrics = {
  requests: {
    name: "apiserver_request_total",
    type: "counter",
    labels: [...subject, "code"],
    help: "Requests that were answered, those of the process itself included. Labels are empty for what is not served.",
  },
  took: {
    name: "apiserver_request_duration_seconds",
    type: "histogram",
    labels: subject,
    buckets: [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60],
    help: "How long answers took. Watches are not in it.",
  },
  inFlight: {
    name: "apiserver_current_inflight_requests",
    type: "gauge",
    help: "Requests that are being answered now.",
  },
  watches: {
    name: "apiserver_longrunning_requests",
    type: "gauge",
    help: "Watches that are open, those of the process itself included.",
  },
} as const satisfies MetricTable;

/** Beyond so many sorts of requests, others are counted by their verb alone. */
const subjectsMax = 500;

export function measureRequests(metrics: Metrics): RequestListener {
  const requests = metrics.counter(requestMetrics.requests);
  const took = metrics.histogram(requestMetrics.took);
  const inFlight = metrics.gauge(requestMetrics.inFlight);
  const seen = new Set<string>();
  return {
    begun: () => inFlight.inc(),
    answered: (request) => {
      inFlight.dec();
      const labels = limited(subjectOf(request), seen);
      requests.inc({ ...labels, code: String(request.code) });
      if (request.verb !== "WATCH") took.observe(labels, request.ms / 1_000);
    },
  };
}

export function measureWatches(metrics: Metrics, count: () => number | undefined): void {
  metrics.read(requestMetrics.watches, count);
}

function subjectOf({ verb, group, version, resource, subresource, scope }: AnsweredRequest): RequestSubject {
  return { verb, group, version, resource, subresource, scope };
}

/** Tenants define kinds of their own: what they can name must not fill the memory. */
function limited(labels: RequestSubject, seen: Set<string>): RequestSubject {
  const id = Object.values(labels).join(" ");
  if (seen.has(id)) return labels;
  if (seen.size >= subjectsMax) {
    return { verb: labels.verb, group: "", version: "", resource: "other", subresource: "", scope: "" };
  }
  seen.add(id);
  return labels;
}
