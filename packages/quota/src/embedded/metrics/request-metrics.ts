import type { RequestObserver, RequestSubject } from "@milo-quota/apiserver/http/observed-api.ts";
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

export function measureRequests(metrics: Metrics): RequestObserver {
  const requests = metrics.counter(requestMetrics.requests);
  const took = metrics.histogram(requestMetrics.took);
  const inFlight = metrics.gauge(requestMetrics.inFlight);
  // Every request is counted: what is found by its labels once is not looked for again.
  const known = new Map<string, Counts>();
  const recent = new WeakMap<RequestSubject, Counts>();
  const countsOf = (subject: RequestSubject): Counts => {
    const counts = recent.get(subject) ?? countsBy(subject);
    recent.set(subject, counts);
    return counts;
  };
  const countsBy = (subject: RequestSubject): Counts => {
    const id = idOf(subject);
    const found = known.get(id);
    if (found !== undefined) return found;
    if (known.size >= subjectsMax && subject.resource !== other) return countsBy(beyond(subject));
    const made: Counts = {
      took: subject.verb === "WATCH" ? undefined : took.labels(subject),
      byCode: new Map(),
      counter: (code) => requests.labels({ ...subject, code: String(code) }),
    };
    known.set(id, made);
    return made;
  };
  return {
    begun: () => inFlight.inc(),
    answered: (request) => {
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

/** Tenants define kinds of their own: what they can name must not fill the memory. */
function beyond({ verb }: RequestSubject): RequestSubject {
  return { verb, group: "", version: "", resource: other, subresource: "", scope: "" };
}

export function measureWatches(metrics: Metrics, count: () => number | undefined): void {
  metrics.read(requestMetrics.watches, count);
}
