import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { widget, widgetDefinition, widgets } from "./custom-kinds.ts";
import { buildServer, KillableServer, type ServerProgram } from "./killable-server.ts";
import { pick, seeded } from "./random-writes.ts";
import { ConnectionClosed, type HttpReply, type TestClient } from "./test-client.ts";
import type { Body } from "./test-server.ts";

const kills = 20;
const configMaps = "/api/v1/namespaces/default/configmaps";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const dataOf = ({ data }: Body): string | undefined => data?.value;

/** Acknowledged and unanswered writes of one object. */
interface History {
  /** The newest acknowledged version; undefined after an acknowledged delete and before the first create. */
  acknowledged: { readonly revision: bigint; readonly value: string | undefined } | undefined;
  /** Writes without a response, which may have been applied. */
  unanswered: ("deleted" | string)[];
}

function ignoreGone(error: unknown): void {
  if (!(error instanceof ConnectionClosed)) throw error;
}

class Clients {
  readonly histories = new Map<string, History>();
  readonly uids = new Map<string, string>();
  answered = 0;
  rejected = 0;
  lastSeen = 0n;
  #sent = 0;
  #onAnswer: () => void = () => undefined;

  /** Settles after this many more responses. */
  answers(more: number): Promise<void> {
    const target = this.answered + more;
    return new Promise((resolve) => {
      this.#onAnswer = () => this.answered >= target && resolve();
      this.#onAnswer();
    });
  }

  #count(answers: number): void {
    this.answered += answers;
    this.#onAnswer();
  }

  /** Writes to its own objects until the connection breaks. */
  async write(client: TestClient, writer: number, random: () => number): Promise<void> {
    for (;;) {
      const name = `object-${writer}-${Math.floor(random() * 5)}`;
      const history = this.historyOf(name);
      try {
        if (random() < 0.1) await this.#sendInvalid(client, name);
        else await this.#writeOnce(client, name, history, random);
      } catch (error) {
        return ignoreGone(error);
      }
    }
  }

  historyOf(name: string): History {
    const history = this.histories.get(name) ?? { acknowledged: undefined, unanswered: [] };
    this.histories.set(name, history);
    return history;
  }

  async #writeOnce(client: TestClient, name: string, history: History, random: () => number): Promise<void> {
    this.#sent += 1;
    const value = `${name}-${this.#sent}`;
    const isDelete = history.acknowledged !== undefined && random() < 0.25;
    history.unanswered.push(isDelete ? "deleted" : value);
    const reply = isDelete
      ? await client.send("DELETE", `${configMaps}/${name}`)
      : await this.#put(client, name, value);
    this.#learn(history, reply, isDelete);
  }

  /** Creates or updates the object. */
  async #put(client: TestClient, name: string, value: string): Promise<HttpReply> {
    const created = await client.send("POST", configMaps, { metadata: { name }, data: { value } });
    if (created.code === 201) {
      const { uid } = created.body.metadata;
      expect(this.uids.get(uid), "a UID was given out twice").toBeUndefined();
      this.uids.set(uid, name);
    }
    return created.code === 409 ? client.send("PATCH", `${configMaps}/${name}`, { data: { value } }) : created;
  }

  #learn(history: History, reply: HttpReply, isDelete: boolean): void {
    expect([200, 201, 404]).toContain(reply.code);
    this.#count(1);
    history.unanswered = [];
    if (isDelete || reply.code === 404) {
      history.acknowledged = undefined;
      return;
    }
    const revision = BigInt(reply.body.metadata.resourceVersion);
    if (revision > this.lastSeen) this.lastSeen = revision;
    history.acknowledged = { revision, value: dataOf(reply.body) };
  }

  async #sendInvalid(client: TestClient, name: string): Promise<void> {
    const reply = await client.send("POST", configMaps, {
      metadata: { name: `${name}-bad` },
      data: { "not a key!": "1" },
    });
    expect(reply.code).toBe(422);
    this.rejected += 1;
  }
}

/** Checks that every acknowledged write, or a later unanswered one, is stored. */
async function inspect(client: TestClient, clients: Clients): Promise<void> {
  const { items, metadata } = (await client.send("GET", configMaps)).body;
  const found = new Map<string, Body>(items.map((item: Body) => [item.metadata.name, item]));
  expect(BigInt(metadata.resourceVersion)).toBeGreaterThanOrEqual(clients.lastSeen);
  for (const name of found.keys()) expect(name).not.toMatch(/-bad$/);
  for (const [name, history] of clients.histories) {
    const item = found.get(name);
    const { acknowledged, unanswered } = history;
    const state = item === undefined ? "deleted" : (dataOf(item) as string);
    expect([acknowledged?.value ?? "deleted", ...unanswered], name).toContain(state);
    if (item !== undefined && state === acknowledged?.value && unanswered.length === 0) {
      expect(BigInt(item.metadata.resourceVersion)).toBe(acknowledged.revision);
    }
    // The stored state is the baseline for the next round.
    history.unanswered = [];
    history.acknowledged = item && { revision: BigInt(item.metadata.resourceVersion), value: dataOf(item) };
  }
}

