import { afterEach, describe, expect, it } from "vitest";
import { FollowedState, pick, seeded, withoutKind, writeSomething } from "./random-writes.ts";
import { type Body, TestServer } from "./test-server.ts";
import type { WatchReader } from "./watch-reader.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const seeds = Number(process.env["MILO_QUOTA_SEEDS"] ?? 15);

describe("a client that resumes its watch", () => {
  let server: TestServer;

  afterEach(async () => {
    await server.stop();
    expect(server.faults).toEqual([]);
    expect(server.clock.waiting).toBe(0);
  });

  const list = async (selector: string): Promise<Body> => (await server.get(`${configMaps}?${selector}`)).body;

  /** Watches with cuts at random moments, resumes from the last revision, and relists when that has expired. */
  class Follower {
    readonly known = new FollowedState();
    restarts = 0;
    resumes = 0;
    readonly #selector: string;
    #revision = "";
    #reader: WatchReader | undefined;
    #taken = 0;

    constructor(selector: string) {
      this.#selector = selector;
    }

    async start(): Promise<void> {
      const { items, metadata } = await list(this.#selector);
      this.known.start(items);
      this.#revision = metadata.resourceVersion;
      await this.resume();
    }

    async resume(): Promise<void> {
      this.resumes += 1;
      this.#reader?.close();
      const path = `${configMaps}?watch=true&allowWatchBookmarks=true&resourceVersion=${this.#revision}&${this.#selector}`;
      this.#reader = await server.watch(path);
      this.#taken = 0;
    }

    /** Processes some of the received events; the rest is lost with a cut. */
    async take(count: number): Promise<void> {
      for (const { type, object } of this.#reader?.events.slice(this.#taken, this.#taken + count) ?? []) {
        this.#taken += 1;
        if (type === "ERROR") {
          expect(object.code).toBe(410);
          this.restarts += 1;
          return this.start();
        }
        this.known.learn(type, type === "BOOKMARK" ? object : withoutKind(object));
        expect(BigInt(object.metadata.resourceVersion) >= BigInt(this.#revision || "0")).toBe(true);
        this.#revision = object.metadata.resourceVersion;
      }
    }
  }

  it.each([
    ["with the whole history", 100_000, false],
    ["with a short history that expires at times", 25, true],
  ])("has the state of a list after any number of cuts, %s", async (_, historyCount, restarts) => {
    server = await TestServer.start({ limits: { store: { historyCount, compactionCount: 5 } } });
    let started = 0;
    for (let seed = 1; seed <= seeds; seed += 1) {
      const random = seeded(seed);
      const followers = ["", "labelSelector=color%3Dred", "fieldSelector=metadata.name%3Dobject-1"].map(
        (selector) => [selector, new Follower(selector)] as const,
      );
      for (const [, follower] of followers) await follower.start();
      for (let step = 0; step < 80; step += 1) {
        await writeSomething(server, random);
        if (random() < 0.05) server.clock.advance(60_000);
        const [, follower] = pick(random, followers);
        if (random() < 0.5) await follower.take(Math.floor(random() * 12));
        if (random() < 0.2) await follower.resume();
      }
      for (const [selector, follower] of followers) {
        for (let turn = 0; turn < 3; turn += 1) await follower.take(1_000);
        expect(follower.known.all, `seed ${seed} ${selector}`).toEqual((await list(selector)).items);
        expect(follower.resumes).toBeGreaterThan(1);
        started += follower.restarts;
      }
    }
    expect(started > 0).toBe(restarts);
  });
});

describe("a list in pages", () => {
  let server: TestServer;

  afterEach(async () => {
    await server.stop();
    expect(server.faults).toEqual([]);
  });

  const page = async (limit: number, token: string) => server.get(`${configMaps}?limit=${limit}&continue=${token}`);

  it("shows the state of one revision despite concurrent writes", async () => {
    server = await TestServer.start();
    for (let seed = 1; seed <= seeds; seed += 1) {
      const random = seeded(seed * 7_919);
      for (let step = 0; step < 20; step += 1) await writeSomething(server, random, 30);
      const whole = (await server.get(configMaps)).body;
      const seen: Body[] = [];
      for (let token = ""; ; ) {
        const { body } = await page(1 + Math.floor(random() * 6), token);
        expect(body.metadata.resourceVersion).toBe(whole.metadata.resourceVersion);
        seen.push(...body.items);
        token = body.metadata.continue ?? "";
        if (token === "") break;
        for (let step = 0; step < 3; step += 1) await writeSomething(server, random, 30);
      }
      expect(seen, `seed ${seed}`).toEqual(whole.items);
    }
  });

  it("that takes too long gets 410 with a token to continue", async () => {
    server = await TestServer.start({ limits: { store: { historyCount: 10 } } });
    for (let at = 0; at < 9; at += 1) await server.create(configMaps, { metadata: { name: `object-${at}` } });
    const first = await page(3, "");
    for (let at = 0; at < 20; at += 1) await server.merge(`${configMaps}/object-5`, { data: { at: String(at) } });
    await server.create(configMaps, { metadata: { name: "object-55" } });
    await server.create(configMaps, { metadata: { name: "object-00" } });
    const tooOld = await page(3, first.body.metadata.continue);
    expect([tooOld.code, tooOld.body.reason]).toEqual([410, "Expired"]);
    const names: string[] = [];
    let token = tooOld.body.metadata.continue;
    for (let turn = 0; turn < 10 && token !== undefined; turn += 1) {
      const { code, body } = await page(2, token);
      expect(code).toBe(200);
      names.push(...body.items.map(({ metadata }: Body) => metadata.name));
      token = body.metadata.continue;
    }
    expect(names).toEqual(["object-3", "object-4", "object-5", "object-55", "object-6", "object-7", "object-8"]);
  });

  it.each(["x", "e30", Buffer.from('{"v":"meta.k8s.io/v1","rv":99999999,"start":"a/b"}').toString("base64url")])(
    "with an invalid continue token is rejected: %s",
    async (token) => {
      server = await TestServer.start();
      const { code } = await page(3, token);
      expect([400, 410]).toContain(code);
    },
  );
});
