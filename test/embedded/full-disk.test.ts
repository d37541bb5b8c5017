import { execFileSync } from "node:child_process";
import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import { type Up, up } from "@milo-quota/quota/embedded/up.ts";
import type { Log } from "@milo-quota/quota/telemetry/log.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CliTestEnv } from "../cli/cli-test-env.ts";
import { canMount, TinyDisk } from "../storage/tiny-disk.ts";
import { ApiClient, type ApiResponse } from "./api-client.ts";

const quota = "/apis/quota.miloapis.com/v1alpha1";
const apiVersion = "quota.miloapis.com/v1alpha1";
const configMaps = "/api/v1/namespaces/default/configmaps";
const consumer = { apiGroup: "", kind: "Namespace", name: "default" };
const resourceType = "core/configmaps";

const setup: Record<string, object> = {
  resourceregistrations: {
    spec: {
      resourceType,
      type: "Entity",
      baseUnit: "config map",
      consumerType: { apiGroup: "", kind: "Namespace" },
      claimingResources: [{ apiGroup: "", kind: "ConfigMap" }],
    },
  },
  "namespaces/default/resourcegrants": {
    spec: { consumerRef: consumer, allowances: [{ resourceType, buckets: [{ amount: 100 }] }] },
  },
  claimcreationpolicies: {
    spec: {
      trigger: {
        resource: { apiVersion: "v1", kind: "ConfigMap" },
        constraints: [{ expression: 'trigger.metadata.name.startsWith("map-")' }],
      },
      target: {
        resourceClaimTemplate: { spec: { consumerRef: consumer, requests: [{ resourceType, amount: 1 }] } },
      },
    },
  },
};

const kindOf: Record<string, string> = {
  resourceregistrations: "ResourceRegistration",
  "namespaces/default/resourcegrants": "ResourceGrant",
  claimcreationpolicies: "ClaimCreationPolicy",
};

