import { readdirSync } from "node:fs";
import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import type { MetricTable } from "./metric-declaration.ts";
import type { Metrics } from "./metrics.ts";

export const processMetrics = {
  cpu: {
    name: "process_cpu_seconds_total",
    type: "counter",
    help: "CPU time of the process.",
  },
  resident: { name: "process_resident_memory_bytes", type: "gauge", help: "Resident memory of the process." },
  started: {
    name: "process_start_time_seconds",
    type: "gauge",
    help: "Start time of the process, in seconds since 1970.",
  },
  files: {
    name: "process_open_fds",
    type: "gauge",
    help: "Open file descriptors. Only on operating systems that expose them.",
  },
  heapUsed: { name: "nodejs_heap_size_used_bytes", type: "gauge", help: "Used JavaScript heap." },
  heapTotal: { name: "nodejs_heap_size_total_bytes", type: "gauge", help: "Allocated JavaScript heap." },
  external: {
    name: "nodejs_external_memory_bytes",
    type: "gauge",
    help: "Memory of buffers and other native objects.",
  },
  delayMean: {
    name: "nodejs_eventloop_lag_mean_seconds",
    type: "gauge",
    help: "Mean event loop lag since the last scrape.",
  },
  delayMost: {
    name: "nodejs_eventloop_lag_max_seconds",
    type: "gauge",
    help: "Maximum event loop lag since the last scrape.",
  },
} as const satisfies MetricTable;

const resolutionMs = 20;

/** Measures the resource usage of this process. Returns a function that stops it. */
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

/** The histogram has the durations of a timer, in nanoseconds; NaN before the first one. */
function secondsLate(nanoseconds: number): number {
  return Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / 1e9 - resolutionMs / 1_000) : 0;
}

function openFiles(): number | undefined {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return undefined; // no /proc on this operating system
  }
}
