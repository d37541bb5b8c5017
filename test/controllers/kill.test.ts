import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dimensionKey } from "@milo-quota/quota/core/resources/fields/dimensions.ts";
import { bucketName } from "@milo-quota/quota/core/resources/object-names.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildServer, KillableServer, type ServerProgram } from "../apiserver/killable-server.ts";
import { pick, seeded } from "../apiserver/random-writes.ts";
import { ConnectionClosed, type TestClient } from "../apiserver/test-client.ts";
import type { Body } from "../apiserver/test-server.ts";
import { claim, grant, location, organization, type RequestInput, registration } from "./system/manifests.ts";

const kills = 20;
const api = "/apis/quota.miloapis.com/v1alpha1";
const claims = `${api}/namespaces/default/resourceclaims`;
const cpu = "test.example.com/cpu";
const disk = "test.example.com/disk";
const address = "test.example.com/address";
const limit = 40;
/** Part of the addresses that is for Dallas only. */
const dallasOnly = 15;
const dallas = { [location]: "DLS" };
const london = { [location]: "LHR" };

const requests: readonly (readonly RequestInput[])[] = [
  [{ resourceType: cpu, amount: 1 }],
  [{ resourceType: disk, amount: 3 }],
  [
    { resourceType: cpu, amount: 2 },
    { resourceType: disk, amount: 2 },
  ],
  [{ resourceType: address, amount: 2, dimensions: dallas }],
  [
    { resourceType: address, amount: 1, dimensions: dallas },
    { resourceType: address, amount: 1, dimensions: london },
    { resourceType: cpu, amount: 1 },
  ],
];

interface Holding {
  readonly resourceType: string;
  readonly place: string;
  readonly amount: number;
}

/** Allocations of all claims by their status. */
function held(items: readonly Body[]): readonly Holding[] {
  const granted = items.filter((item) => reasonOf(item) === "QuotaAvailable");
  return granted.flatMap((item) =>
    item.status.allocations.map(({ resourceType, dimensions, allocatedAmount }: Body) => ({
      resourceType,
      place: dimensionKey(dimensions ?? {}),
      amount: Number(allocatedAmount),
    })),
  );
}

function sum(holdings: readonly Holding[], resourceType: string, place = ""): number {
  const own = holdings.filter((each) => each.resourceType === resourceType && each.place.includes(place));
  return own.reduce((total, { amount }) => total + amount, 0);
}

function reasonOf(item: Body): string {
  return item.status?.conditions?.[0]?.reason ?? "none";
}

/** At no time, claims hold more than is granted. */
function expectNoOvercommit(items: readonly Body[]): void {
  const holdings = held(items);
  for (const type of [cpu, disk, address]) expect(sum(holdings, type), type).toBeLessThanOrEqual(limit);
  expect(sum(holdings, address, "LHR"), "London").toBeLessThanOrEqual(limit - dallasOnly);
}

class Clients {
  /** The first observed decision of each claim by UID: it never changes. */
  readonly #decided = new Map<string, string>();
  granted = 0;
  denied = 0;
  #made = 0;

  /** Creates and deletes claims until the connection breaks. */
  async churn(client: TestClient, random: () => number): Promise<void> {
    const mine: string[] = [];
    try {
      for (;;) {
        this.#made += 1;
        const name = `claim-${this.#made}`;
        const { code, text } = await client.send("POST", claims, claim(name, organization, pick(random, requests)));
        expect(code, text).toBe(201);
        mine.push(name);
        if (random() < 0.6)
          await client.send("DELETE", `${claims}/${mine.splice(Math.floor(random() * mine.length), 1)}`);
      }
    } catch (error) {
      if (!(error instanceof ConnectionClosed)) throw error;
    }
  }

  /** Checks all claims repeatedly until the connection breaks. */
  async look(client: TestClient): Promise<void> {
    try {
      for (;;) this.see((await client.send("GET", claims)).body.items);
    } catch (error) {
      if (!(error instanceof ConnectionClosed)) throw error;
    }
  }

  see(items: readonly Body[]): void {
    expectNoOvercommit(items);
    for (const item of items) this.#learn(item.metadata.uid, reasonOf(item));
  }

