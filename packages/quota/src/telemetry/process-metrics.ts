import { readdirSync } from "node:fs";
import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import type { MetricTable } from "./metric-declaration.ts";
import type { Metrics } from "./metrics.ts";

export const processMetrics = {
  cpu: {
    name: "process_cpu_seconds_total",
    type: "counter",
    help: "Time that the processors spent on this process.",
  },
  resident: { name: "process_resident_memory_bytes", type: "gauge", help: "Memory that the process takes." },
  started: {
    name: "process_start_time_seconds",
    type: "gauge",
    help: "When the process started, in seconds since 1970.",
  },
  files: {
    name: "process_open_fds",
    type: "gauge",
    help: "Files and sockets that are open. Only where the system tells.",
  },
  heapUsed: { name: "nodejs_heap_size_used_bytes", type: "gauge", help: "Memory that JavaScript objects take." },
  heapTotal: { name: "nodejs_heap_size_total_bytes", type: "gauge", help: "Memory set aside for JavaScript objects." },
  external: {
    name: "nodejs_external_memory_bytes",
    type: "gauge",
    help: "Memory of buffers and other native objects.",
  },
  delayMean: {
    name: "nodejs_eventloop_lag_mean_seconds",
    type: "gauge",
    help: "How late timers were since the last look, on average.",
  },
  delayMost: {
    name: "nodejs_eventloop_lag_max_seconds",
    type: "gauge",
    help: "How late the latest timer was since the last look.",
  },
} as const satisfies MetricTable;

const resolutionMs = 20;

/** What this process takes of its machine. Returns how to stop looking. */
export function measureProcess(metrics: Metrics, startedMs: number): () => void {
  const memory = (): NodeJS.MemoryUsage => process.memoryUsage();
  metrics.read(processMetrics.cpu, () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  metrics.read(processMetrics.resident, () => process.memoryUsage.rss());
  metrics.read(processMetrics.started, () => startedMs / 1_000);
  metrics.read(processMetrics.files, openFiles);
  metrics.read(processMetrics.heapUsed, () => memory().heapUsed);
  metrics.read(processMetrics.heapTotal, () => memory().heapTotal);
  metrics.read(processMetrics.external, () => memory().external);
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  metrics.read(processMetrics.delayMean, () => secondsLate(delays.mean));
  metrics.read(processMetrics.delayMost, () => latest(delays));
  return () => delays.disable();
}

function latest(delays: IntervalHistogram): number {
  const late = secondsLate(delays.max);
  delays.reset();
  return late;
}

/** The histogram holds how long its timer took, in nanoseconds; not a number before the first. */
function secondsLate(nanoseconds: number): number {
  return Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / 1e9 - resolutionMs / 1_000) : 0;
}

function openFiles(): number | undefined {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return undefined; // a system that does not tell
  }
}
