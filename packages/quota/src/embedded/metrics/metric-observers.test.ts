import type { RequestSubject } from "@milo-quota/apiserver/http/observe-requests.ts";
import { LogFull, type RecordLog } from "@milo-quota/apiserver/storage/log/record-log.ts";
import { describe, expect, it } from "vitest";
import { readExposition } from "../../../test/exposition.ts";
import type { AdmissionObserver } from "../../admission/admission-observer.ts";
import { measureDecisions } from "../../controllers/metrics/decision-metrics.ts";
import { Metrics } from "../../telemetry/metrics.ts";
import type { Views } from "../../views/views.ts";
import { measureAdmission, measurePolicies } from "./admission-metrics.ts";
import { measureRequests } from "./request-metrics.ts";
import { measuredLog } from "./storage-metrics.ts";
import { measureStreamHealth, measureStreams } from "./stream-metrics.ts";

const { signal } = new AbortController();

function measured() {
  const metrics = new Metrics((where, error) => {
    throw new Error(`${where}: ${error}`);
  });
  /** All samples other than 0, as `name{values of labels}`. */
  const samples = async (): Promise<Readonly<Record<string, number>>> => {
    const all = [...readExposition(await metrics.text(signal)).values()].flatMap((family) => family.samples);
    const shown = all.filter(({ name, value }) => value !== 0 && !name.endsWith("_bucket"));
    return Object.fromEntries(shown.map(({ name, labels, value }) => [`${name}{${Object.values(labels)}}`, value]));
  };
  return { metrics, samples };
}

const admission = "milo_quota_admission";

describe("metric observers", () => {
  it("count the events of claim streams", async () => {
    const { metrics, samples } = measured();
    const observer = measureStreams(metrics);
    observer.onOpened?.();
    observer.onOpened?.();
    observer.onConnected?.();
    observer.onReceived?.("Bookmark");
    observer.onProcessed?.("ignored");
    observer.onFailed?.("410");
    observer.onDisconnected?.("error", 90_000);
    observer.onRestarted?.(250);
    observer.onIdle?.();
    observer.onClosed?.("idle");
    observer.onClosed?.("shutdown");
    expect(await samples()).toEqual({
      [`${admission}_watch_managers_created_total{}`]: 2,
      [`${admission}_watch_managers_stopped_total{}`]: 2,
      [`${admission}_ttl_resets_total{}`]: 1,
      [`${admission}_ttl_expirations_total{}`]: 1,
      [`${admission}_watch_events_received_total{Bookmark}`]: 1,
      [`${admission}_watch_events_processed_total{ignored}`]: 1,
      [`${admission}_watch_restarts_total{410}`]: 1,
      [`${admission}_watch_restart_duration_seconds_sum{}`]: 0.25,
      [`${admission}_watch_restart_duration_seconds_count{}`]: 1,
      [`${admission}_watch_stream_lifetime_seconds_sum{error}`]: 90,
      [`${admission}_watch_stream_lifetime_seconds_count{error}`]: 1,
    });
  });

  it("time waiters, except for those that left before the decision", async () => {
    const { metrics, samples } = measured();
    const observer = measureStreams(metrics);
    observer.onWaiterJoined?.();
    observer.onWaiterJoined?.();
    observer.onWaiterLeft?.("timeout", 8_000);
    observer.onWaiterLeft?.("unregistered", 3);
    expect(await samples()).toEqual({
      [`${admission}_waiter_registrations_total{}`]: 2,
      [`${admission}_waiter_completions_total{timeout}`]: 1,
      [`${admission}_waiter_completions_total{unregistered}`]: 1,
      [`${admission}_waiter_duration_seconds_sum{timeout}`]: 8,
      [`${admission}_waiter_duration_seconds_count{timeout}`]: 1,
    });
  });

  it("show the health of claim streams", async () => {
    const { metrics, samples } = measured();
    const health = { desired: 3, connected: 2, waiters: 7, uptimeMsMax: 1_500, bookmarkAgeMsMax: 61_000 };
    measureStreamHealth(metrics, () => health);
    expect(await samples()).toEqual({
      [`${admission}_watch_managers_active{}`]: 3,
      [`${admission}_watch_streams_desired{}`]: 3,
      [`${admission}_watch_streams_connected{}`]: 2,
      [`${admission}_waiters_current{}`]: 7,
      [`${admission}_watch_stream_max_uptime_seconds{}`]: 1.5,
      [`${admission}_watch_bookmark_max_age_seconds{}`]: 61,
    });
  });

  it("count the results of policies, and their events", async () => {
    const { metrics, samples } = measured();
    const observer = measureAdmission(metrics);
    const subscribers: Partial<Parameters<Views["claimPolicies"]["subscribe"]>[0]>[] = [];
    measurePolicies(metrics, {
      subscribe: (listener) => {
        subscribers.push(listener);
        return () => undefined;
      },
    });
    type Decided = Parameters<NonNullable<AdmissionObserver["onDecided"]>>;
    const policy = { metadata: { name: "maps" } } as Decided[0];
    const change = { kind: { group: "apps", kind: "Deployment" }, dryRun: false } as Decided[1];
    observer.onDecided?.(policy, change, "policy_disabled");
    observer.onDecided?.(policy, { ...change, dryRun: true }, "denied");
    observer.onMissingKey?.(policy);
    const place = { plane: "root", namespace: "", name: "maps" };
    subscribers[0]?.onAdd?.(place, policy);
    subscribers[0]?.onDelete?.(place, policy);
    expect(await samples()).toEqual({
      [`${admission}_result_total{policy_disabled,maps,,apps,Deployment}`]: 1,
      "milo_quota_policy_missing_keys_total{maps}": 1,
      "milo_quota_policy_informer_events_total{add}": 1,
      "milo_quota_policy_informer_events_total{delete}": 1,
      "milo_quota_policy_load_total{}": 1,
    });
  });

  it("show drift until the next check finds none", async () => {
    const { metrics, samples } = measured();
    const observer = measureDecisions(metrics);
    observer.onDriftCheck?.();
    observer.onDrift?.("core/secrets", 3n);
    observer.onDrift?.("core/secrets", 2n);
    expect(await samples()).toEqual({ "milo_quota_audits_total{}": 1, "milo_quota_drift{core/secrets}": 5 });
    observer.onDriftCheck?.();
    expect(await samples()).toEqual({ "milo_quota_audits_total{}": 2 });
  });

  it("tell adopted claims from repaired ones", async () => {
    const { metrics, samples } = measured();
    const observer = measureDecisions(metrics);
    observer.onForced?.("adopted");
    observer.onForced?.("adopted");
    observer.onForced?.("repaired");
    expect(await samples()).toEqual({
      "milo_quota_forced_claims_total{adopted}": 2,
      "milo_quota_forced_claims_total{repaired}": 1,
    });
  });

  it("limit the number of label sets of requests, and time no watch", async () => {
    const { metrics, samples } = measured();
    const observer = measureRequests(metrics);
    const about = (resource: string, verb = "GET"): RequestSubject => ({
      verb,
      group: "g",
      version: "v1",
      resource,
      subresource: "",
      scope: "cluster",
    });
    const answered = (subject: RequestSubject): void => {
      observer.onStarted?.();
      observer.onResponse?.({ subject, method: "GET", path: "/", code: 200, ms: 4 });
    };
    answered(about("watched", "WATCH"));
    for (let at = 0; at < 600; at += 1) answered(about(`kind${at}`));
    const all = await samples();
    expect(all["apiserver_request_total{GET,,,other,,,200}"]).toBe(101);
    expect(all["apiserver_request_total{WATCH,g,v1,watched,,cluster,200}"]).toBe(1);
    expect(all["apiserver_request_duration_seconds_count{WATCH,g,v1,watched,,cluster}"]).toBeUndefined();
    expect(all["apiserver_current_inflight_requests{}"]).toBeUndefined();
  });
});

