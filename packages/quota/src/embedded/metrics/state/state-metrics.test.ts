import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import type { ListerWatcher } from "@milo-quota/kubernetes/client/watch/lister-watcher.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { describe, expect, it } from "vitest";
import { readExposition } from "../../../../test/exposition.ts";
import { StateMetrics } from "./state-metrics.ts";

const { signal } = new AbortController();

interface Placed {
  readonly plane: string;
  readonly object: JsonObject;
}

/** Serves objects by plural, in pages. */
function metricsOf(objects: Readonly<Record<string, readonly Placed[]>>, objectsMax?: number) {
  const reported: string[] = [];
  let turns = 0;
  const source = ({ plural }: ResourceType): ListerWatcher => ({
    list: async ({ limit = 0, continue: from = "0" }) => {
      if (plural === "resourcegrants" && objects[plural] === undefined) throw new Error("out of order");
      const all = objects[plural] ?? [];
      const end = Number(from) + limit;
      return {
        items: all.slice(Number(from), end),
        resourceVersion: "1",
        continue: end < all.length ? String(end) : "",
      };
    },
    watch: async () => undefined,
    planeOf: (said) => said ?? "root",
  });
  const metrics = new StateMetrics({
    planes: { root: "root", everywhere: source, inRoot: source },
    report: (where) => reported.push(where),
    yieldToEventLoop: async () => {
      turns += 1;
    },
    ...(objectsMax === undefined ? {} : { objectsMax }),
  });
  const read = async () => readExposition(await metrics.text(signal));
  return { read, reported, turns: () => turns };
}

const bucket = (name: string, plane = "root"): Placed => ({
  plane,
  object: {
    metadata: { uid: `uid-${name}`, name, namespace: "milo-system", generation: 1 },
    spec: {
      consumerRef: { apiGroup: "resourcemanager.miloapis.com", kind: "Project", name: "p1" },
      resourceType: "core/secrets",
    },
    status: {
      limit: 9007199254740993n,
      allocated: 4,
      available: 0,
      claimCount: 2,
      grantCount: 1,
      lastReconciliation: "2026-01-31T12:00:00Z",
    },
  } as unknown as JsonObject,
});

const registration: Placed = {
  plane: "root",
  object: {
    metadata: { uid: "r1", name: "secrets", generation: 2 },
    spec: { resourceType: "core/secrets", type: "Entity", baseUnit: "secret", consumerTypeRef: { kind: "Project" } },
    status: {
      observedGeneration: 1,
      conditions: [
        { type: "Active", status: "False", reason: "ValidationFailed" },
        { type: "Other", status: "True" },
      ],
    },
  },
};

const empty = { resourcegrants: [] };

