import { readFileSync } from "node:fs";
import { metricSections } from "@milo-quota/quota/embedded/metrics/all-metrics.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  claimPolicy,
  configMap,
  eventually,
  grant,
  grantPolicy,
  MetricsWorld,
  paths,
  registration,
} from "./metrics-world.ts";

let world: MetricsWorld;

beforeAll(async () => {
  world = await MetricsWorld.start();
  for (const [path, manifest] of [
    [paths.registrations, registration],
    [paths.claimPolicies, claimPolicy],
    [paths.grantPolicies, grantPolicy],
    [paths.grants, grant],
  ] as const) {
    expect((await world.create(path, manifest)).code).toBe(201);
  }
  await eventually(async () => {
    const ready = await world.samples("milo_quota_claim_policy_status_condition", { type: "Ready", status: "True" });
    expect(ready).toHaveLength(1);
    expect(await world.value("milo_quota_bucket_limit")).toBe(2);
    expect(await world.value("milo_quota_policies_active")).toBe(1);
  });
  for (const name of ["one", "two"]) expect((await world.create(paths.configMaps, configMap(name))).code).toBe(201);
  expect((await world.create(paths.configMaps, configMap("three"))).code).toBe(403);
  await eventually(async () => expect(await world.value("milo_quota_bucket_allocated")).toBe(2));
}, 60_000);

afterAll(() => world.system.stop(), 60_000);

interface PageRow {
  readonly type: string;
  readonly labels: readonly string[];
  readonly buckets: readonly string[];
}

function pageRows(): ReadonlyMap<string, PageRow> {
  const rows = readFileSync("docs/reference/metrics.md", "utf8").matchAll(
    /^\| `([a-z_]+)` \| (\w+) \| (.*?) \| (.*) \|$/gm,
  );
  return new Map(
    [...rows].map(([, name = "", type = "", labels = "", text = ""]) => {
      const [, buckets = ""] = /Buckets: (.*)\.$/.exec(text) ?? [];
      const row = {
        type,
        labels: [...labels.matchAll(/`([a-z_]+)`/g)].map(([, label = ""]) => label),
        buckets: buckets === "" ? [] : buckets.split(", "),
      };
      return [name, row];
    }),
  );
}

describe("the reference page", () => {
  it("lists exactly the served metrics", async () => {
    expect([...(await world.scrape()).keys()].sort()).toEqual([...pageRows().keys()].sort());
  });

  it("lists each metric once", () => {
    const names = metricSections.flatMap(({ metrics }) => metrics.map(({ name }) => name));
    expect(names.length).toBe(new Set(names).size);
    expect(names.length).toBe(pageRows().size);
  });

  it("has the type, labels and buckets of each metric", async () => {
    const rows = pageRows();
    for (const [name, { type, samples }] of await world.scrape()) {
      const row = rows.get(name);
      expect([name, row?.type]).toEqual([name, type]);
      const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels)).filter((label) => label !== "le"));
      expect([...labels].filter((label) => row?.labels.includes(label) !== true)).toEqual([]);
      const bounds = new Set(samples.flatMap(({ labels: { le } }) => (le === undefined || le === "+Inf" ? [] : [le])));
      if (samples.length > 0) expect([name, [...bounds]]).toEqual([name, row?.buckets ?? []]);
    }
  });
});