describe("a measured log", () => {
  const key = { plane: "root", resource: "secrets", namespace: "default", name: "a" };
  const record = (revision: number) => ({ revision, key, deleted: false, text: "12345", more: false });

  function measuredOver(append: RecordLog["append"]) {
    const { metrics, samples } = measured();
    let nowMs = 0;
    const log: RecordLog = {
      location: "here",
      load: async () => {
        throw new Error("not asked for");
      },
      gatherWrites: async () => undefined,
      hasRoom: async () => true,
      append: async (records) => {
        nowMs += 40;
        await append(records);
      },
      compact: async () => undefined,
      close: async () => undefined,
    };
    return { log: measuredLog(log, metrics, () => nowMs), samples };
  }

  it("counts durable writes and their batch sizes", async () => {
    const { log, samples } = measuredOver(async () => undefined);
    await log.append([record(2), record(3)]);
    await log.append([record(4)]);
    expect(log.location).toBe("here");
    expect(await samples()).toEqual({
      "milo_quota_storage_writes_total{}": 3,
      "milo_quota_storage_written_bytes_total{}": 15,
      "milo_quota_storage_commit_size_sum{}": 3,
      "milo_quota_storage_commit_size_count{}": 2,
      "milo_quota_storage_commit_duration_seconds_sum{}": 0.08,
      "milo_quota_storage_commit_duration_seconds_count{}": 2,
    });
  });

  it("counts failures separately, and passes them on unchanged", async () => {
    const full = new LogFull("no room");
    const { log, samples } = measuredOver(async () => {
      throw full;
    });
    await expect(log.append([record(2)])).rejects.toBe(full);
    expect(await samples()).toEqual({ "milo_quota_storage_failures_total{}": 1 });
  });
});
