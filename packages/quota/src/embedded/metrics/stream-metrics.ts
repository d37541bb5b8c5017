import type { StreamsHealth } from "../../admission/claims/claim-streams.ts";
import type { StreamsObserver } from "../../admission/claims/stream-observer.ts";
import type { MetricTable } from "../../telemetry/metric-declaration.ts";
import type { Metrics } from "../../telemetry/metrics.ts";

const prefix = "milo_quota_admission";

/** Admission waits for claims on watch streams, one for each control plane in use. */
export const streamMetrics = {
  created: {
    name: `${prefix}_watch_managers_created_total`,
    type: "counter",
    help: "Claim streams opened, one for each control plane in use.",
  },
  stopped: {
    name: `${prefix}_watch_managers_stopped_total`,
    type: "counter",
    help: "Claim streams closed, because of the idle timeout or the shutdown of the process.",
  },
  active: { name: `${prefix}_watch_managers_active`, type: "gauge", help: "Open claim streams." },
  desired: { name: `${prefix}_watch_streams_desired`, type: "gauge", help: "Claim streams that should be connected." },
  connected: { name: `${prefix}_watch_streams_connected`, type: "gauge", help: "Claim streams that are connected." },
  restarts: {
    name: `${prefix}_watch_restarts_total`,
    type: "counter",
    labels: ["status_code"],
    help: "Claim streams restarted after a failure, by the status code (410: too old to resume), or unknown.",
  },
  restartTook: {
    name: `${prefix}_watch_restart_duration_seconds`,
    type: "histogram",
    buckets: [0.001, 0.01, 0.1, 0.5, 1, 2, 5, 10, 30, 60],
    help: "Time from the failure of a claim stream until it was connected again.",
  },
  lifetime: {
    name: `${prefix}_watch_stream_lifetime_seconds`,
    type: "histogram",
    labels: ["reason"],
    buckets: [1, 10, 30, 60, 300, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400],
    help: "How long claim streams were connected, by the reason of their end (error, shutdown).",
  },
  uptime: {
    name: `${prefix}_watch_stream_max_uptime_seconds`,
    type: "gauge",
    help: "Uptime of the claim stream that has been connected the longest.",
  },
  bookmarkAge: {
    name: `${prefix}_watch_bookmark_max_age_seconds`,
    type: "gauge",
    help: "The longest time since a claim stream received its last bookmark. Resuming from an old bookmark may fail.",
  },
  received: {
    name: `${prefix}_watch_events_received_total`,
    type: "counter",
    labels: ["event_type"],
    help: "Watch events received, by type (Added, Modified, Deleted, Bookmark, Error).",
  },
  processed: {
    name: `${prefix}_watch_events_processed_total`,
    type: "counter",
    labels: ["result"],
    help: "Claim events processed, by result (granted, denied, pending, ignored, error).",
  },
  registrations: {
    name: `${prefix}_waiter_registrations_total`,
    type: "counter",
    help: "Requests that started to wait for a claim.",
  },
  completions: {
    name: `${prefix}_waiter_completions_total`,
    type: "counter",
    labels: ["result"],
    help: "Requests that stopped waiting for a claim, by result (granted, denied, timeout, deleted, unregistered).",
  },
  waiters: { name: `${prefix}_waiters_current`, type: "gauge", help: "Requests that wait for a claim." },
  waited: {
    name: `${prefix}_waiter_duration_seconds`,
    type: "histogram",
    labels: ["result"],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 30, 60],
    help: "How long requests waited for a claim, by result (granted, denied, timeout, deleted).",
  },
  ttlResets: {
    name: `${prefix}_ttl_resets_total`,
    type: "counter",
    help: "How often the idle timeout of a claim stream started.",
  },
  ttlExpirations: {
    name: `${prefix}_ttl_expirations_total`,
    type: "counter",
    help: "Claim streams closed because of the idle timeout.",
  },
} as const satisfies MetricTable;

export function measureStreams(metrics: Metrics): StreamsObserver {
  const created = metrics.counter(streamMetrics.created);
  const stopped = metrics.counter(streamMetrics.stopped);
  const expirations = metrics.counter(streamMetrics.ttlExpirations);
  const resets = metrics.counter(streamMetrics.ttlResets);
  return {
    ...measureStream(metrics),
    ...measureWaiters(metrics),
    onOpened: () => created.inc(),
    onIdle: () => resets.inc(),
    onClosed: (reason) => {
      stopped.inc();
      if (reason === "idle") expirations.inc();
    },
  };
}

function measureStream(metrics: Metrics): StreamsObserver {
  const restarts = metrics.counter(streamMetrics.restarts);
  const restartTook = metrics.histogram(streamMetrics.restartTook);
  const lifetime = metrics.histogram(streamMetrics.lifetime);
  const received = metrics.counter(streamMetrics.received);
  const processed = metrics.counter(streamMetrics.processed);
  return {
    onDisconnected: (reason, ms) => lifetime.observe({ reason }, ms / 1_000),
    onFailed: (status_code) => restarts.inc({ status_code }),
    onRestarted: (ms) => restartTook.observe(ms / 1_000),
    onReceived: (event_type) => received.inc({ event_type }),
    onProcessed: (result) => processed.inc({ result }),
  };
}

function measureWaiters(metrics: Metrics): StreamsObserver {
  const registrations = metrics.counter(streamMetrics.registrations);
  const completions = metrics.counter(streamMetrics.completions);
  const waited = metrics.histogram(streamMetrics.waited);
  // Exposes all results as 0 from the start, so that rate() sees the first increase.
  for (const result of ["granted", "denied", "timeout", "deleted", "unregistered"]) completions.inc({ result }, 0);
  return {
    onWaiterJoined: () => registrations.inc(),
    onWaiterLeft: (result, ms) => {
      completions.inc({ result });
      if (result !== "unregistered") waited.observe({ result }, ms / 1_000);
    },
  };
}

export function measureStreamHealth(metrics: Metrics, health: () => StreamsHealth): void {
  metrics.read(streamMetrics.active, () => health().desired);
  metrics.read(streamMetrics.desired, () => health().desired);
  metrics.read(streamMetrics.connected, () => health().connected);
  metrics.read(streamMetrics.uptime, () => health().uptimeMsMax / 1_000);
  metrics.read(streamMetrics.bookmarkAge, () => health().bookmarkAgeMsMax / 1_000);
  metrics.read(streamMetrics.waiters, () => health().waiters);
}
