import type { InformerHealth } from "@milo-quota/kubernetes/client/watch/informer-health.ts";
import { bucketName } from "../../core/resources/object-names.ts";
import type { MetricTable } from "../../telemetry/metric-declaration.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import type { ControlPlanes } from "../../views/control-planes.ts";
import type { Controllers } from "../controllers.ts";

export const healthMetrics = {
  leader: {
    name: "leader_election_master_status",
    type: "gauge",
    labels: ["name"],
    help: "1 while this process is the leader, 0 otherwise.",
  },
  claims: {
    name: "milo_quota_claims",
    type: "gauge",
    labels: ["state"],
    help: "Existing claims by state (pending, granted, denied).",
  },
  informers: {
    name: "milo_quota_informer_state",
    type: "gauge",
    labels: ["informer", "state"],
    help: "1 for the current state of an informer: starting, live, or troubled, in which its cache may be outdated.",
  },
  objects: {
    name: "milo_quota_informer_objects",
    type: "gauge",
    labels: ["informer"],
    help: "Objects in the cache of an informer.",
  },
  restarts: {
    name: "milo_quota_informer_restarts_total",
    type: "counter",
    labels: ["informer"],
    help: "Restarts of the watch of an informer after a failure.",
  },
  freshness: {
    name: "milo_quota_bucket_freshness_seconds",
    type: "gauge",
    labels: ["control_plane", "namespace", "name", "resource_type"],
    help: "Seconds since the figures of a bucket were last written or recounted. Limited to 10000 buckets.",
  },
  freshnessMost: {
    name: "milo_quota_bucket_freshness_max_seconds",
    type: "gauge",
    help: "The maximum of milo_quota_bucket_freshness_seconds over all buckets.",
  },
} as const satisfies MetricTable;

const lease = "milo-quota-controllers";
const bucketsMax = 10_000;

/** Read at each scrape. */
export function measureHealth(
  metrics: Metrics,
  controllers: Pick<Controllers, "health" | "figures">,
  planes: Pick<ControlPlanes, "root" | "bucketNamespace">,
): void {
  metrics.readEach(healthMetrics.leader, (set) => set({ name: lease }, controllers.health.isLeading ? 1 : 0));
  metrics.readEach(healthMetrics.claims, (set) => {
    for (const [state, count] of Object.entries(controllers.health.claims)) set({ state }, count);
  });
  metrics.readEach(healthMetrics.freshness, (set) => {
    let count = 0;
    for (const [{ plane, consumer, resourceType }, ageMs] of controllers.figures.ages()) {
      count += 1;
      if (count > bucketsMax) return;
      const control_plane = plane === planes.root ? "" : plane;
      const [namespace, name] = [planes.bucketNamespace(consumer), bucketName(consumer, resourceType)];
      set({ control_plane, namespace, name, resource_type: resourceType }, ageMs / 1_000);
    }
  });
  metrics.read(healthMetrics.freshnessMost, () => {
    let most = 0;
    for (const [, ageMs] of controllers.figures.ages()) most = Math.max(most, ageMs / 1_000);
    return most;
  });
}

export function measureInformers(metrics: Metrics, informers: () => readonly InformerHealth[]): void {
  metrics.readEach(healthMetrics.informers, (set) => {
    for (const { name, phase } of informers()) set({ informer: name, state: phase }, 1);
  });
  metrics.readEach(healthMetrics.objects, (set) => {
    for (const { name, size } of informers()) set({ informer: name }, size);
  });
  metrics.readEach(healthMetrics.restarts, (set) => {
    for (const { name, failures } of informers()) set({ informer: name }, failures);
  });
}
