import { statSync } from "node:fs";
import { join } from "node:path";
import type { RecordLog } from "@milo-quota/apiserver/storage/log/record-log.ts";
import type { ObjectStore } from "@milo-quota/apiserver/storage/object-store.ts";
import type { MetricTable } from "../../telemetry/metric-declaration.ts";
import type { Metrics } from "../../telemetry/metrics.ts";

export const storageMetrics = {
  writes: {
    name: "milo_quota_storage_writes_total",
    type: "counter",
    help: "Object versions written to the log.",
  },
  bytes: {
    name: "milo_quota_storage_written_bytes_total",
    type: "counter",
    help: "Approximate size of these versions, in characters of JSON.",
  },
  commits: {
    name: "milo_quota_storage_commit_size",
    type: "histogram",
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
    help: "Number of writes in one commit.",
  },
  took: {
    name: "milo_quota_storage_commit_duration_seconds",
    type: "histogram",
    buckets: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
    help: "Duration of commits to the disk.",
  },
  failures: {
    name: "milo_quota_storage_failures_total",
    type: "counter",
    help: "Failed commits, for example because the disk is full.",
  },
  writable: {
    name: "milo_quota_storage_writable",
    type: "gauge",
    help: "1 while all writes can be stored; 0 while the disk is full or has failed.",
  },
  revision: { name: "milo_quota_storage_revision", type: "gauge", help: "The latest durable revision." },
  size: {
    name: "milo_quota_storage_log_bytes",
    type: "gauge",
    help: "Size of the database on disk. Absent when the data is in memory.",
  },
} as const satisfies MetricTable;

/** Counts and times the writes of a log. */
export function measuredLog(log: RecordLog, metrics: Metrics, elapsedMs: () => number): RecordLog {
  const writes = metrics.counter(storageMetrics.writes);
  const bytes = metrics.counter(storageMetrics.bytes);
  const commits = metrics.histogram(storageMetrics.commits);
  const took = metrics.histogram(storageMetrics.took);
  const failures = metrics.counter(storageMetrics.failures);
  return {
    location: log.location,
    load: () => log.load(),
    gatherWrites: () => log.gatherWrites(),
    hasRoom: () => log.hasRoom(),
    compact: (compacted, obsolete) => log.compact(compacted, obsolete),
    close: () => log.close(),
    append: async (records, usesReserve) => {
      const begunMs = elapsedMs();
      try {
        await log.append(records, usesReserve);
      } catch (error) {
        failures.inc();
        throw error;
      }
      took.observe((elapsedMs() - begunMs) / 1_000);
      commits.observe(records.length);
      writes.inc(records.length);
      bytes.inc(records.reduce((sum, { text }) => sum + text.length, 0));
    },
  };
}

export function measureStore(
  metrics: Metrics,
  store: Pick<ObjectStore, "revision" | "writeProblem">,
  directory: string | undefined,
): void {
  metrics.read(storageMetrics.writable, () => (store.writeProblem === undefined ? 1 : 0));
  metrics.read(storageMetrics.revision, () => store.revision);
  metrics.read(storageMetrics.size, () => (directory === undefined ? undefined : sizeOf(directory)));
}

/** The database and its write-ahead log. */
function sizeOf(directory: string): number {
  const names = ["objects.db", "objects.db-wal"];
  return names.reduce((sum, name) => sum + (statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0), 0);
}
