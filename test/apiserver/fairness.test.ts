import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RecordingPlugin } from "./recording-plugin.ts";
import { bind } from "./role-bindings.ts";
import { type Reply, TestServer, turnOfEvents } from "./test-server.ts";
import { users } from "./test-users.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";

describe("a user that floods the server with slow requests", () => {
  let server: TestServer;
  let slow: RecordingPlugin;
  let waiting: (() => void)[];

  beforeEach(async () => {
    slow = new RecordingPlugin("slow");
    waiting = [];
    slow.answer = async ({ userInfo: { username } }) => {
      if (username === "alice") await new Promise<void>((resolve) => waiting.push(resolve));
      return undefined;
    };
    const queue = { seats: 10, seatsPerFlowMax: 7, waitingPerFlowMax: 20, waitingMax: 100, waitMsMax: 15_000 };
    server = await TestServer.start({ plugins: [slow], limits: { queue } });
    await bind(server, "cluster-admin", "alice", "bob");
  });

  afterEach(async () => {
    await server.stop();
    expect(server.faults).toEqual([]);
    expect(server.clock.waiting).toBe(0);
  });

  const flood = (count: number): readonly Promise<Reply>[] =>
    Array.from({ length: count }, (_, at) =>
      server.create(configMaps, { metadata: { name: `flood-${at}` } }, users.alice),
    );

  const finishAll = async (): Promise<void> => {
    for (let turn = 0; turn < 100; turn += 1) {
      for (const goOn of waiting.splice(0)) goOn();
      await turnOfEvents();
    }
  };

  it("does not delay other users", async () => {
    const replies = flood(20);
    await turnOfEvents();
    expect(waiting).toHaveLength(7);
    for (let at = 0; at < 30; at += 1) {
      expect((await server.create(configMaps, { metadata: { name: `polite-${at}` } }, users.bob)).code).toBe(201);
      expect((await server.get(configMaps, users.bob)).code).toBe(200);
    }
    await finishAll();
    expect(new Set((await Promise.all(replies)).map(({ code }) => code))).toEqual(new Set([201]));
  });

  it("gets 429 with Retry-After for excess requests", async () => {
    const replies = flood(40);
    await turnOfEvents();
    const rejected: Reply[] = [];
    for (const reply of replies.slice(27)) rejected.push(await reply);
    for (const { code, headers, body } of rejected) {
      expect([code, body.reason, headers["retry-after"]]).toEqual([429, "TooManyRequests", "1"]);
    }
    server.clock.advance(15_000);
    const late = await Promise.all(replies.slice(7, 27));
    expect(new Set(late.map(({ code }) => code))).toEqual(new Set([429]));
    await finishAll();
    expect((await Promise.all(replies.slice(0, 7))).map(({ code }) => code)).toEqual(Array(7).fill(201));
    expect((await server.get(configMaps, users.alice)).body.items).toHaveLength(7);
  });

  it("does not block system:masters and probes", async () => {
    const others = [users.alice, users.bob].flatMap((user) =>
      Array.from({ length: 10 }, (_, at) =>
        server.create(configMaps, { metadata: { name: `${user.username}-${at}` } }, user),
      ),
    );
    slow.answer = async ({ userInfo: { username } }) => {
      if (username !== "admin") await new Promise<void>((resolve) => waiting.push(resolve));
      return undefined;
    };
    await turnOfEvents();
    expect((await server.create(configMaps, { metadata: { name: "help" } })).code).toBe(201);
    expect((await server.send({ path: "/readyz", user: "from headers" })).text).toBe("ok");
    await finishAll();
    await Promise.all(others);
  });

  it("frees its seats when its clients disconnect", async () => {
    const lives = Array.from({ length: 30 }, () => new AbortController());
    const replies = lives.map((life, at) =>
      server.send({
        method: "POST",
        path: configMaps,
        body: { metadata: { name: `x-${at}` } },
        user: users.alice,
        life,
      }),
    );
    await turnOfEvents();
    for (const life of lives) life.abort();
    await Promise.all(replies);
    await finishAll();
    const next = server.create(configMaps, { metadata: { name: "next" } }, users.alice);
    await turnOfEvents();
    await finishAll();
    expect((await next).code).toBe(201);
  });
});