describe("admission", () => {
  const policy = { policy_name: "maps", policy_namespace: "", resource_group: "", resource_kind: "ConfigMap" };

  it("counts policy results", async () => {
    expect(await world.value("milo_quota_admission_result_total", { ...policy, result: "granted" })).toBe(2);
    expect(await world.value("milo_quota_admission_result_total", { ...policy, result: "denied" })).toBe(1);
  });

  it("counts waiting requests and their duration", async () => {
    // Objects within quota are granted in their transaction and do not wait.
    expect(await world.value("milo_quota_admission_waiter_registrations_total")).toBe(1);
    expect(await world.value("milo_quota_admission_waiter_completions_total", { result: "denied" })).toBe(1);
    const [count] = (await world.samples("milo_quota_admission_waiter_duration_seconds", { result: "denied" })).filter(
      ({ name }) => name.endsWith("_count"),
    );
    expect(count?.value).toBe(1);
    expect(await world.value("milo_quota_admission_waiters_current")).toBe(0);
  });

  it("shows one connected stream for one control plane in use", async () => {
    expect(await world.value("milo_quota_admission_watch_managers_created_total")).toBe(1);
    expect(await world.value("milo_quota_admission_watch_managers_active")).toBe(1);
    expect(await world.value("milo_quota_admission_watch_streams_desired")).toBe(1);
    expect(await world.value("milo_quota_admission_watch_streams_connected")).toBe(1);
    expect(await world.value("milo_quota_admission_watch_stream_max_uptime_seconds")).toBeGreaterThan(0);
    expect(await world.value("milo_quota_admission_ttl_resets_total")).toBeGreaterThan(0);
    expect(
      await world.value("milo_quota_admission_watch_events_received_total", { event_type: "Added" }),
    ).toBeGreaterThan(0);
  });

  it("shows the loaded policies", async () => {
    expect(await world.value("milo_quota_policy_informer_events_total", { type: "add" })).toBe(1);
    expect(await world.value("milo_quota_policy_load_total")).toBeGreaterThan(0);
    expect(await world.value("milo_quota_enforcement", { mode: "Enforce" })).toBe(1);
  });

  it("counts no dry run", async () => {
    const answer = await world.system.server.api.handle({
      method: "POST",
      path: paths.configMaps,
      query: new URLSearchParams({ dryRun: "All" }),
      headers: { "content-type": ["application/json"], authorization: [`Bearer ${world.system.token}`] },
      body: async () => JSON.stringify(configMap("tried")),
      abortController: new AbortController(),
    });
    expect(answer.code).toBe(403);
    expect(await world.value("milo_quota_admission_result_total", { ...policy, result: "denied" })).toBe(1);
  });
});

describe("controllers", () => {
  it("count decisions and writes", async () => {
    expect(await world.value("milo_quota_claim_decisions_total", { result: "granted" })).toBe(2);
    expect(await world.value("milo_quota_claim_decisions_total", { result: "denied" })).toBe(1);
    expect(await world.value("milo_quota_bucket_writes_total", { result: "written" })).toBeGreaterThan(0);
    expect(await world.value("milo_quota_bucket_recounts_total")).toBeGreaterThan(0);
    expect(await world.value("milo_quota_claims", { state: "granted" })).toBe(2);
    expect(await world.value("milo_quota_claims", { state: "pending" })).toBe(0);
  });

  it("show the state of informers and leadership", async () => {
    expect(await world.value("leader_election_master_status", { name: "milo-quota-controllers" })).toBe(1);
    const states = await world.samples("milo_quota_informer_state");
    expect(states.map(({ labels }) => `${labels["informer"]} ${labels["state"]}`).sort()).toEqual([
      "claimPolicies live",
      "claims live",
      "grantPolicies live",
      "grants live",
      "registrations live",
      "tenancy-memberships live",
      "tenancy-namespaces live",
      "tenancy-organizations live",
      "tenancy-projects live",
      "tenancy-users live",
    ]);
    expect(await world.value("milo_quota_informer_restarts_total", { informer: "claims" })).toBe(0);
  });

  it("show the freshness of each bucket", async () => {
    const [age] = await world.samples("milo_quota_bucket_freshness_seconds");
    const [bucket] = await world.samples("milo_quota_bucket_info");
    const { namespace, name, resource_type } = bucket?.labels ?? {};
    expect(age?.labels).toEqual({ control_plane: "", namespace, name, resource_type });
    expect(resource_type).toBe("core/configmaps");
    expect(age?.value).toBeGreaterThanOrEqual(0);
    expect(age?.value).toBeLessThan(60);
  });

  it("show all work queues by name", async () => {
    const names = (await world.samples("workqueue_adds_total")).map(({ labels }) => labels["name"]);
    expect(new Set(names)).toEqual(
      new Set([
        "buckets",
        "claim-owners",
        "consumers",
        "figures",
        "grant-policies",
        "grants",
        "memberships",
        "object-claims",
        "organizations",
        "previews",
        "projects",
        "registrations",
      ]),
    );
    expect(await world.value("workqueue_adds_total", { name: "grants" })).toBeGreaterThan(0);
    await eventually(async () => expect(await world.value("workqueue_depth", { name: "buckets" })).toBe(0));
  });
});

