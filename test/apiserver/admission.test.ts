import { MemoryLog } from "@milo-quota/apiserver/storage/log/memory-log.ts";
import { LogFull, type LogRecord } from "@milo-quota/apiserver/storage/log/record-log.ts";
import { failure } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RecordingPlugin } from "./recording-plugin.ts";
import { TestServer, turnOfEvents } from "./test-server.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";

/** A log that can be full or hang. */
class FaultyLog extends MemoryLog {
  isFull = false;
  hangs: Promise<void> | undefined;

  override async append(records: readonly LogRecord[]): Promise<void> {
    await this.hangs;
    if (this.isFull) throw new LogFull("no space left on device");
    return super.append(records);
  }
}

describe("plug-ins", () => {
  let server: TestServer;
  let log: FaultyLog;
  let first: RecordingPlugin;
  let second: RecordingPlugin;

  beforeEach(async () => {
    [first, second] = [new RecordingPlugin("first"), new RecordingPlugin("second")];
    log = new FaultyLog();
    server = await TestServer.start({ plugins: [first, second], log });
  });

  afterEach(async () => {
    await server.stop();
    expect(server.clock.waiting).toBe(0);
  });

  const create = (name: string, query = "") => server.create(`${configMaps}${query}`, { metadata: { name } });

  it("get objects as they will be stored, with final names and UIDs", async () => {
    const { body } = await server.create(configMaps, { metadata: { generateName: "made-" }, data: { a: "1" } });
    const [requested] = second.calls;
    const { resourceVersion, ...metadata } = body.metadata;
    expect(requested?.request.object).toEqual({ kind: "ConfigMap", apiVersion: "v1", data: { a: "1" }, metadata });
    expect(requested?.request).toMatchObject({
      operation: "CREATE",
      name: body.metadata.name,
      plane: "root",
      namespace: "default",
    });
    expect(body.metadata.name).toMatch(/^made-[a-z0-9]{5}$/);
    expect(requested?.outcomes).toEqual([{ stored: true, object: body }]);
  });

  it("mutate objects in order, and the result is validated", async () => {
    first.change = (object) => ({ ...object, data: { order: "first" } }) as never;
    second.change = (object) =>
      ({ ...object, data: { order: `${(object["data"] as never)["order"]}, second` } }) as never;
    expect((await create("a")).body.data).toEqual({ order: "first, second" });
    second.change = (object) => ({ ...object, data: { "not a key!": "x" } }) as never;
    const reply = await create("b");
    expect([reply.code, reply.body.reason]).toEqual([422, "Invalid"]);
    expect((await server.get(`${configMaps}/b`)).code).toBe(404);
  });

  it("reject with their own message, causes, code and retry delay", async () => {
    const causes = [{ reason: "QuotaExceeded", message: "limit 3, allocated 3", field: "spec" }];
    second.answer = () => ({
      allowed: false,
      status: failure("TooManyRequests", "ask again later", { causes, retryAfterSeconds: 7 }),
    });
    const reply = await create("a");
    expect([reply.code, reply.headers["retry-after"]]).toEqual([429, "7"]);
    expect(reply.body).toMatchObject({ message: "ask again later", details: { causes, retryAfterSeconds: 7 } });
    expect([first.outcomes, second.outcomes]).toEqual([["not stored"], []]);
  });

  it("send each warning to the client once", async () => {
    for (const plugin of [first, second]) {
      plugin.answer = ({ warn }) => {
        warn("quota is nearly used up");
        return undefined;
      };
    }
    expect((await create("a")).headers["warning"]).toEqual(['299 - "quota is nearly used up"']);
  });

  describe("get the outcome of a request exactly once", () => {
    const both = (...outcomes: string[]): void => {
      expect([first.outcomes, second.outcomes]).toEqual([outcomes, outcomes]);
    };

    afterEach(() => {
      for (const { outcomes } of [...first.calls, ...second.calls]) expect(outcomes).toHaveLength(1);
    });

    it("for create, update and delete", async () => {
      await create("a");
      await server.merge(`${configMaps}/a`, { data: { b: "2" } });
      await server.remove(`${configMaps}/a`);
      expect(first.calls.map(({ request }) => request.operation)).toEqual(["CREATE", "UPDATE", "DELETE"]);
      both("stored", "stored", "not stored");
    });

    it("for a dry run", async () => {
      expect((await create("a", "?dryRun=All")).code).toBe(201);
      await create("a");
      await server.merge(`${configMaps}/a?dryRun=All`, { data: { b: "2" } });
      await server.remove(`${configMaps}/a?dryRun=All`);
      both("not stored", "stored", "not stored", "not stored");
      expect(first.calls.map(({ request }) => request.dryRun)).toEqual([true, false, true, true]);
    });

    it("but are not called for an invalid object", async () => {
      expect((await server.create(configMaps, { metadata: { name: "a" }, data: { "!": "" } })).code).toBe(422);
      both();
    });

    it("for an existing name", async () => {
      await create("a");
      expect((await create("a")).code).toBe(409);
      both("stored", "not stored");
    });

    it("for a name that another create takes meanwhile", async () => {
      let goOn: () => void = () => undefined;
      const thinking = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      second.answer = async ({ object }) => {
        if (object?.["data"] === undefined) await thinking;
        return undefined;
      };
      const slow = create("a");
      await server.create(configMaps, { metadata: { name: "a" }, data: { fast: "yes" } });
      goOn();
      expect((await slow).code).toBe(409);
      expect(first.outcomes).toEqual(["not stored", "stored"]);
    });

    it("for each retry after a conflict", async () => {
      await create("a");
      let tries = 0;
      second.answer = async ({ operation, object }) => {
        const isOurs = operation === "UPDATE" && object?.metadata.labels?.["ours"] !== undefined;
        if (isOurs && ++tries <= 2) await server.merge(`${configMaps}/a`, { data: { other: String(tries) } });
        return undefined;
      };
      const reply = await server.merge(`${configMaps}/a`, { metadata: { labels: { ours: "yes" } } });
      expect([reply.code, reply.body.data]).toEqual([200, { other: "2" }]);
      const ours = first.calls.filter(({ request }) => request.object?.metadata.labels?.["ours"] !== undefined);
      expect(ours.map(({ outcomes }) => outcomes.map(({ stored }) => stored))).toEqual([[false], [false], [true]]);
    });

    it("for an update with a stale resource version", async () => {
      const { body } = await create("a");
      second.answer = async ({ operation, object }) => {
        if (operation === "UPDATE" && object?.["data"] === undefined)
          await server.merge(`${configMaps}/a`, { data: { x: "y" } });
        return undefined;
      };
      const reply = await server.replace(`${configMaps}/a`, {
        ...body,
        metadata: { ...body.metadata, labels: { a: "b" } },
      });
      expect(reply.code).toBe(409);
      expect(first.outcomes.filter((outcome) => outcome === "stored")).toHaveLength(2);
    });

    it("for an update without changes", async () => {
      await create("a");
      expect((await server.merge(`${configMaps}/a`, {})).code).toBe(200);
      both("stored", "not stored");
    });

    it("for the update that removes the last finalizer", async () => {
      await server.create(configMaps, { metadata: { name: "a", finalizers: ["example.com/hold"] } });
      await server.remove(`${configMaps}/a`);
      await server.merge(`${configMaps}/a`, { metadata: { finalizers: [] } });
      expect((await server.get(`${configMaps}/a`)).code).toBe(404);
      both("stored", "not stored", "not stored");
    });

    it("for a full disk", async () => {
      log.isFull = true;
      const reply = await create("a");
      expect([reply.code, reply.body.reason]).toEqual([503, "ServiceUnavailable"]);
      expect([reply.headers["retry-after"], reply.body.details]).toEqual([undefined, undefined]);
      both("not stored");
      log.isFull = false;
      expect((await create("a")).code).toBe(201);
    });

    it("if one of them throws, which is an internal error", async () => {
      second.answer = () => {
        throw new Error("a bug");
      };
      const reply = await create("a");
      expect([reply.code, reply.body.reason]).toEqual([500, "InternalError"]);
      expect(reply.text).not.toContain("a bug");
      expect(server.faults.map(String)).toEqual(["Error: a bug"]);
      expect([first.outcomes, second.outcomes]).toEqual([["not stored"], []]);
    });

    it("even if an outcome callback throws, which undoes nothing", async () => {
      for (const plugin of [first, second]) {
        plugin.onOutcome = () => {
          throw new Error(`${plugin.name} cannot hear it`);
        };
      }
      expect((await create("a")).code).toBe(201);
      both("stored");
      expect(server.faults.map(String)).toEqual(["Error: first cannot hear it", "Error: second cannot hear it"]);
    });

    it("if the namespace is deleted meanwhile", async () => {
      await server.create("/api/v1/namespaces", { metadata: { name: "team" } });
      second.answer = async () => {
        await server.remove("/api/v1/namespaces/team");
        return undefined;
      };
      const reply = await server.create("/api/v1/namespaces/team/configmaps", { metadata: { name: "late" } });
      expect([403, 404]).toContain(reply.code);
      both("not stored");
      await server.until("it is gone", async () => (await server.get("/api/v1/namespaces/team")).code === 404);
    });

    it("if the client disconnects before the object is stored", async () => {
      const life = new AbortController();
      second.answer = () => {
        life.abort();
        return undefined;
      };
      await server.send({ method: "POST", path: configMaps, body: { metadata: { name: "a" } }, life });
      await turnOfEvents();
      both("not stored");
      expect((await server.get(`${configMaps}/a`)).code).toBe(404);
      expect(server.faults).toEqual([]);
    });

    it("if the client disconnects while the object is being stored", async () => {
      let goOn: () => void = () => undefined;
      log.hangs = new Promise((resolve) => {
        goOn = resolve;
      });
      const life = new AbortController();
      const reply = server.send({ method: "POST", path: configMaps, body: { metadata: { name: "a" } }, life });
      await turnOfEvents();
      life.abort();
      await reply;
      expect(first.calls[0]?.outcomes).toEqual([]);
      goOn();
      await server.settled();
      both("stored");
      expect((await server.get(`${configMaps}/a`)).code).toBe(200);
      expect(server.faults).toEqual([]);
    });

    it("for a timeout, after which the object is not stored", async () => {
      let goOn: () => void = () => undefined;
      const deaf = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      second.answer = async () => {
        await deaf;
        return undefined;
      };
      const reply = create("a");
      await turnOfEvents();
      server.clock.advance(59_999);
      expect(first.calls[0]?.outcomes).toEqual([]);
      server.clock.advance(1);
      expect(await reply).toMatchObject({ code: 504, body: { reason: "Timeout" } });
      goOn();
      await server.settled();
      both("not stored");
      expect((await server.get(`${configMaps}/a`)).code).toBe(404);
      expect(server.faults).toEqual([]);
    });
  });
});