describe("metrics of objects", () => {
  it("show stored objects, with the common labels", async () => {
    const families = await metricsOf({ ...empty, allowancebuckets: [bucket("b1", "projects/p1")] }).read();
    const common = {
      component: "quota_system",
      resource_type: "core/secrets",
      control_plane: "projects/p1",
      uid: "uid-b1",
      name: "b1",
      namespace: "milo-system",
    };
    const one = (suffix: string) => families.get(`milo_quota_bucket_${suffix}`)?.samples[0];
    expect(one("info")?.labels).toEqual({
      ...common,
      consumer_api_group: "resourcemanager.miloapis.com",
      consumer_kind: "Project",
      consumer_name: "p1",
    });
    expect(one("allocated")).toEqual({ name: "milo_quota_bucket_allocated", labels: common, value: 4 });
    expect(one("limit")?.value).toBe(9007199254740992);
    expect(one("last_reconciliation_timestamp")?.value).toBe(1769860800);
    expect(one("observed_generation")).toBeUndefined();
  });

  it("show the dimensions of a bucket, so that the one without dimensions can be selected", async () => {
    const [all, some] = [bucket("all"), bucket("some")];
    const spec = { ...(some.object["spec"] as JsonObject), dimensions: { zone: "b", size: "l" } };
    const objects = [all, { ...some, object: { ...some.object, spec } }];
    const families = await metricsOf({ ...empty, allowancebuckets: objects }).read();
    const samples = families.get("milo_quota_bucket_allocated")?.samples ?? [];
    expect(samples.map(({ labels }) => labels["dimensions"])).toEqual([undefined, "size=l,zone=b"]);
  });

  it("omit the control plane of the root, and use defaults for unset fields", async () => {
    const families = await metricsOf({ ...empty, resourceregistrations: [registration] }).read();
    expect(families.get("milo_quota_registration_info")?.samples[0]?.labels).toEqual({
      component: "quota_system",
      resource_type: "core/secrets",
      uid: "r1",
      name: "secrets",
      consumer_kind: "Project",
      registration_type: "Entity",
      base_unit: "secret",
      display_unit: "secret",
      unit_conversion_factor: "1",
    });
    expect(families.get("milo_quota_registration_observed_generation")?.samples[0]?.value).toBe(1);
    expect(families.get("milo_quota_registration_current_generation")?.samples[0]?.value).toBe(2);
  });

  it("of kinds that can have several resource types show the plural", async () => {
    const claim = (...types: readonly string[]): Placed => ({
      plane: "root",
      object: {
        metadata: { uid: types.join(), name: "claim", namespace: "default", generation: 1 },
        spec: { requests: types.map((resourceType) => ({ resourceType, amount: 1 })) },
      },
    });
    const world = metricsOf({ ...empty, resourceclaims: [claim("core/secrets"), claim("core/secrets", "core/pods")] });
    const shown = (await world.read()).get("milo_quota_claim_info")?.samples ?? [];
    expect(shown.map(({ labels }) => labels["resource_type"])).toEqual(["resourceclaims", "resourceclaims"]);
  });

  it("have a sample for each condition, with its reason", async () => {
    const families = await metricsOf({ ...empty, resourceregistrations: [registration] }).read();
    const conditions = families.get("milo_quota_registration_status_condition")?.samples ?? [];
    const shown = conditions.map(({ labels: { type, status, reason }, value }) => [type, status, reason, value]);
    expect(shown).toEqual([
      ["Active", "False", "ValidationFailed", 1],
      ["Other", "True", undefined, 1],
    ]);
  });

  it("are truncated at the maximum number of objects, and tell so", async () => {
    const many = Array.from({ length: 1_001 }, (_, at) => bucket(`b${at}`));
    const cut = async (count: number, max: number) => {
      const families = await metricsOf({ ...empty, allowancebuckets: many.slice(0, count) }, max).read();
      const [said] =
        families
          .get("milo_quota_state_truncated")
          ?.samples.filter(({ labels }) => labels["resource_type"] === "allowancebuckets") ?? [];
      return [families.get("milo_quota_bucket_info")?.samples.length, said?.value];
    };
    expect(await cut(1_000, 1_000)).toEqual([1_000, 0]);
    expect(await cut(1_001, 1_000)).toEqual([1_000, 1]);
    expect(await cut(0, 1_000)).toEqual([0, 0]);
  });

  it("yield to the event loop regularly", async () => {
    const world = metricsOf({ ...empty, allowancebuckets: Array.from({ length: 1_000 }, (_, at) => bucket(`b${at}`)) });
    await world.read();
    expect(world.turns()).toBeGreaterThanOrEqual(1_000 / 100);
  });

  it("of a kind that cannot be listed do not hide those of others", async () => {
    const world = metricsOf({ allowancebuckets: [bucket("b1")] });
    const families = await world.read();
    expect(world.reported).toEqual(["metrics of resourcegrants"]);
    expect(families.get("milo_quota_grant_info")?.samples).toEqual([]);
    expect(families.get("milo_quota_bucket_info")?.samples).toHaveLength(1);
  });
});