describe("the server", () => {
  it("counts requests by resource", async () => {
    const about = {
      verb: "POST",
      group: "",
      version: "v1",
      resource: "configmaps",
      subresource: "",
      scope: "namespace",
    };
    expect(await world.value("apiserver_request_total", { ...about, code: "201" })).toBe(2);
    expect(await world.value("apiserver_request_total", { ...about, code: "403" })).toBeGreaterThan(0);
    const [count] = (await world.samples("apiserver_request_duration_seconds", about)).filter(({ name }) =>
      name.endsWith("_count"),
    );
    expect(count?.value).toBeGreaterThanOrEqual(3);
    expect(await world.value("apiserver_longrunning_requests")).toBeGreaterThan(0);
  });

  it("has no labels with values from unknown paths", async () => {
    await world.request("GET", "/apis/made.up/v1/inventions", { token: world.system.token });
    await world.request("BREW", "/made/up", { token: world.system.token });
    const counted = await world.samples("apiserver_request_total");
    const values = counted.flatMap(({ labels }) => Object.values(labels));
    expect(values.filter((value) => ["made.up", "inventions", "BREW"].includes(value))).toEqual([]);
    expect(await world.value("apiserver_request_total", { verb: "other", resource: "", code: "404" })).toBe(1);
  });

  it("counts durable writes", async () => {
    expect(await world.value("milo_quota_storage_writes_total")).toBeGreaterThan(10);
    expect(await world.value("milo_quota_storage_revision")).toBeGreaterThan(10);
    expect(await world.value("milo_quota_storage_failures_total")).toBe(0);
    expect(await world.samples("milo_quota_storage_log_bytes")).toEqual([]);
  });
});

describe("access to metrics", () => {
  const project = "/apis/resourcemanager.miloapis.com/v1alpha1/projects";

  it("is allowed for the administrator at the API server", async () => {
    const answer = await world.request("GET", "/metrics", { token: world.system.token });
    expect([answer.code, answer.type]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
    expect(answer.body).toContain("milo_quota_bucket_limit{");
  });

  it("is denied without permission", async () => {
    expect((await world.request("GET", "/metrics")).code).toBe(401);
    const as = (user: string, group: string) =>
      world.request("GET", "/metrics", {
        token: world.system.token,
        headers: { "impersonate-user": [user], "impersonate-group": [group, "system:authenticated"] },
      });
    expect((await as("bob", "people")).code).toBe(403);
    expect((await as("prometheus", "system:monitoring")).code).toBe(200);
  });

  it("is denied at the path of a control plane", async () => {
    const organization = { apiVersion: "resourcemanager.miloapis.com/v1alpha1", kind: "Organization" };
    const organizations = project.replace("projects", "organizations");
    const created = await world.create(organizations, {
      ...organization,
      metadata: { name: "acme" },
      spec: { type: "Standard" },
    });
    expect(created.code).toBe(201);
    const of = `${organizations}/acme/control-plane/metrics`;
    await eventually(async () => {
      const answer = await world.request("GET", of.replace("/metrics", "/version"), { token: world.system.token });
      expect(answer.code).toBe(200);
    });
    expect((await world.request("GET", of, { token: world.system.token })).code).toBe(404);
  });

  it("is read-only", async () => {
    expect((await world.request("POST", "/metrics", { token: world.system.token })).code).toBe(405);
  });
});

it("reports no errors", () => {
  expect(world.reported).toEqual([]);
});