describe.runIf(canMount())("milo-quota up on a full disk", () => {
  let disk: TinyDisk;
  const lines: string[] = [];
  let system: Up;
  let client: ApiClient;
  let env: CliTestEnv;

  async function start(port = 0): Promise<void> {
    const log = Object.fromEntries(
      ["error", "warn", "info", "debug"].map((level) => [level, (text: string) => lines.push(`${level} ${text}`)]),
    ) as unknown as Log;
    const report = (where: string, error: unknown): void => void lines.push(`reported ${where}: ${error}`);
    const elapsedMs = (): number => performance.now();
    const { directory } = disk;
    system = await up({
      directory,
      host: "127.0.0.1",
      port,
      metricsPort: 0,
      clock: systemClock,
      elapsedMs,
      report,
      log,
    });
    client = ApiClient.byKubeconfig(system.kubeconfig as string);
  }

  async function allocated(): Promise<number> {
    const { items } = (await client.get(`${quota}/allowancebuckets`)).body;
    return items.find(({ spec }: { spec: { dimensions?: object } }) => spec.dimensions === undefined).status.allocated;
  }

  const create = (name: string, metadata = {}): Promise<ApiResponse> =>
    client.create(configMaps, { metadata: { name, ...metadata } });

  /** Fills the disk, and the space that the write-ahead log has already. */
  async function fill(): Promise<void> {
    disk.fill();
    const data = { text: "x".repeat(200_000) };
    for (
      let count = 0;
      (await client.create(configMaps, { metadata: { name: `large-${count}` }, data })).code === 201;
    )
      count += 1;
  }

  async function storageLines(): Promise<readonly string[]> {
    return lines.filter((line) => /writes are/.test(line));
  }

  beforeAll(async () => {
    disk = TinyDisk.mount(64) as TinyDisk;
    env = await CliTestEnv.build();
    await start();
    for (const [path, object] of Object.entries(setup)) {
      const made = await client.create(`${quota}/${path}`, {
        apiVersion,
        kind: kindOf[path],
        metadata: { name: "config-maps" },
        ...object,
      });
      expect([made.code, made.text]).toEqual([201, expect.anything()]);
    }
    await client.until(`${quota}/claimcreationpolicies/config-maps`, ({ status }) =>
      (status?.conditions ?? []).some(
        ({ type, status: is }: Record<string, string>) => type === "Ready" && is === "True",
      ),
    );
    for (let count = 0; count < 6; count += 1) expect((await create(`map-${count}`)).code).toBe(201);
    expect((await create("map-held", { finalizers: ["example.com/a", "example.com/b"] })).code).toBe(201);
    expect(await allocated()).toBe(7);
  }, 120_000);

  beforeEach(fill);

  afterAll(async () => {
    await client.close();
    await system.stop();
    disk.unmount();
    await env.stop();
  });

  it("rejects other writes at once, without asking the client to retry", async () => {
    const replies = [
      await create("map-new"),
      await create("new"),
      await client.merge(`${configMaps}/map-1`, { data: {} }),
    ];
    const labelled = await client.merge(`${configMaps}/map-1`, { metadata: { labels: { a: "b" } } });
    for (const { code, body } of [replies[0] as ApiResponse, replies[1] as ApiResponse, labelled]) {
      expect([code, body.reason, body.details]).toEqual([503, "ServiceUnavailable", undefined]);
      expect(body.message).toMatch(
        /^the disk is full and nothing was written \(.*\); writes resume when there is space$/,
      );
    }
  });

  it("is not ready, but alive, and says so in log, metrics and doctor", async () => {
    const text =
      "the disk is full and nothing was written (database or disk is full); writes resume when there is space";
    const ready = await client.get("/readyz?verbose");
    expect([ready.code, ready.text]).toEqual([500, `[+]ping ok\n[-]storage failed: ${text}\nreadyz check failed\n`]);
    expect((await client.get("/livez")).code).toBe(200);
    expect((await fetch(`${new URL(system.metricsUrl as string).origin}/readyz`)).status).toBe(500);
    expect(await (await fetch(system.metricsUrl as string)).text()).toContain("\nmilo_quota_storage_writable 0\n");
    const isCertain = (line: string): boolean => line.startsWith("error not all writes are stored");
    expect((await storageLines()).filter(isCertain)).toEqual([`error not all writes are stored: ${text}`]);
    const doctor = await env.run(["doctor", "--kubeconfig", system.kubeconfig as string]);
    expect([doctor.status, doctor.out]).toEqual([
      1,
      expect.stringContaining(
        `PROBLEM  storage        not all writes are stored: ${text}\n${" ".repeat(24)}Free space on the disk`,
      ),
    ]);
  });

  it("takes deletions, releases their quota, and removes finalizers", async () => {
    expect((await client.remove(`${configMaps}/map-0`)).code).toBe(200);
    expect((await client.remove(`${configMaps}/map-1`)).code).toBe(200);
    await expect.poll(allocated).toBe(5);
    const held = `${configMaps}/map-held`;
    expect((await client.merge(held, { metadata: { finalizers: ["example.com/b"] } })).code).toBe(200);
    expect((await client.remove(held)).code).toBe(200);
    expect((await client.get(held)).body.metadata.deletionTimestamp).toBeDefined();
    expect((await client.merge(held, { metadata: { finalizers: [] } })).code).toBe(200);
    expect((await client.get(held)).code).toBe(404);
    await expect.poll(allocated).toBe(4);
    await expect.poll(async () => (await client.get(`${quota}/resourceclaims`)).body.items.length).toBe(4);
  });

  it("deletes a namespace with all that is in it", async () => {
    disk.empty();
    await expect.poll(async () => (await client.get("/readyz")).code, { timeout: 10_000 }).toBe(200);
    expect((await client.create("/api/v1/namespaces", { metadata: { name: "team" } })).code).toBe(201);
    const inTeam = "/api/v1/namespaces/team/configmaps";
    expect((await client.create(inTeam, { metadata: { name: "a" } })).code).toBe(201);
    await fill();
    expect((await client.remove("/api/v1/namespaces/team")).code).toBe(200);
    await expect.poll(async () => (await client.get("/api/v1/namespaces/team")).code, { timeout: 10_000 }).toBe(404);
  });

  it("starts on a full disk, and takes deletions", async () => {
    await client.close();
    await system.stop();
    disk.fill();
    await start(Number(new URL(system.url).port));
    expect((await create("new")).code).toBe(503);
    expect((await client.remove(`${configMaps}/map-2`)).code).toBe(200);
    await expect.poll(allocated).toBe(3);
  });

  it("takes all writes again soon after there is space, without being asked", async () => {
    lines.length = 0;
    disk.empty();
    await expect
      .poll(async () => (await client.get("/readyz?verbose")).text, { timeout: 10_000 })
      .toBe("[+]ping ok\n[+]storage ok\nreadyz check passed\n");
    expect(await storageLines()).toEqual(["info all writes are stored again"]);
    expect(execFileSync("ls", ["-s", disk.directory]).toString()).toMatch(/\b8192 objects\.reserve/);
    expect((await create("map-0")).code).toBe(201);
    await expect.poll(allocated).toBe(4);
    const { out } = await env.run(["doctor", "--kubeconfig", system.kubeconfig as string]);
    expect(out).toContain("ok       storage        all writes are stored\n");
  });
});
