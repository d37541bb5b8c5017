import type { StreamsHealth } from "../../admission/claims/claim-streams.ts";
import type { StreamsListener } from "../../admission/claims/stream-listener.ts";
import type { MetricTable } from "../../telemetry/metric-declaration.ts";
import type { Metrics } from "../../telemetry/metrics.ts";

const prefix = "milo_quota_admission";

/** Admission waits for claims on streams, one for each control plane in use. */
export const streamMetrics = {
  created: {
    name: `${prefix}_watch_managers_created_total`,
    type: "counter",
    help: "Streams of claims that were begun, one for each control plane in use.",
  },
  stopped: {
    name: `${prefix}_watch_managers_stopped_total`,
    type: "counter",
    help: "Streams that were given up, because nobody used them or the process ended.",
  },
  active: { name: `${prefix}_watch_managers_active`, type: "gauge", help: "Streams that are kept now." },
  desired: { name: `${prefix}_watch_streams_desired`, type: "gauge", help: "Streams that should be connected." },
  connected: { name: `${prefix}_watch_streams_connected`, type: "gauge", help: "Streams that are connected." },
  restarts: {
    name: `${prefix}_watch_restarts_total`,
    type: "counter",
    labels: ["status_code"],
    help: "Streams that failed and begin again, by the code of the answer (410: too old to resume) or unknown.",
  },
  restartTook: {
    name: `${prefix}_watch_restart_duration_seconds`,
    type: "histogram",
    buckets: [0.001, 0.01, 0.1, 0.5, 1, 2, 5, 10, 30, 60],
    help: "Time from the failure of a stream until it was connected again.",
  },
  lifetime: {
    name: `${prefix}_watch_stream_lifetime_seconds`,
    type: "histogram",
    labels: ["reason"],
    buckets: [1, 10, 30, 60, 300, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400],
    help: "How long streams were connected, by why they ended (error, shutdown).",
  },
  uptime: {
    name: `${prefix}_watch_stream_max_uptime_seconds`,
    type: "gauge",
    help: "For how long the longest of the streams has been connected.",
  },
  bookmarkAge: {
    name: `${prefix}_watch_bookmark_max_age_seconds`,
    type: "gauge",
    help: "The longest time since one of the streams heard how far its server is. Resuming after long may fail.",
  },
  received: {
    name: `${prefix}_watch_events_received_total`,
    type: "counter",
    labels: ["event_type"],
    help: "Events that came, by type (Added, Modified, Deleted, Bookmark, Error).",
  },
  processed: {
    name: `${prefix}_watch_events_processed_total`,
    type: "counter",
    labels: ["result"],
    help: "What became of events about claims (granted, denied, pending, ignored, error).",
  },
  registrations: {
    name: `${prefix}_waiter_registrations_total`,
    type: "counter",
    help: "How often somebody began to wait for a claim.",
  },
  completions: {
    name: `${prefix}_waiter_completions_total`,
    type: "counter",
    labels: ["result"],
    help: "How waiting ended (granted, denied, timeout, deleted, unregistered).",
  },
  waiters: { name: `${prefix}_waiters_current`, type: "gauge", help: "How many wait for a claim now." },
  waited: {
    name: `${prefix}_waiter_duration_seconds`,
    type: "histogram",
    labels: ["result"],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 30, 60],
    help: "How long somebody waited, by result (granted, denied, timeout, deleted).",
  },
  ttlResets: {
    name: `${prefix}_ttl_resets_total`,
    type: "counter",
    help: "How often the time of a stream that nobody uses began to run.",
  },
  ttlExpirations: {
    name: `${prefix}_ttl_expirations_total`,
    type: "counter",
    help: "Streams that were given up because nobody had used them for long enough.",
  },
} as const satisfies MetricTable;

export function measureStreams(metrics: Metrics): StreamsListener {
  const created = metrics.counter(streamMetrics.created);
  const stopped = metrics.counter(streamMetrics.stopped);
  const expirations = metrics.counter(streamMetrics.ttlExpirations);
  const resets = metrics.counter(streamMetrics.ttlResets);
  return {
    ...measureStream(metrics),
    ...measureWaiters(metrics),
    opened: () => created.inc(),
    idle: () => resets.inc(),
    ended: (reason) => {
      stopped.inc();
      if (reason === "idle") expirations.inc();
    },
  };
}

function measureStream(metrics: Metrics): StreamsListener {
  const restarts = metrics.counter(streamMetrics.restarts);
  const restartTook = metrics.histogram(streamMetrics.restartTook);
  const lifetime = metrics.histogram(streamMetrics.lifetime);
  const received = metrics.counter(streamMetrics.received);
  const processed = metrics.counter(streamMetrics.processed);
  return {
    disconnected: (reason, ms) => lifetime.observe({ reason }, ms / 1_000),
    failed: (status_code) => restarts.inc({ status_code }),
    restarted: (ms) => restartTook.observe(ms / 1_000),
    received: (event_type) => received.inc({ event_type }),
    processed: (result) => processed.inc({ result }),
  };
}

function measureWaiters(metrics: Metrics): StreamsListener {
  const registrations = metrics.counter(streamMetrics.registrations);
  const completions = metrics.counter(streamMetrics.completions);
  const waited = metrics.histogram(streamMetrics.waited);
  // Seen before anything happens, so that the first time shows as an increase.
  for (const result of ["granted", "denied", "timeout", "deleted", "unregistered"]) completions.inc({ result }, 0);
  return {
    waiting: () => registrations.inc(),
    waited: (result, ms) => {
      completions.inc({ result });
      if (result !== "unregistered") waited.observe({ result }, ms / 1_000);
    },
  };
}

/** How the streams are, looked at when somebody asks. */
export function measureStreamHealth(metrics: Metrics, health: () => StreamsHealth): void {
  metrics.read(streamMetrics.active, () => health().desired);
  metrics.read(streamMetrics.desired, () => health().desired);
  metrics.read(streamMetrics.connected, () => health().connected);
  metrics.read(streamMetrics.uptime, () => health().uptimeMsMax / 1_000);
  metrics.read(streamMetrics.bookmarkAge, () => health().bookmarkAgeMsMax / 1_000);
  metrics.read(streamMetrics.waiters, () => health().waiters);
}