/** A watch from the last seen revision shows all later events or fails as expired. */
async function resume(client: TestClient, revision: bigint): Promise<void> {
  const path = `${configMaps}?watch=true&timeoutSeconds=1&allowWatchBookmarks=true&resourceVersion=${revision}`;
  const { code, text } = await client.send("GET", path);
  expect(code).toBe(200);
  let last = revision;
  for (const line of text.trimEnd().split("\n")) {
    const { type, object } = JSON.parse(line);
    if (type === "ERROR") {
      expect(object.code).toBe(410);
      return;
    }
    const next = BigInt(object.metadata.resourceVersion);
    expect(type === "BOOKMARK" ? next >= last : next > last).toBe(true);
    last = next;
  }
}

/** Starts work that takes the server a while. */
async function beginLongWork(client: TestClient, round: number, random: () => number): Promise<void> {
  const name = `work-${round}`;
  await client.send("POST", "/api/v1/namespaces", { metadata: { name } });
  const { body: owner } = await client.send("POST", configMaps, { metadata: { name: `owner-${round}` } });
  const { uid } = owner.metadata;
  const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: `owner-${round}`, uid }];
  await Promise.all(
    Array.from({ length: 20 }, async (_, at) => {
      await client.send("POST", `/api/v1/namespaces/${name}/configmaps`, { metadata: { name: `inside-${at}` } });
      await client.send("POST", configMaps, { metadata: { name: `owned-${round}-${at}`, ownerReferences } });
    }),
  );
  const defined = await client.send("POST", definitions, widgetDefinition);
  expect([201, 409]).toContain(defined.code);
  await Promise.all(
    Array.from({ length: 5 }, (_, at) => client.send("POST", widgets("default"), widget(`w-${round}-${at}`))),
  );
  const ends = [
    `/api/v1/namespaces/${name}`,
    `${configMaps}/owner-${round}`,
    `${definitions}/widgets.example.com`,
  ].sort(() => random() - 0.5);
  await Promise.all(ends.map((path) => client.send("DELETE", path)));
}

const leftOver = (items: readonly Body[], pattern: RegExp): number =>
  items.filter(({ metadata }) => pattern.test(metadata.name)).length;

/** Waits until all deletions are complete. */
async function finished(client: TestClient): Promise<void> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const list = async (path: string): Promise<readonly Body[]> => (await client.send("GET", path)).body.items;
    const going = (await list("/api/v1/namespaces")).filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    const ending = (await list(definitions)).filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    const maps = await list("/api/v1/configmaps");
    const owners = new Set(maps.map(({ metadata }) => metadata.uid));
    const strays = maps.filter(({ metadata }) =>
      (metadata.ownerReferences ?? []).some(({ uid }: Body) => !owners.has(uid)),
    );
    const homes = new Set((await list("/api/v1/namespaces")).map(({ metadata }) => metadata.name));
    const homeless = maps.filter(({ metadata }) => !homes.has(metadata.namespace));
    if (going.length + ending.length + strays.length + homeless.length === 0) return;
    const state = { going: going.length, ending: ending.length, strays: strays.length, homeless: homeless.length };
    if (Date.now() > deadline) throw new Error(`not finished: ${JSON.stringify(state)} ${leftOver(maps, /^owned/)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe("a server that is killed while clients write", () => {
  let directory: string;
  let program: ServerProgram;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "milo-quota-durability-"));
    program = await buildServer();
  });

  afterAll(() => {
    rmSync(directory, { recursive: true, force: true });
    program.remove();
  });

  it(`keeps acknowledged writes and finishes deletions over ${kills} kills`, async () => {
    const clients = new Clients();
    const random = seeded(Date.now());
    for (let round = 0; round < kills; round += 1) {
      const server = new KillableServer(program, directory);
      const [reader, ...writers] = await server.connect(7);
      if (reader === undefined) throw new Error("the server did not restart");
      await inspect(reader, clients);
      if (round % 5 === 4) await resume(reader, clients.lastSeen);
      const writing = writers.map((client, at) => clients.write(client, at, random));
      const working = round % 2 === 0 ? beginLongWork(reader, round, random).catch(ignoreGone) : undefined;
      await Promise.race([clients.answers(pick(random, [0, 5, 20, 40, 80])), ...writing]);
      expect(await server.kill()).toEqual([]);
      await Promise.all([...writing, working]);
    }
    const server = new KillableServer(program, directory);
    const [reader] = await server.connect(1);
    if (reader === undefined) throw new Error("the server did not restart");
    await inspect(reader, clients);
    await finished(reader);
    expect(await server.kill()).toEqual([]);
    expect(clients.answered).toBeGreaterThan(kills * 10);
    expect(clients.rejected).toBeGreaterThan(0);
  }, 120_000);
});
