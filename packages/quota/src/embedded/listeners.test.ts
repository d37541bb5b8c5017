import type { RequestSubject } from "@milo-quota/apiserver/http/observed-api.ts";
import { LogFull, type RecordLog } from "@milo-quota/apiserver/storage/log/record-log.ts";
import { describe, expect, it } from "vitest";
import { readExposition } from "../../test/exposition.ts";
import type { AdmissionListener } from "../admission/admission-listener.ts";
import { measureDecisions } from "../controllers/metrics/decision-metrics.ts";
import { Metrics } from "../telemetry/metrics.ts";
import type { Views } from "../views/views.ts";
import { measureAdmission, measurePolicies } from "./metrics/admission-metrics.ts";
import { measureRequests } from "./metrics/request-metrics.ts";
import { measuredLog } from "./metrics/storage-metrics.ts";
import { measureStreamHealth, measureStreams } from "./metrics/stream-metrics.ts";

const { signal } = new AbortController();

function measured() {
  const metrics = new Metrics((where, error) => {
    throw new Error(`${where}: ${error}`);
  });
  /** All samples that are not nought, as `name{values of labels}`. */
  const seen = async (): Promise<Readonly<Record<string, number>>> => {
    const samples = [...readExposition(await metrics.text(signal)).values()].flatMap((family) => family.samples);
    const shown = samples.filter(({ name, value }) => value !== 0 && !name.endsWith("_bucket"));
    return Object.fromEntries(shown.map(({ name, labels, value }) => [`${name}{${Object.values(labels)}}`, value]));
  };
  return { metrics, seen };
}

const admission = "milo_quota_admission";