  #learn(uid: string, reason: string): void {
    const before = this.#decided.get(uid);
    if (before !== undefined) expect(reason, `claim ${uid} was decided already`).toBe(before);
    if (before !== undefined || !["QuotaAvailable", "QuotaExceeded"].includes(reason)) return;
    this.#decided.set(uid, reason);
    if (reason === "QuotaAvailable") this.granted += 1;
    else this.denied += 1;
  }
}

async function prepare(client: TestClient): Promise<void> {
  for (const [type, dimensions] of [
    [cpu, []],
    [disk, []],
    [address, [location]],
  ] as const) {
    const { code, text } = await client.send(
      "POST",
      `${api}/resourceregistrations`,
      registration(type, { dimensions }),
    );
    expect(code, text).toBe(201);
  }
  const addresses = [
    { amount: limit - dallasOnly },
    { amount: dallasOnly, dimensionSelector: { matchLabels: dallas } },
  ];
  const created = grant("all", organization, { [cpu]: limit, [disk]: limit, [address]: addresses });
  const { code, text } = await client.send("POST", `${api}/namespaces/default/resourcegrants`, created);
  expect(code, text).toBe(201);
}

async function eventually(what: string, holds: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    try {
      return await holds();
    } catch (error) {
      if (Date.now() > deadline) throw new Error(`timed out waiting until ${what}`, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** All claims are decided, there are no reservations, and buckets equal the claims. */
async function expectSettled(client: TestClient, clients: Clients): Promise<void> {
  await eventually("everything is decided and counted", async () => {
    const { items } = (await client.send("GET", claims)).body;
    clients.see(items);
    expect(items.filter((item: Body) => reasonOf(item) === "PendingEvaluation")).toEqual([]);
    const holdings = held(items);
    for (const type of [cpu, disk, address]) {
      const path = `${api}/namespaces/milo-system/allowancebuckets/${bucketName(organization, type)}`;
      const { status } = (await client.send("GET", path)).body;
      const allocated = sum(holdings, type);
      expect(status, type).toMatchObject({ limit, allocated, reserved: 0, overage: 0 });
      expect(status.reservations ?? [], type).toEqual([]);
    }
  });
}

/** All free capacity can be claimed, so nothing has leaked. */
async function expectAllUsable(client: TestClient): Promise<void> {
  const { items } = (await client.send("GET", claims)).body;
  const free = limit - sum(held(items), cpu);
  for (const [name, amount, reason] of [
    ["too-much", free + 1, "QuotaExceeded"],
    ["rest", free, "QuotaAvailable"],
  ] as const) {
    if (amount === 0) continue;
    const { code } = await client.send("POST", claims, claim(name, organization, [{ resourceType: cpu, amount }]));
    expect(code).toBe(201);
    await eventually(`${name} has reason ${reason}`, async () =>
      expect(reasonOf((await client.send("GET", `${claims}/${name}`)).body)).toBe(reason),
    );
  }
}

describe("a process that is killed while claims are created", () => {
  let directory: string;
  let program: ServerProgram;
  let server: KillableServer | undefined;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "milo-quota-kill-"));
    program = await buildServer("test/controllers/quota-program.ts");
  }, 60_000);

  afterAll(async () => {
    await server?.kill();
    rmSync(directory, { recursive: true, force: true });
    program.remove();
  });

  it(`overcommits nothing and leaves no claim undecided over ${kills} kills`, async () => {
    const seed = Date.now() % 1_000_000;
    const random = seeded(seed);
    const clients = new Clients();
    for (let round = 0; round <= kills; round += 1) {
      server = new KillableServer(program, directory);
      const [reader, ...writers] = await server.connect(8);
      if (reader === undefined) throw new Error("the server did not restart");
      if (round === 0) await prepare(reader);
      // Sometimes it is killed again before it has recovered.
      if (round % 3 === 0 || round === kills) await expectSettled(reader, clients);
      if (round === kills) await expectAllUsable(reader);
      const working = [clients.look(reader), ...writers.map((client) => clients.churn(client, random))];
      await new Promise((resolve) => setTimeout(resolve, 20 + random() * 600));
      expect(await server.kill(), `seed ${seed}`).toEqual([]);
      await Promise.all(working);
    }
    expect(clients.granted, "claims that were granted").toBeGreaterThan(kills);
    expect(clients.denied, "claims that were denied").toBeGreaterThan(kills);
  }, 300_000);
});
