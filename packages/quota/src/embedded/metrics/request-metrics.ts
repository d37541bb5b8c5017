import type { RequestObserver, RequestSubject } from "@milo-quota/apiserver/http/observe-requests.ts";
import type { MetricTable } from "../../telemetry/metric-declaration.ts";
import type { Metrics } from "../../telemetry/metrics.ts";

const subject = ["verb", "group", "version", "resource", "subresource", "scope"] as const;

/** Under the names that a kube-apiserver uses, so that its dashboards work. */
export const requestMetrics = {
  requests: {
    name: "apiserver_request_total",
    type: "counter",
    labels: [...subject, "code"],
    help: "Answered requests, including those of the process itself. Labels are empty for unknown paths.",
  },
  took: {
    name: "apiserver_request_duration_seconds",
    type: "histogram",
    labels: subject,
    buckets: [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60],
    help: "Response time of requests, except for watches.",
  },
  inFlight: {
    name: "apiserver_current_inflight_requests",
    type: "gauge",
    help: "Requests in flight.",
  },
  watches: {
    name: "apiserver_longrunning_requests",
    type: "gauge",
    help: "Open watches, including those of the process itself.",
  },
} as const satisfies MetricTable;

/** Beyond this many label sets, further requests are counted by their verb alone. */
const subjectsMax = 500;

export function measureRequests(metrics: Metrics): RequestObserver {
  const requests = metrics.counter(requestMetrics.requests);
  const took = metrics.histogram(requestMetrics.took);
  const inFlight = metrics.gauge(requestMetrics.inFlight);
  // Hot: runs for every request, so the series of a label set are looked up once.
  const bySubject = new Map<string, Counts>();
  const recent = new WeakMap<RequestSubject, Counts>();
  const countsOf = (subject: RequestSubject): Counts => {
    const counts = recent.get(subject) ?? countsBy(subject);
    recent.set(subject, counts);
    return counts;
  };
  const countsBy = (subject: RequestSubject): Counts => {
    const id = idOf(subject);
    const found = bySubject.get(id);
    if (found !== undefined) return found;
    if (bySubject.size >= subjectsMax && subject.resource !== other) return countsBy(beyond(subject));
    const made: Counts = {
      took: subject.verb === "WATCH" ? undefined : took.labels(subject),
      byCode: new Map(),
      counter: (code) => requests.labels({ ...subject, code: String(code) }),
    };
    bySubject.set(id, made);
    return made;
  };
  return {
    onStarted: () => inFlight.inc(),
    onResponse: (request) => {
      inFlight.dec();
      const { subject, code, ms } = request;
      const counts = countsOf(subject);
      const counter = counts.byCode.get(code) ?? counts.counter(code);
      counts.byCode.set(code, counter);
      counter.inc();
      counts.took?.observe(ms / 1_000);
    },
  };
}

interface Counts {
  readonly took: { observe(seconds: number): void } | undefined;
  readonly byCode: Map<number, { inc(): void }>;
  readonly counter: (code: number) => { inc(): void };
}

const other = "other";

function idOf({ verb, group, version, resource, subresource, scope }: RequestSubject): string {
  return `${verb} ${group} ${version} ${resource} ${subresource} ${scope}`;
}

/** Tenants can define kinds, so the number of label sets must be bounded. */
function beyond({ verb }: RequestSubject): RequestSubject {
  return { verb, group: "", version: "", resource: other, subresource: "", scope: "" };
}

export function measureWatches(metrics: Metrics, count: () => number | undefined): void {
  metrics.read(requestMetrics.watches, count);
}