describe("listeners", () => {
  it("count what streams go through", async () => {
    const { metrics, seen } = measured();
    const told = measureStreams(metrics);
    told.opened?.();
    told.opened?.();
    told.connected?.();
    told.received?.("Bookmark");
    told.processed?.("ignored");
    told.failed?.("410");
    told.disconnected?.("error", 90_000);
    told.restarted?.(250);
    told.idle?.();
    told.ended?.("idle");
    told.ended?.("shutdown");
    expect(await seen()).toEqual({
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

  it("time those who waited, but not those who left before anything was known", async () => {
    const { metrics, seen } = measured();
    const told = measureStreams(metrics);
    told.waiting?.();
    told.waiting?.();
    told.waited?.("timeout", 8_000);
    told.waited?.("unregistered", 3);
    expect(await seen()).toEqual({
      [`${admission}_waiter_registrations_total{}`]: 2,
      [`${admission}_waiter_completions_total{timeout}`]: 1,
      [`${admission}_waiter_completions_total{unregistered}`]: 1,
      [`${admission}_waiter_duration_seconds_sum{timeout}`]: 8,
      [`${admission}_waiter_duration_seconds_count{timeout}`]: 1,
    });
  });

  it("show how streams are", async () => {
    const { metrics, seen } = measured();
    const health = { desired: 3, connected: 2, waiters: 7, uptimeMsMax: 1_500, bookmarkAgeMsMax: 61_000 };
    measureStreamHealth(metrics, () => health);
    expect(await seen()).toEqual({
      [`${admission}_watch_managers_active{}`]: 3,
      [`${admission}_watch_streams_desired{}`]: 3,
      [`${admission}_watch_streams_connected{}`]: 2,
      [`${admission}_waiters_current{}`]: 7,
      [`${admission}_watch_stream_max_uptime_seconds{}`]: 1.5,
      [`${admission}_watch_bookmark_max_age_seconds{}`]: 61,
    });
  });

  it("count what policies come to, and how they come and go", async () => {
    const { metrics, seen } = measured();
    const told = measureAdmission(metrics);
    const heard: Partial<Parameters<Views["claimPolicies"]["subscribe"]>[0]>[] = [];
    measurePolicies(metrics, {
      subscribe: (listener) => {
        heard.push(listener);
        return () => undefined;
      },
    });
    type Decided = Parameters<NonNullable<AdmissionListener["decided"]>>;
    const policy = { metadata: { name: "maps" } } as Decided[0];
    const change = { kind: { group: "apps", kind: "Deployment" }, dryRun: false } as Decided[1];
    told.decided?.(policy, change, "policy_disabled");
    told.decided?.(policy, { ...change, dryRun: true }, "denied");
    told.missingKey?.(policy);
    const place = { plane: "root", namespace: "", name: "maps" };
    heard[0]?.added?.(place, policy);
    heard[0]?.removed?.(place, policy);
    expect(await seen()).toEqual({
      [`${admission}_result_total{policy_disabled,maps,,apps,Deployment}`]: 1,
      "milo_quota_policy_missing_keys_total{maps}": 1,
      "milo_quota_policy_informer_events_total{add}": 1,
      "milo_quota_policy_informer_events_total{delete}": 1,
      "milo_quota_policy_load_total{}": 1,
    });
  });

  it("show drift until the next audit finds none", async () => {
    const { metrics, seen } = measured();
    const told = measureDecisions(metrics);
    told.audited?.();
    told.drifted?.("core/secrets", 3n);
    told.drifted?.("core/secrets", 2n);
    expect(await seen()).toEqual({ "milo_quota_audits_total{}": 1, "milo_quota_drift{core/secrets}": 5 });
    told.audited?.();
    expect(await seen()).toEqual({ "milo_quota_audits_total{}": 2 });
  });

  it("tell adopted claims from repaired ones", async () => {
    const { metrics, seen } = measured();
    const told = measureDecisions(metrics);
    told.forced?.("adopted");
    told.forced?.("adopted");
    told.forced?.("repaired");
    expect(await seen()).toEqual({
      "milo_quota_forced_claims_total{adopted}": 2,
      "milo_quota_forced_claims_total{repaired}": 1,
    });
  });

  it("keep the number of sorts of requests within limits, and time no watch", async () => {
    const { metrics, seen } = measured();
    const told = measureRequests(metrics);
    const about = (resource: string, verb = "GET"): RequestSubject => ({
      verb,
      group: "g",
      version: "v1",
      resource,
      subresource: "",
      scope: "cluster",
    });
    const answered = (subject: RequestSubject): void => {
      told.begun?.();
      told.answered?.({ subject, method: "GET", path: "/", code: 200, ms: 4 });
    };
    answered(about("watched", "WATCH"));
    for (let at = 0; at < 600; at += 1) answered(about(`kind${at}`));
    const samples = await seen();
    expect(samples["apiserver_request_total{GET,,,other,,,200}"]).toBe(101);
    expect(samples["apiserver_request_total{WATCH,g,v1,watched,,cluster,200}"]).toBe(1);
    expect(samples["apiserver_request_duration_seconds_count{WATCH,g,v1,watched,,cluster}"]).toBeUndefined();
    expect(samples["apiserver_current_inflight_requests{}"]).toBeUndefined();
  });
});

describe("a log that is measured", () => {
  const key = { plane: "root", resource: "secrets", namespace: "default", name: "a" };
  const record = (revision: number) => ({ revision, key, deleted: false, text: "12345", more: false });

  function measuredOver(append: RecordLog["append"]) {
    const { metrics, seen } = measured();
    let nowMs = 0;
    const log: RecordLog = {
      place: "here",
      load: async () => {
        throw new Error("not asked for");
      },
      gathered: async () => undefined,
      append: async (records) => {
        nowMs += 40;
        await append(records);
      },
      compact: async () => undefined,
      close: async () => undefined,
    };
    return { log: measuredLog(log, metrics, () => nowMs), seen };
  }

  it("counts what became durable, and together with how much", async () => {
    const { log, seen } = measuredOver(async () => undefined);
    await log.append([record(2), record(3)]);
    await log.append([record(4)]);
    expect(log.place).toBe("here");
    expect(await seen()).toEqual({
      "milo_quota_storage_writes_total{}": 3,
      "milo_quota_storage_written_bytes_total{}": 15,
      "milo_quota_storage_commit_size_sum{}": 3,
      "milo_quota_storage_commit_size_count{}": 2,
      "milo_quota_storage_commit_duration_seconds_sum{}": 0.08,
      "milo_quota_storage_commit_duration_seconds_count{}": 2,
    });
  });

  it("counts failures apart, and hands them on as they are", async () => {
    const full = new LogFull("no room");
    const { log, seen } = measuredOver(async () => {
      throw full;
    });
    await expect(log.append([record(2)])).rejects.toBe(full);
    expect(await seen()).toEqual({ "milo_quota_storage_failures_total{}": 1 });
  });
});
